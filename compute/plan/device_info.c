/*
 * Descriptions as text; see device_info.h.
 */
#include "compute/plan/device_info.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

uint64_t apsp_device_info_memory(
	const struct apsp_device_info *info, uint64_t cap)
{
	return cap > 0 && cap < info->memory_bytes ? cap : info->memory_bytes;
}

bool apsp_device_info_on_host(const struct apsp_device_info *info)
{
	return strcmp(info->type, "cpu") == 0;
}

const struct apsp_tuning *apsp_device_info_tuning(
	const struct apsp_device_info *info)
{
	return apsp_tuning_pick(
		info->name, strcmp(info->type, "gpu") == 0, &info->limits);
}

static size_t name_add(char *out, size_t used, const char *name)
{
	out[used++] = '\t';
	for (; *name; name++)
		out[used++] = (unsigned char)*name < ' ' ? ' ' : *name;
	return used;
}

void apsp_device_info_format(const struct apsp_device_info *info,
	char out[APSP_DEVICE_INFO_TEXT_SIZE])
{
	size_t used = (size_t)snprintf(out, APSP_DEVICE_INFO_TEXT_SIZE,
		"%s %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		" %d %d %d",
		info->type, info->compute_units, info->memory_bytes,
		info->largest_buffer_bytes, info->limits.group_items,
		info->limits.local_bytes, info->has_double,
		info->has_wide_atomics, info->chosen);

	used = name_add(out, used, info->name);
	used = name_add(out, used, info->platform);
	used = name_add(out, used, info->version);
	out[used] = '\0';
}

/* Take "\tname" off *text. False: no tab, or the name is too long. */
static bool name_take(const char **text, char out[APSP_DEVICE_NAME_SIZE])
{
	size_t size;

	if (**text != '\t')
		return false;
	size = strcspn(++*text, "\t");
	if (size >= APSP_DEVICE_NAME_SIZE)
		return false;
	memcpy(out, *text, size);
	out[size] = '\0';
	*text += size;
	return true;
}

bool apsp_device_info_parse(const char *text, struct apsp_device_info *out)
{
	struct apsp_device_info info = {0};
	int chosen, doubles, atomics, at = 0;

	if (sscanf(text,
		    "%7[a-z] %" SCNu32 " %" SCNu64 " %" SCNu64 " %" SCNu64
		    " %" SCNu64 " %d %d %d%n",
		    info.type, &info.compute_units, &info.memory_bytes,
		    &info.largest_buffer_bytes, &info.limits.group_items,
		    &info.limits.local_bytes, &doubles, &atomics, &chosen,
		    &at) != 9)
		return false;
	info.has_double = doubles != 0;
	info.has_wide_atomics = atomics != 0;
	info.chosen = chosen != 0;
	text += at;
	if (!name_take(&text, info.name) || !name_take(&text, info.platform) ||
		!name_take(&text, info.version) || *text)
		return false;
	*out = info;
	return true;
}
