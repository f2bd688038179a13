/*
 * The first use of a kernel's fast form happens in a separate process. If the
 * separate process fails twice, for example because the compiler crashes or
 * hangs, the form is given up and the plain form is used (kernel_form.h).
 * kernel_cache.c says in which order a form is loaded, tried and compiled.
 *
 * If the binary of a form is in the cache, the form was tried before, so most
 * uses need no trial. The code that opens the device provides the function that
 * starts a process (device->trial); without this function, forms are used
 * without a trial.
 *
 * If a form is needed while a test of the device runs, the separate process
 * tries the form by running the same test. The member `test` of struct
 * apsp_programs has the name of this test. At other times, the separate process
 * only compiles the form.
 *
 * A trial is described by fields (daemon/base/fields.h):
 *
 *	test NAME …                             a test of the device
 *	build SOURCE element NUMBER options TEXT  compiling a kernel
 */
#ifndef APSP_COMPUTE_DEVICE_FORM_TRIAL_H
#define APSP_COMPUTE_DEVICE_FORM_TRIAL_H

#include <stdbool.h>

#include "compute/device/device.h"
#include "daemon/base/err.h"
#include "daemon/job/table_file.h"

/* A program's fast form whose binary is not in the cache yet. */
struct apsp_untried {
	const char *source;
	const char *key;
	enum apsp_element element;
	const char *more; /* further compiler options */
};

/*
 * Try a fast form, and store in *out_good whether the device is allowed to use
 * it. *out_good becomes false if the form failed its trial twice, or if no
 * trial is possible now. If the plain form passes the trial that the fast form
 * failed, the fast form is never used again. Otherwise the fast form is not
 * used until the device closes. APSP_ECANCELLED.
 */
int apsp_form_trial_make(const struct apsp_device *device,
	const struct apsp_untried *form, bool *out_good, struct apsp_err *err);

#endif
