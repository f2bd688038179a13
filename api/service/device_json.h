/*
 * A device as clients see it.
 */
#ifndef APSP_API_SERVICE_DEVICE_JSON_H
#define APSP_API_SERVICE_DEVICE_JSON_H

#include <jansson.h>

#include "compute/worker/worker.h"

enum {
	APSP_DEVICES_MAX = 64, /* more are not shown */
};

/*
 * The device with "measured": true and the "rates" that plans are made with,
 * once the rates of the chosen device are measured. The caller owns
 * the result; NULL: no memory.
 */
json_t *apsp_device_json(
	struct apsp_worker *worker, const struct apsp_device_info *device);

#endif
