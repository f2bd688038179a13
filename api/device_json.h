/*
 * A device as clients see it.
 */
#ifndef APSP_API_DEVICE_JSON_H
#define APSP_API_DEVICE_JSON_H

#include <jansson.h>

#include "compute/worker.h"

enum {
	APSP_DEVICES_MAX = 64, /* more are not shown */
};

/*
 * With `measured` and, where that is true, the rates that plans are made with.
 * The caller owns it; NULL: no memory.
 */
json_t *apsp_device_json(
	struct apsp_worker *worker, const struct apsp_device_info *device);

#endif
