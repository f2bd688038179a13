/*
 * The memory that all searches under way may take together, besides the arcs
 * (adjacency_cache.h has those). Each search has a share, which it sets after
 * every turn: a turn takes a few MiB at most.
 *
 * Any thread may use the memory; a share belongs to its search.
 */
#ifndef APSP_STORAGE_SEARCH_SEARCH_MEMORY_H
#define APSP_STORAGE_SEARCH_SEARCH_MEMORY_H

#include <stdatomic.h>
#include <stdint.h>

#include "daemon/base/err.h"

struct apsp_search_memory {
	uint64_t max_bytes;	/* of all searches */
	uint64_t max_one_bytes; /* of one */
	atomic_uint_least64_t n_searches;
	atomic_uint_least64_t bytes;
};

/*
 * max_bytes 0: a sixteenth of the machine's memory. One search may have half.
 * The caller ends *out with free(). APSP_ENOMEM.
 */
int apsp_search_memory_new(uint64_t max_bytes, struct apsp_search_memory **out,
	struct apsp_err *err);

/* {0} is none: it may be ended, and set to any size. */
struct apsp_search_share {
	struct apsp_search_memory *memory; /* borrowed */
	uint64_t bytes;
};

/* The caller ends *out with apsp_search_share_close(). */
void apsp_search_share_open(
	struct apsp_search_memory *memory, struct apsp_search_share *out);
void apsp_search_share_close(struct apsp_search_share *share);

/*
 * The search holds so many bytes now. APSP_ESEARCH: one search may not have so
 * many; APSP_EBUSY: the others have them.
 */
int apsp_search_share_set(
	struct apsp_search_share *share, uint64_t bytes, struct apsp_err *err);

#endif
