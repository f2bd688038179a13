/*
 * The function that tries a kernel's fast form in a separate process
 * (kernel_form.h). The code that opens the device provides this function,
 * because no code in compute/device starts processes.
 */
#ifndef APSP_COMPUTE_DEVICE_TRIAL_OPS_H
#define APSP_COMPUTE_DEVICE_TRIAL_OPS_H

#include "daemon/base/err.h"

enum {
	APSP_TRIAL_SIZE = 512, /* largest number of bytes of a text that
				  describes a trial, including the NUL */
};

struct apsp_trial_ops {
	/*
	 * Run a trial in a separate process. `what` describes the trial
	 * (kernel_form.h). `forms` names the fast forms that the process is
	 * allowed to use: "all", "none", or the name of one (kernel_form.h).
	 * APSP_EDEVICE: the trial fails; the message in *err says how, for
	 * example "crashes". APSP_EBUSY: no trial is possible now. APSP_ELIMIT:
	 * a second process cannot open the device. APSP_ECANCELLED: a stop was
	 * requested.
	 */
	int (*run)(void *ctx, const char *what, const char *forms,
		struct apsp_err *err);
	void *ctx;
};

#endif
