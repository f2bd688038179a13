/* GET /v1/devices: the OpenCL devices. The member `chosen` is true for the
   device on which jobs are computed. */
#include <stdlib.h>

#include "api/handlers.h"
#include "api/http/reply.h"
#include "api/service/device_json.h"
#include "daemon/base/auto.h"

int apsp_api_list_devices(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) struct apsp_device_info *devices = NULL;
	struct apsp_worker *worker = req->config->worker;
	json_t *list;
	int n;

	devices = calloc(APSP_DEVICES_MAX, sizeof(*devices));
	if (!devices)
		return apsp_fail(err, APSP_ENOMEM, "no memory");
	n = apsp_worker_devices(worker, devices, APSP_DEVICES_MAX, err);
	if (n < 0)
		return n;
	list = json_array();
	for (int i = 0; i < n && i < APSP_DEVICES_MAX; i++)
		json_array_append_new(
			list, apsp_device_json(worker, &devices[i]));
	return apsp_reply_json(
		req, MHD_HTTP_OK, json_pack("{s:o}", "devices", list), err);
}
