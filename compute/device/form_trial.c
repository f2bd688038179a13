/*
 * Tries fast forms of kernels, and replaces forms that fail; see form_trial.h.
 */
#include "compute/device/form_trial.h"

#include <stdio.h>

#include "compute/device/kernel_form.h"
#include "compute/device/programs.h"
#include "daemon/base/fields.h"

static int run(const struct apsp_device *device, const char *what,
	const char *forms, struct apsp_err *err)
{
	return device->trial.run(device->trial.ctx, what, forms, err);
}

/* Run a trial. If it fails, run it once more, because a temporary fault, such
   as a full disk, may have caused the failure. */
static int run_twice(const struct apsp_device *device, const char *what,
	struct apsp_err *err)
{
	int r = run(device, what, "all", err);

	return r == APSP_EDEVICE ? run(device, what, "all", err) : r;
}

/* Run the test programs->test in a separate process, with the fast forms of all
   kernels. If the test has run already, do not repeat it. Return the result of
   the test. */
static int test_try(const struct apsp_device *device, struct apsp_err *err)
{
	struct apsp_programs *programs = device->programs;
	int r;

	if (programs->tried == APSP_TEST_PASSED)
		return 0;
	if (programs->tried == APSP_TEST_FAILED)
		return APSP_EDEVICE;
	r = run_twice(device, programs->test, err);
	/* APSP_ELIMIT: a second process cannot open the device. The form counts
	   as good, because this process also runs the test. */
	if (r == APSP_ELIMIT)
		r = 0;
	if (r != APSP_ECANCELLED)
		programs->tried = r < 0 ? APSP_TEST_FAILED : APSP_TEST_PASSED;
	return r;
}

int apsp_form_trial_make(const struct apsp_device *device,
	const struct apsp_untried *form, bool *out_good, struct apsp_err *err)
{
	const char *test = device->programs->test;
	char what[APSP_TRIAL_SIZE] = "", name[APSP_FORM_NAME_SIZE];
	struct apsp_err why = {0}, other = {0};
	int r;

	*out_good = true;
	if (!device->trial.run)
		return 0;
	apsp_kernel_form_name(form->source, form->key, name);
	if (test[0]) {
		snprintf(what, sizeof(what), "%s", test);
		r = test_try(device, err);
		/* repeat the test with only this fast form, to find out whether
		   this form causes the failure */
		if (r == APSP_EDEVICE)
			r = run(device, what, name, &why);
	} else {
		apsp_fields_add(
			what, sizeof(what), "build", "%s", form->source);
		apsp_fields_add(what, sizeof(what), "element", "%d",
			(int)form->element);
		apsp_fields_add(
			what, sizeof(what), "options", "%s", form->more);
		r = run_twice(device, what, &why);
	}
	*out_good = r >= 0 || r == APSP_ELIMIT;
	if (*out_good)
		return 0;
	/* run the trial with plain forms only; if this trial fails, too, the
	   fast form is not the cause of the failure, so the fast form is not
	   given up */
	if (r == APSP_EDEVICE) {
		r = run(device, what, "none", &other);
		if (r >= 0)
			apsp_kernel_form_give_up(
				device, form->source, form->key, why.message);
	}
	if (r == APSP_ECANCELLED)
		return apsp_fail(err, r, "the computation was cancelled");
	if (r < 0)
		apsp_kernel_form_leave(device, form->source, form->key);
	return 0;
}
