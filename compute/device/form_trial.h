/*
 * The first try of a kernel's fast form, in a process of its own: a compiler
 * that crashes or hangs, or a kernel that takes its process down, is seen
 * there, and the form is given up for the plain one (kernel_form.h).
 *
 * A form whose binary is in the cache was tried before, so nothing is tried on
 * the usual way. Who opens the device says how a process is started
 * (device->trial); without that, forms are tried where they are used.
 */
#ifndef APSP_COMPUTE_DEVICE_FORM_TRIAL_H
#define APSP_COMPUTE_DEVICE_FORM_TRIAL_H

#include <stdbool.h>

#include "compute/device/device.h"
#include "daemon/base/err.h"
#include "daemon/base/table_file.h"

/* The fast form of a program that is not in the cache. */
struct apsp_untried {
	const char *source;
	const char *key;
	enum apsp_element element;
	const char *more; /* options */
};

/*
 * A test of the device begins, until apsp_form_trial_end(): forms that it uses
 * are tried by making this test. Other forms are tried by compiling them.
 */
void apsp_form_trial_begin(const struct apsp_device *device, const char *test);
void apsp_form_trial_end(const struct apsp_device *device);

/*
 * Try a form. *out_good: it may be used. What fails twice is not, and where the
 * same passes with the plain form, it is given up for good.
 * APSP_ECANCELLED.
 */
int apsp_form_trial_make(const struct apsp_device *device,
	const struct apsp_untried *form, bool *out_good, struct apsp_err *err);

#endif
