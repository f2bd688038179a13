/*
 * The control groups (version 2) that confine this process: its own group, and
 * all groups that contain it. The limits of all of them apply; systemd sets
 * limits on outer groups (slices), too.
 */
#ifndef APSP_COMPUTE_CONTROL_GROUP_H
#define APSP_COMPUTE_CONTROL_GROUP_H

#include <stdint.h>

/* The directory of the root group, as containers and services of systemd see
   it. */
#define APSP_CONTROL_GROUP_ROOT "/sys/fs/cgroup"

enum {
	APSP_CONTROL_GROUP_SIZE = 4096, /* bytes of a path with its NUL */
};

/*
 * Store the path of this process's group, seen from the root group, such as
 * "/a/b"; store "" if the group is not known.
 */
void apsp_control_group_own(char out_group[APSP_CONTROL_GROUP_SIZE]);

/*
 * Call ask() for the directory of `group` (a path that apsp_control_group_own()
 * has stored) below `root`, and for each of its parent directories up to
 * `root`. Return the least result. UINT64_MAX means no limit; it is also
 * returned if the path is too long.
 */
uint64_t apsp_control_group_least(const char *root, const char *group,
	uint64_t (*ask)(const char *directory));

#endif
