/*
 * Tries fast forms of kernels, and decides which fast forms are used; see
 * kernel_form.h.
 */
#include "compute/device/kernel_form.h"

#include <stdio.h>
#include <string.h>

#include "compute/device/cache_file.h"
#include "compute/device/programs.h"
#include "daemon/base/auto.h"
#include "daemon/base/checksum.h"
#include "daemon/base/fields.h"

enum {
	PATH_SIZE = 4096,
};

void apsp_kernel_form_name(
	const char *source, const char *key, char out[APSP_FORM_NAME_SIZE])
{
	snprintf(out, APSP_FORM_NAME_SIZE, "%s-%016llx", source,
		(unsigned long long)apsp_checksum(key, strlen(key)));
}

static void mark_path(const struct apsp_device *device, const char *source,
	const char *key, char out[PATH_SIZE])
{
	char name[APSP_FORM_NAME_SIZE];

	apsp_kernel_form_name(source, key, name);
	snprintf(out, PATH_SIZE, "%s/%s.plain", device->kernel_dir, name);
}

static void mark_save(const struct apsp_device *device, const char *source,
	const char *key, const char *why)
{
	char path[PATH_SIZE];

	mark_path(device, source, key, path);
	apsp_cache_file_save(
		path, key, (const unsigned char *)why, strlen(why));
	/* "<4>" makes this line a warning in the daemon's log */
	fprintf(stderr,
		"<4>%s.cl: its fast form %s on '%s'; the plain form is used "
		"from now on, which is slower\n",
		source, why, device->info.name);
}

bool apsp_kernel_form_doubted(
	const struct apsp_device *device, const char *source, const char *key)
{
	const struct apsp_program *program =
		apsp_programs_find(device->programs, key);
	APSP_AUTO(apsp_free) unsigned char *why = NULL;
	char path[PATH_SIZE], name[APSP_FORM_NAME_SIZE];
	size_t size;

	apsp_kernel_form_name(source, key, name);
	if (device->forms && device->forms[0] &&
		strcmp(device->forms, "all") != 0 &&
		strcmp(device->forms, name) != 0)
		return true;
	if (program)
		return program->state >= APSP_PROGRAM_DOUBTED;
	mark_path(device, source, key, path);
	why = apsp_cache_file_load(path, key, &size);
	return why != NULL;
}

static void state_set(const struct apsp_device *device, const char *source,
	const char *key, enum apsp_program_state state)
{
	struct apsp_program *program =
		apsp_programs_find(device->programs, key);

	if (!program)
		program = apsp_programs_add(
			device->programs, key, source, NULL, true);
	if (program)
		program->state = state;
}

void apsp_kernel_form_give_up(const struct apsp_device *device,
	const char *source, const char *key, const char *why)
{
	state_set(device, source, key, APSP_PROGRAM_GIVEN_UP);
	mark_save(device, source, key, why);
}

static int trial_run(const struct apsp_device *device, const char *what,
	const char *forms, struct apsp_err *err)
{
	return device->trial.run(device->trial.ctx, what, forms, err);
}

/* Run the trial that `what` describes, in a separate process and with the fast
   forms of all kernels. If it fails, run it once more, because a temporary
   fault, such as a full disk, may have caused the failure. */
static int trial_run_twice(const struct apsp_device *device, const char *what,
	struct apsp_err *err)
{
	int r = trial_run(device, what, "all", err);

	return r == APSP_EDEVICE ? trial_run(device, what, "all", err) : r;
}

/* In a separate process, run the test that `programs->test` names, with the
   fast forms of all kernels, and return its result. A test that has already run
   is not repeated: its earlier result is returned. */
static int test_try(const struct apsp_device *device, struct apsp_err *err)
{
	struct apsp_programs *programs = device->programs;
	int r;

	if (programs->tried == APSP_TEST_PASSED)
		return 0;
	if (programs->tried == APSP_TEST_FAILED)
		return APSP_EDEVICE;
	r = trial_run_twice(device, programs->test, err);
	/* APSP_ELIMIT: a second process cannot open the device. Then the form
	   counts as good, because the solver's own process runs the test
	   anyway. */
	if (r == APSP_ELIMIT)
		r = 0;
	if (r != APSP_ECANCELLED)
		programs->tried = r < 0 ? APSP_TEST_FAILED : APSP_TEST_PASSED;
	return r;
}

int apsp_kernel_form_try(const struct apsp_device *device,
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
			r = trial_run(device, what, name, &why);
	} else {
		apsp_fields_add(
			what, sizeof(what), "build", "%s", form->source);
		apsp_fields_add(what, sizeof(what), "element", "%d",
			(int)form->element);
		apsp_fields_add(
			what, sizeof(what), "options", "%s", form->more);
		r = trial_run_twice(device, what, &why);
	}
	*out_good = r >= 0 || r == APSP_ELIMIT;
	if (*out_good)
		return 0;
	/* run the trial with plain forms only; if this trial fails, too, the
	   fast form is not the cause of the failure, so the fast form is not
	   given up */
	if (r == APSP_EDEVICE) {
		r = trial_run(device, what, "none", &other);
		if (r >= 0)
			apsp_kernel_form_give_up(
				device, form->source, form->key, why.message);
	}
	if (r == APSP_ECANCELLED)
		return apsp_fail(err, r, "the computation was cancelled");
	if (r < 0)
		state_set(device, form->source, form->key, APSP_PROGRAM_LEFT);
	return 0;
}

bool apsp_kernel_form_untested(const struct apsp_device *device)
{
	for (struct apsp_program *p = device->programs->first; p; p = p->next)
		if (p->fast && p->state == APSP_PROGRAM_USED)
			return true;
	return false;
}

bool apsp_kernel_form_doubt(const struct apsp_device *device, int which)
{
	bool found = false;
	int at = 0;

	for (struct apsp_program *p = device->programs->first; p; p = p->next) {
		if (!p->fast || !p->program ||
			(p->state != APSP_PROGRAM_USED &&
				p->state != APSP_PROGRAM_DOUBTED))
			continue;
		p->state = APSP_PROGRAM_USED;
		if (which == APSP_FORM_ALL || which == at++) {
			p->state = APSP_PROGRAM_DOUBTED;
			found = true;
		}
	}
	return found;
}
