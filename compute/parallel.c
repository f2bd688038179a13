/*
 * A loop over the host's processors; see parallel.h.
 */
#include "compute/parallel.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "compute/control_group.h"
#include "compute/thread_pool.h"

enum {
	PATH_SIZE = APSP_CONTROL_GROUP_SIZE + 16,
	LINE_SIZE = 256,
};

/* Processors by the time that the group of one directory may take. */
static uint64_t group_quota(const char *directory)
{
	unsigned long long quota, period;
	char path[PATH_SIZE], line[LINE_SIZE];
	FILE *file = NULL;
	bool told;

	if (snprintf(path, sizeof(path), "%s/cpu.max", directory) <
		(int)sizeof(path))
		file = fopen(path, "re");
	told = file && fgets(line, sizeof(line), file);
	if (file)
		fclose(file);
	/* "max 100000" is no limit */
	if (!told || sscanf(line, "%llu %llu", &quota, &period) != 2 ||
		quota == 0 || period == 0)
		return UINT64_MAX;
	return (quota - 1) / period + 1;
}

unsigned int apsp_parallel_quota(const char *root, const char *group)
{
	uint64_t least = apsp_control_group_least(root, group, group_quota);

	return least < APSP_PARALLEL_MAX ? (unsigned int)least
					 : APSP_PARALLEL_MAX;
}

static unsigned int quota_find(void)
{
	char group[APSP_CONTROL_GROUP_SIZE];

	apsp_control_group_own(group);
	return apsp_parallel_quota(APSP_CONTROL_GROUP_ROOT, group);
}

unsigned int apsp_parallel_width(void)
{
	static atomic_uint quota; /* 0: not asked yet */
	unsigned int most = atomic_load(&quota);
	cpu_set_t set;
	int n;

	if (most == 0) {
		most = quota_find();
		atomic_store(&quota, most);
	}
	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return 1;
	n = CPU_COUNT(&set);
	return n < 1 ? 1 : (unsigned int)n > most ? most : (unsigned int)n;
}

void apsp_parallel_for(size_t n, unsigned int width,
	void (*body)(void *ctx, unsigned int thread, size_t i), void *ctx)
{
	apsp_thread_pool_for(n,
		width < APSP_PARALLEL_MAX ? width : APSP_PARALLEL_MAX, body,
		ctx);
}
