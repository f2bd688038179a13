/*
 * Limits the rounds of a loop that continues as long as the device reports a
 * change in each round. For each such loop, it is known after how many rounds
 * no value can change (compute/distance/README.md, Every loop ends). But a
 * device whose memory is defective and keeps an old value reports a change in
 * every round, so the loop would never end. The worker, which watches the
 * solver, would not end it: the worker ends only a solver that reports no
 * progress, and this loop reports each round.
 */
#ifndef APSP_COMPUTE_DEVICE_ROUND_BOUND_H
#define APSP_COMPUTE_DEVICE_ROUND_BOUND_H

#include <stdint.h>

#include "compute/device/device.h"
#include "daemon/base/err.h"

/* Check how many rounds a loop has run. `what` names the loop in the error
   message. `changed` is the last round in which the device reported a change;
   `last` is the last round in which a value can change. APSP_EPROOF: `changed`
   is greater than `last`. */
int apsp_round_bound_check(const struct apsp_device *device, const char *what,
	uint64_t changed, uint64_t last, struct apsp_err *err);

#endif
