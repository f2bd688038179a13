/*
 * The bound of a loop that continues while the device reports a change. For
 * each such loop there is a proof of how many rounds can change a value
 * (compute/distance/README.md, Every loop ends). A device whose memory keeps an
 * old value reports changes for ever. Without the bound, the loop would never
 * end: each round is reported as progress, so the rule that ends a silent
 * solver would not end it.
 */
#ifndef APSP_COMPUTE_DEVICE_ROUND_BOUND_H
#define APSP_COMPUTE_DEVICE_ROUND_BOUND_H

#include <stdint.h>

#include "compute/device/device.h"
#include "daemon/base/err.h"

/*
 * Check the rounds of the loop `what`. `changed` is the last round in which the
 * device reported a change; `last` is the last round in which a value can
 * change. APSP_EPROOF: `changed` is greater than `last`.
 */
int apsp_round_bound_check(const struct apsp_device *device, const char *what,
	uint64_t changed, uint64_t last, struct apsp_err *err);

#endif
