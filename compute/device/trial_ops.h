/*
 * How a kernel's fast form is tried in a process of its own (form_trial.h), by
 * who opens the device and may start processes.
 */
#ifndef APSP_COMPUTE_DEVICE_TRIAL_OPS_H
#define APSP_COMPUTE_DEVICE_TRIAL_OPS_H

#include "daemon/base/err.h"

enum {
	APSP_TRIAL_SIZE = 256, /* of what is tried, with its NUL */
};

struct apsp_trial_ops {
	/*
	 * Do what `what` says in a process of its own, with the fast forms
	 * that `forms` names: "all", "none", or the name of one
	 * (kernel_form.h). APSP_EDEVICE: it fails, and err says how
	 * ("crashes"); APSP_EBUSY: it was not to be tried now; APSP_ELIMIT: the
	 * device lets no second process in; APSP_ECANCELLED: a stop is asked
	 * for.
	 */
	int (*run)(void *ctx, const char *what, const char *forms,
		struct apsp_err *err);
	void *ctx;
};

#endif
