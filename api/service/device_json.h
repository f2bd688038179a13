/*
 * A device as JSON.
 */
#ifndef APSP_API_SERVICE_DEVICE_JSON_H
#define APSP_API_SERVICE_DEVICE_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "compute/worker/worker.h"

enum {
	APSP_DEVICES_MAX = 64, /* largest number of devices that answers show */
};

/*
 * Copy the facts of the device on which jobs are computed. False: no device is
 * chosen yet, or there is no memory.
 */
bool apsp_device_chosen(
	struct apsp_worker *worker, struct apsp_device_info *out);

/*
 * Returns a device as JSON. If the device is the chosen one and its speed has
 * been measured, "measured" is true, and "rates" has the measured rates, from
 * which plans are computed. Otherwise, "measured" is false, and "rates" is
 * null. The caller owns the result; NULL: no memory.
 */
json_t *apsp_device_json(
	struct apsp_worker *worker, const struct apsp_device_info *device);

#endif
