/*
 * `closure-order` on the device.
 */
#ifndef APSP_COMPUTE_CLOSURE_ORDER_DEVICE_H
#define APSP_COMPUTE_CLOSURE_ORDER_DEVICE_H

#include "compute/closure.h"

/*
 * The closure as closure.h says, on task->device. Nothing is left out: an OR
 * costs less there than to know that it is not needed. APSP_ELIMIT: no room;
 * APSP_ENOMEM; APSP_EDEVICE; APSP_ECANCELLED.
 */
int apsp_closure_order_device_run(const struct apsp_closure_task *task,
	struct apsp_monitor *monitor, struct apsp_bits *out,
	struct apsp_err *err);

#endif
