/*
 * The table of algorithms.
 */
#include "compute/algorithm.h"

#include <stddef.h>
#include <string.h>

/* The first is the default. */
static const struct apsp_algorithm algorithms[] = {
	{"blocked-fw", apsp_blocked_fw_run},
	{"fw", apsp_fw_run},
	{"reference", NULL},
};

const struct apsp_algorithm *apsp_algorithm_find(const char *name)
{
	if (!name[0] || strncmp(name, "closure-", 8) == 0)
		return &algorithms[0];
	for (size_t i = 0; i < sizeof(algorithms) / sizeof(*algorithms); i++)
		if (strcmp(algorithms[i].name, name) == 0)
			return &algorithms[i];
	return NULL;
}
