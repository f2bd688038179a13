/* Reads files of /proc and /sys to find out how much memory the host has; see
   host_room.h. */
#include "compute/plan/host_room.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "compute/control_group.h"
#include "daemon/base/auto.h"

enum {
	PATH_SIZE = APSP_CONTROL_GROUP_SIZE + 32,
	LINE_SIZE = 256,
	/* Between two jobs, a solver does not return all freed memory to Linux.
	   It keeps at most 1/KEPT_SHARE of all memory, and at most KEPT_MOST
	   bytes. */
	KEPT_SHARE = 64,
	KEPT_MOST = 256 << 20,
};

/* Return the value of the line `name` in a file of /proc, converted from
   kilobytes to bytes. UINT64_MAX: there is no such line. */
static uint64_t kilobytes_after(const char *path, const char *name)
{
	APSP_AUTO(apsp_file_close) FILE *file = fopen(path, "re");
	size_t size = strlen(name);
	char line[LINE_SIZE];
	uint64_t kilobytes;

	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, name, size) == 0 &&
			sscanf(line + size, ": %" SCNu64, &kilobytes) == 1)
			return kilobytes * 1024;
	return UINT64_MAX;
}

/*
 * Read a number from a file of a control group: the number after `name` or, if
 * `name` is NULL, the first number in the file. UINT64_MAX: there is no number,
 * for example because the file says "max".
 */
static uint64_t group_number(
	const char *group, const char *file_name, const char *name)
{
	APSP_AUTO(apsp_file_close) FILE *file = NULL;
	size_t size = name ? strlen(name) : 0;
	char path[PATH_SIZE], line[LINE_SIZE];
	uint64_t number;

	if (snprintf(path, sizeof(path), "%s/%s", group, file_name) >=
		(int)sizeof(path))
		return UINT64_MAX;
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if ((!name || (strncmp(line, name, size) == 0 &&
				      line[size] == ' ')) &&
			sscanf(line + size, "%" SCNu64, &number) == 1)
			return number;
	return UINT64_MAX;
}

/* Cached pages of files are not counted, because MemAvailable and group_left()
   count them as free. Shared memory is counted, because a GPU's driver pins
   shared memory. */
uint64_t apsp_host_room_held(void)
{
	uint64_t own = kilobytes_after("/proc/self/status", "RssAnon");
	uint64_t shared = kilobytes_after("/proc/self/status", "RssShmem");

	return own == UINT64_MAX || shared == UINT64_MAX ? 0 : own + shared;
}

uint64_t apsp_host_room_kept(void)
{
	uint64_t share = apsp_host_room_total() / KEPT_SHARE;

	return share < KEPT_MOST ? share : KEPT_MOST;
}

uint64_t apsp_host_room_for_job(uint64_t bytes)
{
	uint64_t kept = apsp_host_room_kept();

	return bytes == UINT64_MAX ? bytes : bytes > kept ? bytes - kept : 0;
}

/* Return the memory limit of the control group with this directory in /sys.
   UINT64_MAX: the group has no limit. */
static uint64_t group_most(const char *directory)
{
	return group_number(directory, "memory.max", NULL);
}

/* Return how many more bytes the control group can use under its own limit,
   without regard to the limits of groups that contain it. UINT64_MAX: the group
   has no limit. */
static uint64_t group_left(const char *directory)
{
	/* These values of memory.stat count pages that the kernel can drop. The
	   value `file` is not used, because it includes shared memory, which
	   the kernel cannot drop. */
	static const char *const caches[] = {
		"inactive_file", "active_file", "slab_reclaimable"};
	uint64_t most = group_most(directory);
	uint64_t used = group_number(directory, "memory.current", NULL);

	if (most == UINT64_MAX || used == UINT64_MAX)
		return UINT64_MAX;
	for (size_t i = 0; i < sizeof(caches) / sizeof(*caches); i++) {
		uint64_t cache =
			group_number(directory, "memory.stat", caches[i]);

		if (cache != UINT64_MAX)
			used -= cache < used ? cache : used;
	}
	return most > used ? most - used : 0;
}

uint64_t apsp_host_room_group_total(const char *root, const char *group)
{
	return apsp_control_group_least(root, group, group_most);
}

uint64_t apsp_host_room_group_now(const char *root, const char *group)
{
	return apsp_control_group_least(root, group, group_left);
}

uint64_t apsp_host_room_total(void)
{
	uint64_t all = kilobytes_after("/proc/meminfo", "MemTotal");
	uint64_t most =
		apsp_host_room_group_total(APSP_CONTROL_GROUP_ROOT, NULL);

	return most < all ? most : all;
}

uint64_t apsp_host_room_now(void)
{
	uint64_t free = kilobytes_after("/proc/meminfo", "MemAvailable");
	uint64_t left = apsp_host_room_group_now(APSP_CONTROL_GROUP_ROOT, NULL);

	free = left < free ? left : free;
	return free == UINT64_MAX ? free : free + apsp_host_room_held();
}
