/*
 * Memory as Linux tells it; see host_room.h. Of control groups version 2 is
 * looked at, in the place where containers and services of systemd see it.
 */
#include "compute/host_room.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/auto.h"

enum {
	PATH_SIZE = 512,
	LINE_SIZE = 256,
};

static void file_close(FILE **file)
{
	if (*file)
		fclose(*file);
}

/* The number of kilobytes that follows a name in /proc/meminfo, in bytes. */
static uint64_t meminfo(const char *name)
{
	APSP_AUTO(file_close) FILE *file = fopen("/proc/meminfo", "re");
	size_t size = strlen(name);
	char line[LINE_SIZE];
	uint64_t kilobytes;

	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, name, size) == 0 &&
			sscanf(line + size, ": %" SCNu64, &kilobytes) == 1)
			return kilobytes * 1024;
	return UINT64_MAX;
}

/* The number in a file of our control group; UINT64_MAX: "max", or none. */
static uint64_t group_bytes(const char *name)
{
	APSP_AUTO(file_close) FILE *own = fopen("/proc/self/cgroup", "re");
	APSP_AUTO(file_close) FILE *file = NULL;
	char line[LINE_SIZE], path[PATH_SIZE];
	uint64_t bytes;

	while (own && fgets(line, sizeof(line), own)) {
		if (strncmp(line, "0::", 3) != 0)
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(path, sizeof(path), "/sys/fs/cgroup%s/%s", line + 3,
			name);
		file = fopen(path, "re");
		if (file && fscanf(file, "%" SCNu64, &bytes) == 1)
			return bytes;
		break;
	}
	return UINT64_MAX;
}

static uint64_t resident(void)
{
	APSP_AUTO(file_close) FILE *file = fopen("/proc/self/statm", "re");
	uint64_t pages;

	if (!file || fscanf(file, "%*u %" SCNu64, &pages) != 1)
		return 0;
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t apsp_host_room_total(void)
{
	uint64_t all = meminfo("MemTotal");
	uint64_t group = group_bytes("memory.max");

	return group < all ? group : all;
}

uint64_t apsp_host_room_now(void)
{
	uint64_t free = meminfo("MemAvailable");
	uint64_t most = group_bytes("memory.max");
	uint64_t used = group_bytes("memory.current");

	if (most != UINT64_MAX && used != UINT64_MAX) {
		uint64_t left = most > used ? most - used : 0;

		free = left < free ? left : free;
	}
	return free == UINT64_MAX ? free : free + resident();
}
