/*
 * Makes descriptions of devices for plans; see plan_facts.h.
 */
#include "compute/plan/plan_facts.h"

#include <string.h>

void apsp_plan_device_init(const struct apsp_device_info *info,
	const struct apsp_tuning *tuning, uint64_t memory_bytes,
	struct apsp_plan_device *out)
{
	/* true: the device is this machine's CPU, and the CPU's registers have
	   64 bits */
	bool wide_cpu = strcmp(info->type, "cpu") == 0 && sizeof(void *) == 8;

	*out = (struct apsp_plan_device){
		.name = info->name,
		.host_memory = apsp_device_info_on_host(info),
		.lacks_double = !info->has_double,
		.lacks_wide_atomics = !info->has_wide_atomics,
		.tears_doubles = !info->has_wide_atomics && !wide_cpu,
		.memory_bytes = memory_bytes,
		.largest_buffer_bytes = info->largest_buffer_bytes,
		.tuning = tuning,
	};
}

struct apsp_plan_device apsp_plan_no_device(void)
{
	return (struct apsp_plan_device){.name = "host",
		.tuning = apsp_tuning_find("host", false, NULL)};
}
