/*
 * What follows from what a device tells; see device_info.h.
 */
#include "compute/device_info.h"

#include <string.h>

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
