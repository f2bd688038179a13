/*
 * A device as JSON; see device_json.h.
 */
#include "api/service/device_json.h"

#include <stdlib.h>

#include "daemon/base/auto.h"

bool apsp_device_chosen(
	struct apsp_worker *worker, struct apsp_device_info *out)
{
	APSP_AUTO(apsp_free)
	struct apsp_device_info *devices =
		calloc(APSP_DEVICES_MAX, sizeof(*devices));
	int n = devices ? apsp_worker_devices(
				  worker, devices, APSP_DEVICES_MAX, NULL)
			: 0;

	for (int i = 0; i < n && i < APSP_DEVICES_MAX; i++) {
		if (!devices[i].chosen)
			continue;
		*out = devices[i];
		return true;
	}
	return false;
}

static json_t *rates_json(const struct apsp_rates *rates)
{
	json_t *algorithms = json_object();

	for (int i = 0; i < APSP_RATE_ROWS; i++) {
		const char *name = apsp_rates_name(i);
		json_t *elements = json_object();

		for (int e = 0; name && e < APSP_RATE_ELEMENTS; e++)
			json_object_set_new(elements,
				apsp_element_name(apsp_rates_element(e)),
				json_pack("{s:f, s:f}", "operation_s",
					rates->rows[i][e].operation_s, "step_s",
					rates->rows[i][e].step_s));
		if (name)
			json_object_set(algorithms, name, elements);
		json_decref(elements);
	}
	return json_pack("{s:o, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}",
		"algorithms", algorithms, "arc_s", rates->arc_s, "near_s",
		rates->near_s, "pair_s", rates->pair_s, "sum_s", rates->sum_s,
		"tail_s", rates->tail_s, "start_s", rates->start_s,
		"read_arc_s", rates->read_arc_s, "process_bytes",
		rates->process_bytes);
}

json_t *apsp_device_json(
	struct apsp_worker *worker, const struct apsp_device_info *device)
{
	struct apsp_rates rates;
	bool measured = device->chosen && apsp_worker_rates(worker, &rates);

	return json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:i, s:b, s:b, s:o}",
		"name", device->name, "platform", device->platform, "version",
		device->version, "type", device->type, "memory_bytes",
		(json_int_t)device->memory_bytes, "largest_buffer_bytes",
		(json_int_t)device->largest_buffer_bytes, "compute_units",
		(int)device->compute_units, "chosen", (int)device->chosen,
		"measured", (int)measured, "rates",
		measured ? rates_json(&rates) : json_null());
}
