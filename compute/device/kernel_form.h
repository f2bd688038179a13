/*
 * The two forms of a kernel. The plain form is OpenCL C 1.2; the fast form is
 * made with options for what the device's own compiler takes beside that
 * (device->fast). Both give the same bits. Only sources that mention the first
 * of the options have a fast form.
 *
 * A fast form that does not compile, or with which the self-test fails, is
 * given up for the plain one. That is kept beside the compiled kernels under
 * the fast program's own key (device, driver, options, source), and told once
 * on stderr.
 */
#ifndef APSP_COMPUTE_DEVICE_KERNEL_FORM_H
#define APSP_COMPUTE_DEVICE_KERNEL_FORM_H

#include <stdbool.h>

#include "compute/device/device.h"

/* Whether the source with this text has a fast form on this device. */
bool apsp_kernel_form_has_fast(
	const struct apsp_device *device, const char *text);

/* Whether the fast program of this key is not to be used. */
bool apsp_kernel_form_doubted(
	const struct apsp_device *device, const char *source, const char *key);

/* The fast program of this key does not compile, and the plain one does. */
void apsp_kernel_form_give_up(
	const struct apsp_device *device, const char *source, const char *key);

/*
 * A self-test has failed: doubt the fast programs that no test has passed with,
 * so that the next test is made with plain ones. False: there are none.
 */
bool apsp_kernel_form_doubt(const struct apsp_device *device);

/* A self-test has passed: trust the programs in use, and give up those that
   were doubted before. */
void apsp_kernel_form_trust(const struct apsp_device *device);

#endif
