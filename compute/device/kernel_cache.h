/*
 * Programs compiled from the embedded sources of kernels/, kept as binaries in
 * a cache directory.
 *
 * A cache file repeats its whole key (device, driver, options and source), so a
 * change of any of them compiles anew, and a damaged file is ignored. A device
 * keeps what it has compiled until it closes (programs.h).
 */
#ifndef APSP_COMPUTE_DEVICE_KERNEL_CACHE_H
#define APSP_COMPUTE_DEVICE_KERNEL_CACHE_H

#include <CL/cl.h>

#include "compute/device/device.h"
#include "daemon/base/err.h"
#include "daemon/base/table_file.h"

/*
 * Compile kernels/<source>.cl for elements of V, or load it from the cache. The
 * options ELEMENT, TILE and SPAN come from element, the device and its tuning;
 * `more` is appended ("" for none), then device->fast for a source's fast form.
 * Where that does not compile, the plain form is taken (kernel_form.h). The
 * caller ends *out with apsp_kernel_program_done().
 *
 * APSP_EDEVICE: it does not compile; the end of the build log is in the
 * message, and the whole log has gone to stderr. APSP_EBUG: no such source. A
 * cache that cannot be written costs time, not the job.
 */
int apsp_kernel_cache_build(const struct apsp_device *device,
	const char *source, enum apsp_element element, const char *more,
	cl_program *out, struct apsp_err *err);

/*
 * The same, and one kernel of the program; the caller ends *out with
 * apsp_kernel_done().
 */
int apsp_kernel_cache_kernel(const struct apsp_device *device,
	const char *source, enum apsp_element element, const char *more,
	const char *kernel, cl_kernel *out, struct apsp_err *err);

/* A test has passed: keep the binaries of the fast forms that were tested. */
void apsp_kernel_cache_keep(const struct apsp_device *device);

#endif
