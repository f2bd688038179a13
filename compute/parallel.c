/*
 * A loop over the host's processors; see parallel.h.
 */
#include "compute/parallel.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "compute/thread_pool.h"

enum {
	PATH_SIZE = 512,
	LINE_SIZE = 256,
};

/* What the group of one directory says. */
static unsigned int group_quota(const char *dir)
{
	unsigned long long quota, period;
	char path[PATH_SIZE], line[LINE_SIZE];
	FILE *file = NULL;
	bool told;

	if (snprintf(path, sizeof(path), "%s/cpu.max", dir) < (int)sizeof(path))
		file = fopen(path, "re");
	told = file && fgets(line, sizeof(line), file);
	if (file)
		fclose(file);
	/* "max 100000" is no limit */
	if (!told || sscanf(line, "%llu %llu", &quota, &period) != 2 ||
		quota == 0 || period == 0 ||
		(quota - 1) / period >= APSP_PARALLEL_MAX)
		return APSP_PARALLEL_MAX;
	return (unsigned int)((quota - 1) / period) + 1;
}

unsigned int apsp_parallel_quota(const char *root, const char *group)
{
	unsigned int least = APSP_PARALLEL_MAX;
	char dir[PATH_SIZE];

	if (snprintf(dir, sizeof(dir), "%s%s", root, group) >= (int)sizeof(dir))
		return least;
	while (strlen(dir) >= strlen(root)) {
		unsigned int quota = group_quota(dir);
		char *last = strrchr(dir, '/');

		least = quota < least ? quota : least;
		if (!last)
			break;
		*last = '\0';
	}
	return least;
}

static unsigned int quota_find(void)
{
	FILE *own = fopen("/proc/self/cgroup", "re");
	char line[LINE_SIZE];
	unsigned int quota = APSP_PARALLEL_MAX;

	while (own && fgets(line, sizeof(line), own)) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "0::", 3) == 0)
			quota = apsp_parallel_quota("/sys/fs/cgroup", line + 3);
	}
	if (own)
		fclose(own);
	return quota;
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
