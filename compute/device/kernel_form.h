/*
 * The two forms of a kernel. The plain form is OpenCL C 1.2. The fast form is
 * compiled with options (device->fast) for extensions of the device's own
 * compiler. The results of both forms are equal bit by bit. The first option in
 * device->fast defines a macro. A kernel's source has a fast form only if the
 * source contains this macro.
 *
 * A fast form is given up if it does not compile in two attempts
 * (kernel_cache.c), or if it fails the self-test twice
 * (compute/solve/self_test.c). The plain form is used in its place. A file
 * beside the compiled kernels records under the fast program's own key (device,
 * driver, options, source) that the form was given up. A line on stderr reports
 * it, too.
 *
 * The first use of a fast form happens in a separate process, which is called a
 * trial. If the trial fails twice, for example because the compiler crashes or
 * hangs, the form is given up. If the binary of a form is in the cache, the
 * form was tried before, so most uses need no trial. The code that opens the
 * device provides the function that starts a process (device->trial); without
 * this function, forms are used without a trial.
 *
 * If a form is needed while a test of the device runs, the separate process
 * tries the form by running the same test. The member `test` of struct
 * apsp_programs has the name of this test. At other times, the separate process
 * only compiles the form. A trial is described by fields
 * (daemon/base/fields.h):
 *
 *	test NAME …                             a test of the device
 *	build SOURCE element NUMBER options TEXT  compiling a kernel
 */
#ifndef APSP_COMPUTE_DEVICE_KERNEL_FORM_H
#define APSP_COMPUTE_DEVICE_KERNEL_FORM_H

#include <stdbool.h>

#include "compute/device/device.h"
#include "daemon/base/err.h"
#include "daemon/job/table_file.h"

enum {
	APSP_FORM_NAME_SIZE = 64,
	APSP_FORM_ALL = -1,
};

/* Make a program's name in the cache. The name consists of the name of the
   source and a checksum of the key. */
void apsp_kernel_form_name(
	const char *source, const char *key, char out[APSP_FORM_NAME_SIZE]);

/* Whether the device must not use the fast program with this key. There are
   three cases: the state of the program in the list of programs is doubted,
   given up or left (programs.h); a file says that the program was given up; or
   device->forms excludes the program. */
bool apsp_kernel_form_doubted(
	const struct apsp_device *device, const char *source, const char *key);

/*
 * Give up the fast program with this key for ever, because it fails and the
 * plain program works. `why` is a phrase for the log, such as "does not
 * compile".
 */
void apsp_kernel_form_give_up(const struct apsp_device *device,
	const char *source, const char *key, const char *why);

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
 * trial is possible now. The fast form is then banned: for good if the plain
 * form passes the trial that the fast form failed, otherwise as long as this
 * device stays open. APSP_ECANCELLED: a stop was requested.
 */
int apsp_kernel_form_try(const struct apsp_device *device,
	const struct apsp_untried *form, bool *out_good, struct apsp_err *err);

/* Whether the device uses a fast program that has not passed a test yet. */
bool apsp_kernel_form_untested(const struct apsp_device *device);

/*
 * After a failed self-test, choose the programs that run in their plain forms
 * in the next test. The candidates are all fast programs that have not passed a
 * test yet; they are numbered from 0. `which` is the number of one candidate,
 * or APSP_FORM_ALL for all of them. The choice replaces the choice of an
 * earlier call. False: no candidate has this number.
 */
bool apsp_kernel_form_doubt(const struct apsp_device *device, int which);

#endif
