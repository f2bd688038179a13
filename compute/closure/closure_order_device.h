/*
 * `closure-order` on the device.
 */
#ifndef APSP_COMPUTE_CLOSURE_CLOSURE_ORDER_DEVICE_H
#define APSP_COMPUTE_CLOSURE_CLOSURE_ORDER_DEVICE_H

#include <stdbool.h>

#include "compute/closure/closure_algorithm.h"

/*
 * The run of struct apsp_closure_algorithm, on task->device. A row takes the OR
 * of all its successors: testing which are needed would cost more there.
 * APSP_ELIMIT: no room; APSP_ENOMEM; APSP_EDEVICE; APSP_ECANCELLED.
 */
int apsp_closure_order_device_run(const struct apsp_closure_task *task,
	struct apsp_progress *progress, struct apsp_bits *out,
	struct apsp_err *err);

/*
 * Whether `closure-order` works on the device: there is one with room, which is
 * faster for so much work (tuning->bits.host_words).
 */
bool apsp_closure_order_on_device(const struct apsp_closure_task *task);

#endif
