/*
 * Stores and copies the known devices, which one mutex protects; see
 * known_devices.h.
 */
#include "compute/worker/known_devices.h"

#include <stdio.h>
#include <string.h>

#include "compute/plan/host_room.h"

void apsp_known_devices_init(struct apsp_known_devices *devices)
{
	memset(devices, 0, sizeof(*devices));
	pthread_mutex_init(&devices->mutex, NULL);
	apsp_fail(&devices->err, APSP_ENOTREADY,
		"the devices are being looked for");
}

void apsp_known_devices_done(struct apsp_known_devices *devices)
{
	pthread_mutex_destroy(&devices->mutex);
}

void apsp_known_devices_set(struct apsp_known_devices *devices,
	const struct apsp_device_info *list, size_t n,
	const struct apsp_err *err)
{
	pthread_mutex_lock(&devices->mutex);
	devices->n = n;
	if (n > 0)
		memcpy(devices->list, list, n * sizeof(*list));
	devices->err = *err;
	pthread_mutex_unlock(&devices->mutex);
}

void apsp_known_devices_set_rates(
	struct apsp_known_devices *devices, const struct apsp_rates *rates)
{
	pthread_mutex_lock(&devices->mutex);
	devices->rates = *rates;
	/* forget the corrections, because they come from jobs that were planned
	   with other rates */
	devices->pace = (struct apsp_job_pace){.n = 0};
	pthread_mutex_unlock(&devices->mutex);
}

void apsp_known_devices_learn(
	struct apsp_known_devices *devices, const struct apsp_paced_job *job)
{
	pthread_mutex_lock(&devices->mutex);
	apsp_job_pace_add(&devices->pace, job);
	pthread_mutex_unlock(&devices->mutex);
}

void apsp_known_devices_set_waiting(struct apsp_known_devices *devices,
	bool solver_waits, const struct apsp_held_memory *held)
{
	pthread_mutex_lock(&devices->mutex);
	devices->solver_waits = solver_waits;
	devices->held = *held;
	pthread_mutex_unlock(&devices->mutex);
}

void apsp_known_devices_set_group(
	struct apsp_known_devices *devices, const struct apsp_plan_group *group)
{
	pthread_mutex_lock(&devices->mutex);
	devices->group = *group;
	pthread_mutex_unlock(&devices->mutex);
}

bool apsp_known_devices_has_group(struct apsp_known_devices *devices)
{
	bool has;

	pthread_mutex_lock(&devices->mutex);
	has = devices->group.processes > 0;
	pthread_mutex_unlock(&devices->mutex);
	return has;
}

int apsp_known_devices_copy(struct apsp_known_devices *devices,
	struct apsp_device_info *out, size_t n, struct apsp_err *err)
{
	int r;

	pthread_mutex_lock(&devices->mutex);
	r = devices->err.code;
	if (r == 0) {
		r = (int)devices->n;
		for (size_t i = 0; i < devices->n && i < n; i++)
			out[i] = devices->list[i];
	} else if (err) {
		*err = devices->err;
	}
	pthread_mutex_unlock(&devices->mutex);
	return r;
}

bool apsp_known_devices_copy_rates(
	struct apsp_known_devices *devices, struct apsp_rates *out)
{
	pthread_mutex_lock(&devices->mutex);
	*out = devices->rates;
	pthread_mutex_unlock(&devices->mutex);
	return out->measured;
}

/* Copy the device that --device selects, and the facts about it from which a
   plan is made. */
static int chosen_copy(struct apsp_known_devices *devices,
	struct apsp_device_info *out, struct apsp_plan_facts *out_facts,
	struct apsp_job_pace *out_pace, struct apsp_err *err)
{
	int r;

	pthread_mutex_lock(&devices->mutex);
	r = devices->err.code;
	if (r < 0 && err)
		*err = devices->err;
	for (size_t i = 0; i < devices->n; i++)
		if (devices->list[i].chosen)
			*out = devices->list[i];
	out_facts->rates = devices->rates;
	out_facts->group = devices->group;
	out_facts->solver_waits = devices->solver_waits;
	if (devices->solver_waits)
		out_facts->held = devices->held;
	*out_pace = devices->pace;
	pthread_mutex_unlock(&devices->mutex);
	return r;
}

int apsp_known_devices_plan(struct apsp_known_devices *devices,
	uint64_t memory_cap, const struct apsp_workload *work,
	uint64_t disk_bytes, const char *algorithm,
	struct apsp_device_info *out_device, bool *out_measured,
	struct apsp_plan *out, struct apsp_err *err)
{
	struct apsp_plan_facts facts = {
		.work = *work,
		.disk_bytes = disk_bytes,
		.host_bytes = apsp_host_room_for_job(apsp_host_room_total()),
		.device = apsp_plan_no_device(),
	};
	struct apsp_device_info info = {0};
	int id = apsp_algorithm_find(algorithm);
	struct apsp_job_pace pace;
	uint64_t memory;
	int r = chosen_copy(devices, &info, &facts, &pace, err);

	if (r < 0 && (id < 0 || apsp_algorithms[id].start != APSP_START_HOST))
		return r;
	memory = apsp_device_info_memory(&info, memory_cap);
	if (facts.group.beside > 0)
		facts.host_bytes /= facts.group.beside;
	if (facts.group.sharers > 0)
		memory /= facts.group.sharers;
	if (r >= 0)
		apsp_plan_device_init(&info, apsp_device_info_tuning(&info),
			memory, &facts.device);
	else
		snprintf(info.name, sizeof(info.name), "%s", facts.device.name);
	*out_measured = facts.rates.measured;
	if (!facts.rates.measured)
		apsp_rates_default(facts.device.tuning->gpu, &facts.rates);
	facts.pace = &pace;
	apsp_plan_make(&facts, algorithm, out);
	*out_device = info;
	return 0;
}
