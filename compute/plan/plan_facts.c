/*
 * Makes descriptions of devices and of groups for plans; see plan_facts.h.
 */
#include "compute/plan/plan_facts.h"

#include <assert.h>

#include "compute/plan/tuning.h"
#include "compute/source_block.h"
#include "daemon/base/fields.h"

void apsp_plan_device_init(const struct apsp_device_info *info,
	const struct apsp_tuning *tuning, uint64_t memory_bytes,
	struct apsp_plan_device *out)
{
	bool on_host = apsp_device_info_on_host(info);
	/* true: the device is this machine's CPU, and the CPU's registers have
	   64 bits */
	bool wide_cpu = on_host && sizeof(void *) == 8;

	*out = (struct apsp_plan_device){
		.name = info->name,
		.host_memory = on_host,
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

#define FIELD(member) APSP_MEMBER(struct apsp_plan_group, member, #member, U32)

static const struct apsp_member group_fields[] = {
	FIELD(processes),
	FIELD(beside),
	FIELD(devices),
	FIELD(sharers),
	FIELD(hosts),
};

enum {
	N_GROUP_FIELDS = sizeof(group_fields) / sizeof(*group_fields),
};

void apsp_plan_group_format(
	const struct apsp_plan_group *group, char out[APSP_PLAN_GROUP_SIZE])
{
	out[0] = '\0';
	apsp_fields_write(
		out, APSP_PLAN_GROUP_SIZE, group_fields, N_GROUP_FIELDS, group);
}

void apsp_plan_group_parse(const char *text, struct apsp_plan_group *out)
{
	*out = (struct apsp_plan_group){0};
	apsp_fields_read(text, group_fields, N_GROUP_FIELDS, out);
}

uint32_t apsp_plan_part_unit(uint32_t n_vertices)
{
	static_assert(2 * APSP_SOURCE_BLOCK_ROWS % APSP_TILE == 0,
		"two source blocks have whole tiles");
	return 2 * apsp_source_block_rows(n_vertices);
}

uint32_t apsp_plan_part_rows(uint32_t n_vertices, uint32_t processes)
{
	uint32_t unit = apsp_plan_part_unit(n_vertices);
	uint32_t units = (n_vertices + unit - 1) / unit;

	if (processes <= 1 || units < processes)
		return n_vertices;
	return (units + processes - 1) / processes * unit;
}
