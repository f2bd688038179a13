/*
 * Facts about a device, and their conversion to text and back; see
 * device_info.h.
 */
#include "compute/plan/device_info.h"

#include <stdio.h>
#include <string.h>

#include "daemon/base/fields.h"

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
	return apsp_tuning_find(
		info->name, strcmp(info->type, "gpu") == 0, &info->limits);
}

int apsp_device_info_refuse(const char *wanted,
	const struct apsp_device_info *devices, size_t n, struct apsp_err *err)
{
	char names[APSP_MESSAGE_SIZE / 2] = "";
	size_t used = 0;

	if (n == 0)
		return apsp_fail(
			err, APSP_EDEVICE, "there is no OpenCL device");
	for (size_t i = 0; i < n && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used,
			"%s'%s'", i > 0 ? ", " : "", devices[i].name);
	return apsp_fail(err, APSP_EDEVICE,
		"no OpenCL device fits '%s'; there is %s", wanted, names);
}

#define FIELD(member, name, kind)                                              \
	APSP_MEMBER(struct apsp_device_info, member, name, kind)

static const struct apsp_member fields[] = {
	FIELD(type, "type", TEXT),
	FIELD(name, "name", TEXT),
	FIELD(platform, "platform", TEXT),
	FIELD(version, "version", TEXT),
	FIELD(compute_units, "units", U32),
	FIELD(memory_bytes, "memory", U64),
	FIELD(largest_buffer_bytes, "largest_buffer", U64),
	FIELD(limits.group_items, "group_items", U64),
	FIELD(limits.local_bytes, "local", U64),
	FIELD(has_double, "double", FLAG),
	FIELD(has_wide_atomics, "wide_atomics", FLAG),
	FIELD(chosen, "chosen", FLAG),
};

enum {
	N_FIELDS = sizeof(fields) / sizeof(*fields),
};

void apsp_device_info_format(const struct apsp_device_info *info,
	char out[APSP_DEVICE_INFO_TEXT_SIZE])
{
	out[0] = '\0';
	apsp_fields_write(
		out, APSP_DEVICE_INFO_TEXT_SIZE, fields, N_FIELDS, info);
}

bool apsp_device_info_parse(const char *text, struct apsp_device_info *out)
{
	struct apsp_device_info info = {0};

	if (apsp_fields_read(text, fields, N_FIELDS, &info) != N_FIELDS)
		return false;
	*out = info;
	return true;
}
