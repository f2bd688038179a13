/*
 * The two forms of a kernel. The plain form is OpenCL C 1.2; the fast form is
 * made with options for what the device's own compiler takes beside that
 * (device->fast). Both give the same bits. Only sources that mention the first
 * of the options have a fast form.
 *
 * A fast form that does not compile, or with which the self-test fails, is
 * given up for the plain one once it has failed twice. That is kept beside the
 * compiled kernels under the fast program's own key (device, driver, options,
 * source), and told once on stderr. A form is first tried in a process of its
 * own (form_trial.h).
 */
#ifndef APSP_COMPUTE_DEVICE_KERNEL_FORM_H
#define APSP_COMPUTE_DEVICE_KERNEL_FORM_H

#include <stdbool.h>

#include "compute/device/device.h"

enum {
	APSP_FORM_NAME_SIZE = 64,
	APSP_FORM_ALL = -1,
};

/* A program's name in the cache: its source and a sum of its key. */
void apsp_kernel_form_name(
	const char *source, const char *key, char out[APSP_FORM_NAME_SIZE]);

/* Whether the source with this text has a fast form on this device. */
bool apsp_kernel_form_has_fast(
	const struct apsp_device *device, const char *text);

/* Whether the fast program of this key is not to be used. */
bool apsp_kernel_form_doubted(
	const struct apsp_device *device, const char *source, const char *key);

/* The fast program of this key fails, as `why` says, and the plain one does
   not: "does not compile". */
void apsp_kernel_form_give_up(const struct apsp_device *device,
	const char *source, const char *key, const char *why);

/* Use the plain program in place of this one until the device closes. */
void apsp_kernel_form_leave(
	const struct apsp_device *device, const char *source, const char *key);

/* Whether fast programs are in use that no test has passed with. */
bool apsp_kernel_form_untested(const struct apsp_device *device);

/*
 * A self-test has failed: of the fast programs that no test has passed with,
 * doubt this one alone, from 0 on, or APSP_FORM_ALL, so that the next test is
 * made with the plain one. False: there are not so many.
 */
bool apsp_kernel_form_doubt(const struct apsp_device *device, int which);

/* A self-test has passed: trust the programs in use, and give up those that
   were doubted before. */
void apsp_kernel_form_trust(const struct apsp_device *device);

#endif
