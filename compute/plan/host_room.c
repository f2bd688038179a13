/*
 * Memory as Linux tells it; see host_room.h. Control groups are version 2,
 * mounted at /sys/fs/cgroup as in containers and services of systemd.
 */
#include "compute/plan/host_room.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/auto.h"

enum {
	PATH_SIZE = 512,
	LINE_SIZE = 256,
};

/* The number of kilobytes that follows a name in a file of /proc, in bytes. */
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

/* The number that a file of a control group holds, after `name ` where that is
   not NULL; UINT64_MAX: "max", or none. */
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

/* The directory of our control group; "": there is none. */
static void group_find(char out[PATH_SIZE])
{
	APSP_AUTO(apsp_file_close) FILE *own = fopen("/proc/self/cgroup", "re");
	char line[LINE_SIZE];

	out[0] = '\0';
	while (own && fgets(line, sizeof(line), own)) {
		if (strncmp(line, "0::", 3) != 0)
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(out, PATH_SIZE, "/sys/fs/cgroup%s", line + 3);
	}
}

/* What we hold of files is cache, which MemAvailable and apsp_host_room_group()
   count as free already. Shared memory is none: a GPU's driver pins such. */
uint64_t apsp_host_room_held(void)
{
	uint64_t own = kilobytes_after("/proc/self/status", "RssAnon");
	uint64_t shared = kilobytes_after("/proc/self/status", "RssShmem");

	return own == UINT64_MAX || shared == UINT64_MAX ? 0 : own + shared;
}

uint64_t apsp_host_room_group(const char *group)
{
	/* not `file`: shared memory is in it, which nobody can drop */
	static const char *const caches[] = {
		"inactive_file", "active_file", "slab_reclaimable"};
	uint64_t most = group_number(group, "memory.max", NULL);
	uint64_t used = group_number(group, "memory.current", NULL);

	if (most == UINT64_MAX || used == UINT64_MAX)
		return UINT64_MAX;
	for (size_t i = 0; i < sizeof(caches) / sizeof(*caches); i++) {
		uint64_t cache = group_number(group, "memory.stat", caches[i]);

		if (cache != UINT64_MAX)
			used -= cache < used ? cache : used;
	}
	return most > used ? most - used : 0;
}

uint64_t apsp_host_room_total(void)
{
	uint64_t all = kilobytes_after("/proc/meminfo", "MemTotal"), most;
	char group[PATH_SIZE];

	group_find(group);
	most = group_number(group, "memory.max", NULL);
	return most < all ? most : all;
}

uint64_t apsp_host_room_now(void)
{
	uint64_t free = kilobytes_after("/proc/meminfo", "MemAvailable"), left;
	char group[PATH_SIZE];

	group_find(group);
	left = apsp_host_room_group(group);
	free = left < free ? left : free;
	return free == UINT64_MAX ? free : free + apsp_host_room_held();
}
