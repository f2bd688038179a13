/*
 * Compiles programs from the embedded sources of kernels/, and keeps their
 * binaries in a cache directory.
 *
 * A cache file begins with its whole key: device, driver, options and source.
 * So a program is compiled again when any part of the key changes. A damaged
 * file is ignored. Until it closes, a device keeps its compiled programs and
 * the names of the self-tests that it has passed with them (programs.h).
 */
#ifndef APSP_COMPUTE_DEVICE_KERNEL_CACHE_H
#define APSP_COMPUTE_DEVICE_KERNEL_CACHE_H

#include <CL/cl.h>
#include <stdbool.h>

#include "compute/device/device.h"
#include "daemon/base/err.h"
#include "daemon/job/table_file.h"

/* Names a kernel of a program, and says where to store it. */
struct apsp_kernel_wanted {
	const char *name;
	cl_kernel *out; /* where the kernel is stored; the caller ends it with
			   apsp_kernel_done() */
};

/*
 * Compile kernels/<source>.cl, or load the compiled program from the cache, and
 * make n of its kernels. The macro ELEMENT is the number of bits of `element`,
 * TILE is APSP_TILE, and SPAN is tuning->span. ELEMENT and SPAN are defined
 * only for sources that use them. Further compiler options are `more` ("":
 * none) and, for the fast form, device->fast. If the fast form does not
 * compile, the plain form is used (kernel_form.h). If the function fails, some
 * kernels may have been made.
 *
 * APSP_EDEVICE: the program does not compile, or it has no kernel of a given
 * name. If it does not compile, the message has the end of the build log, and
 * the whole log was written to stderr. APSP_EBUG: there is no source file of
 * this name. Failures to write the cache are ignored.
 */
int apsp_kernel_cache_build(const struct apsp_device *device,
	const char *source, enum apsp_element element, const char *more,
	const struct apsp_kernel_wanted *kernels, size_t n,
	struct apsp_err *err);

/* Call apsp_kernel_cache_build() for one kernel. */
int apsp_kernel_cache_kernel(const struct apsp_device *device,
	const char *source, enum apsp_element element, const char *more,
	const char *kernel, cl_kernel *out, struct apsp_err *err);

/*
 * Call this when the device has passed a self-test. Trust the programs that the
 * test used, and write the binaries of new fast forms to the cache. If an
 * earlier test failed, this test may have used the plain forms of some kernels
 * in place of their fast forms. Give up these fast forms, so that they are
 * never used again (kernel_form.h).
 */
void apsp_kernel_cache_trust(const struct apsp_device *device);

/* Whether the device has passed a test of this name with its present tuning and
   its present fast forms. */
bool apsp_kernel_cache_passed(
	const struct apsp_device *device, const char *test);

/* Record that the device has passed a test. If there is no memory for the
   record, the test will be repeated. */
void apsp_kernel_cache_pass(const struct apsp_device *device, const char *test);

#endif
