/*
 * The control groups (version 2) that confine this process: its own, and each
 * group in which that lies. A limit of any of them holds for all within, and
 * systemd sets limits on outer ones (slices).
 */
#ifndef APSP_COMPUTE_CONTROL_GROUP_H
#define APSP_COMPUTE_CONTROL_GROUP_H

#include <stdint.h>

/* Where containers and services of systemd have the directories of groups. */
#define APSP_CONTROL_GROUP_ROOT "/sys/fs/cgroup"

enum {
	APSP_CONTROL_GROUP_SIZE = 4096, /* of a path, with its end */
};

/*
 * Store this process's group, as a path from the root of all groups: "/a/b";
 * "": it is not told.
 */
void apsp_control_group_own(char out_group[APSP_CONTROL_GROUP_SIZE]);

/*
 * Return the least figure that ask() finds in the directory of a group: in that
 * of `group`, a path as above, and in those around it up to `root`. UINT64_MAX
 * stands for no limit, also where the path is too long.
 */
uint64_t apsp_control_group_least(const char *root, const char *group,
	uint64_t (*ask)(const char *directory));

#endif
