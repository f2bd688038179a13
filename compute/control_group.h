/*
 * The control groups (version 2) that confine this process: its own group, and
 * all groups that contain it. The limits of all these groups apply. For
 * example, systemd can limit a slice, which contains the groups of several
 * services.
 */
#ifndef APSP_COMPUTE_CONTROL_GROUP_H
#define APSP_COMPUTE_CONTROL_GROUP_H

#include <stdint.h>

/* The directory of the root group. It is the same in containers and in services
   of systemd. */
#define APSP_CONTROL_GROUP_ROOT "/sys/fs/cgroup"

enum {
	APSP_CONTROL_GROUP_SIZE =
		4096, /* largest number of bytes of a path, including its NUL */
};

/*
 * Return the least limit of a control group and of all groups that contain it.
 * `group` is the path of the group relative to the root group, for example
 * "/a/b"; NULL: the group of this process. `root` is the directory of the root
 * group. ask() gets the directory of one group and returns the limit of this
 * group. UINT64_MAX: there is no limit, or the path is too long.
 */
uint64_t apsp_control_group_least(const char *root, const char *group,
	uint64_t (*ask)(const char *directory));

#endif
