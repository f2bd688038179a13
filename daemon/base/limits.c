/*
 * The default limits, and the size of the machine's memory; see limits.h. Some
 * limits are a fraction of this size.
 */
#include "daemon/base/limits.h"

#include <unistd.h>

const struct apsp_limits apsp_default_limits = {
#define LIMIT(type, member, name, value) .member = (value),
#include "daemon/base/limits.def"
};

uint64_t apsp_limits_memory(uint32_t part)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	/* if the size is unknown, we assume a small machine */
	uint64_t bytes = UINT64_C(8) << 30;

	if (pages > 0 && size > 0)
		bytes = (uint64_t)pages * (uint64_t)size;
	return bytes / part;
}
