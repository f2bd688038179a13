/*
 * Shares of the memory of searches; see search_memory.h.
 */
#include "storage/search/search_memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/size.h"

enum {
	SHARE = 16, /* of the machine's memory, where nobody says a limit */
};

int apsp_search_memory_new(uint64_t max_bytes, struct apsp_search_memory **out,
	struct apsp_err *err)
{
	struct apsp_search_memory *memory = calloc(1, sizeof(*memory));
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	if (!memory)
		return apsp_fail(err, APSP_ENOMEM, "no memory for searches");
	if (max_bytes == 0)
		max_bytes = pages > 0 && size > 0
				    ? (uint64_t)pages * (uint64_t)size / SHARE
				    : UINT64_C(1) << 28;
	memory->max_bytes = max_bytes;
	memory->max_one_bytes = max_bytes / 2;
	atomic_init(&memory->n_searches, 0);
	atomic_init(&memory->bytes, 0);
	*out = memory;
	return 0;
}

void apsp_search_share_open(
	struct apsp_search_memory *memory, struct apsp_search_share *out)
{
	atomic_fetch_add(&memory->n_searches, 1);
	*out = (struct apsp_search_share){.memory = memory};
}

void apsp_search_share_close(struct apsp_search_share *share)
{
	if (!share->memory)
		return;
	atomic_fetch_sub(&share->memory->bytes, share->bytes);
	atomic_fetch_sub(&share->memory->n_searches, 1);
	memset(share, 0, sizeof(*share));
}

int apsp_search_share_set(
	struct apsp_search_share *share, uint64_t bytes, struct apsp_err *err)
{
	struct apsp_search_memory *memory = share->memory;
	char size[APSP_SIZE_TEXT_SIZE], limit[APSP_SIZE_TEXT_SIZE];
	uint64_t more = bytes - share->bytes;

	if (!memory || bytes == share->bytes)
		return 0;
	if (bytes > memory->max_one_bytes) {
		apsp_sizes_format(bytes, memory->max_one_bytes, size, limit);
		return apsp_fail(err, APSP_ESEARCH,
			"the search takes %s of memory, and may have %s; ask"
			" for less",
			size, limit);
	}
	/* fewer bytes wrap around, and so does the sum */
	if (atomic_fetch_add(&memory->bytes, more) + more > memory->max_bytes &&
		bytes > share->bytes) {
		atomic_fetch_sub(&memory->bytes, more);
		apsp_sizes_format(more, memory->max_bytes, size, limit);
		return apsp_fail(err, APSP_EBUSY,
			"the search needs %s more of memory, and other"
			" searches have too much of %s",
			size, limit);
	}
	share->bytes = bytes;
	return 0;
}
