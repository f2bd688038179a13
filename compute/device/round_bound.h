/*
 * The bound of a loop that goes on while the device reports a change. Each such
 * loop has a proof of how many rounds can change anything
 * (compute/distance/README.md, Every loop ends). A device whose memory keeps an
 * old value reports changes for ever, and such a loop also reports progress for
 * ever, so no limit on silence ends it.
 */
#ifndef APSP_COMPUTE_DEVICE_ROUND_BOUND_H
#define APSP_COMPUTE_DEVICE_ROUND_BOUND_H

#include <stdint.h>

#include "compute/device/device.h"
#include "daemon/base/err.h"

/*
 * Accept that the device reports `changed` as the last round of `what` that
 * changed a value; no round after `last` can. APSP_EPROOF: it is later.
 */
int apsp_round_bound_check(const struct apsp_device *device, const char *what,
	uint64_t changed, uint64_t last, struct apsp_err *err);

#endif
