/*
 * Finds the control group of this process, and the least limit of this group
 * and of the groups that contain it; see control_group.h.
 */
#include "compute/control_group.h"

#include <stdio.h>
#include <string.h>

#include "daemon/base/auto.h"

/* Store the path of this process's group, relative to the root group. If the
   group is not known, store "". */
static void own_group(char out_group[APSP_CONTROL_GROUP_SIZE])
{
	APSP_AUTO(apsp_file_close) FILE *own = fopen("/proc/self/cgroup", "re");
	char line[APSP_CONTROL_GROUP_SIZE];

	out_group[0] = '\0';
	while (own && fgets(line, sizeof(line), own)) {
		/* a line "0::PATH" names the group of version 2; all other
		   lines name groups of version 1 */
		if (strncmp(line, "0::", 3) != 0)
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(out_group, APSP_CONTROL_GROUP_SIZE, "%s", line + 3);
	}
}

uint64_t apsp_control_group_least(const char *root, const char *group,
	uint64_t (*ask)(const char *directory))
{
	char directory[APSP_CONTROL_GROUP_SIZE], own[APSP_CONTROL_GROUP_SIZE];
	uint64_t least = UINT64_MAX;

	if (!group) {
		own_group(own);
		group = own;
	}
	if (snprintf(directory, sizeof(directory), "%s%s", root, group) >=
		(int)sizeof(directory))
		return UINT64_MAX;
	while (strlen(directory) >= strlen(root)) {
		uint64_t figure = ask(directory);
		char *last = strrchr(directory, '/');

		least = figure < least ? figure : least;
		if (!last)
			break;
		*last = '\0';
	}
	return least;
}
