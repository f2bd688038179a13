/*
 * Makes plans of jobs for the chosen device; see known_devices.h.
 */
#include "compute/worker/known_devices.h"

#include <stdio.h>

#include "compute/plan/host_room.h"

int apsp_known_devices_plan(const struct apsp_known_devices *devices,
	uint64_t memory_cap, const struct apsp_workload *work,
	uint64_t disk_bytes, const char *algorithm,
	struct apsp_worker_estimate *out, struct apsp_err *err)
{
	struct apsp_plan_facts facts = {
		.work = *work,
		.disk_bytes = disk_bytes,
		.host_bytes = apsp_host_room_for_job(apsp_host_room_total()),
		.device = apsp_plan_no_device(),
		.rates = devices->rates,
		.group = devices->group,
		.pace = &devices->pace,
		.solver_waits = devices->solver_waits,
	};
	struct apsp_device_info *info = &out->device;
	int id = apsp_algorithm_find(algorithm);
	int r = devices->err.code;
	uint64_t memory;

	if (r < 0 && (id < 0 || apsp_algorithms[id].start != APSP_START_HOST)) {
		if (err)
			*err = devices->err;
		return r;
	}
	*info = (struct apsp_device_info){0};
	for (size_t i = 0; i < devices->n; i++)
		if (devices->list[i].chosen)
			*info = devices->list[i];
	if (devices->solver_waits)
		facts.held = devices->held;
	memory = apsp_device_info_memory(info, memory_cap);
	if (facts.group.beside > 0)
		facts.host_bytes /= facts.group.beside;
	if (facts.group.sharers > 0)
		memory /= facts.group.sharers;
	if (r >= 0)
		apsp_plan_device_init(info, apsp_device_info_tuning(info),
			memory, &facts.device);
	else
		snprintf(info->name, sizeof(info->name), "%s",
			facts.device.name);
	out->measured = facts.rates.measured;
	if (!facts.rates.measured)
		apsp_rates_default(facts.device.tuning->gpu, &facts.rates);
	apsp_plan_make(&facts, algorithm, &out->plan);
	return 0;
}
