/*
 * Memory of the host; see host_memory.h.
 */
#include "compute/host_memory.h"

#include <inttypes.h>
#include <stdio.h>

uint64_t apsp_host_memory_available(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	uint64_t kib, available = UINT64_MAX;
	char line[128];

	if (!file)
		return available;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "MemAvailable: %" SCNu64 " kB", &kib) == 1)
			available = kib * 1024;
	fclose(file);
	return available;
}

int apsp_host_memory_fits(
	uint64_t need, uint32_t n_vertices, struct apsp_err *err)
{
	uint64_t available = apsp_host_memory_available();

	if (need <= available)
		return 0;
	return apsp_fail(err, APSP_ELIMIT,
		"%u vertices need %.3g GB of the host's memory, which has "
		"%.3g GB left",
		n_vertices, (double)need / 1e9, (double)available / 1e9);
}
