/*
 * A device as JSON.
 */
#ifndef APSP_API_SERVICE_DEVICE_JSON_H
#define APSP_API_SERVICE_DEVICE_JSON_H

#include <jansson.h>

#include "compute/worker/worker.h"

enum {
	APSP_DEVICES_MAX = 64, /* more are not shown */
};

/*
 * The device. Once the rates of the chosen device are measured, "measured" is
 * true, and "rates" has the rates of which plans are made. The caller owns the
 * result; NULL: no memory.
 */
json_t *apsp_device_json(
	struct apsp_worker *worker, const struct apsp_device_info *device);

#endif
