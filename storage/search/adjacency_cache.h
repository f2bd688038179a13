/*
 * A cache of adjacencies. An adjacency is the arcs of one profile in memory
 * (adjacency.h). It is loaded when a request first searches the profile. Later
 * requests share it (storage/search/README.md, Arcs in memory).
 *
 *	open ─► load, until it returns 0 ─► arcs ─► close
 *
 * Any thread may use the cache. Each call of load() does about a millisecond of
 * work, so call it only on threads of the work pool (api/http/work_pool.h).
 */
#ifndef APSP_STORAGE_SEARCH_ADJACENCY_CACHE_H
#define APSP_STORAGE_SEARCH_ADJACENCY_CACHE_H

#include <stdint.h>

#include "daemon/base/auto.h"
#include "daemon/base/err.h"
#include "storage/search/adjacency.h"

struct apsp_adjacency_cache;

/* One adjacency of the cache, loaded or being loaded, with the number of its
   users. */
struct apsp_shared_adjacency;

/*
 * Make a cache that holds at most limit_bytes. The caller ends *out with
 * apsp_adjacency_cache_free(). APSP_ENOMEM.
 */
int apsp_adjacency_cache_new(uint64_t limit_bytes,
	struct apsp_adjacency_cache **out, struct apsp_err *err);

/* Free the cache. No adjacency may be in use. Accepts NULL. */
void apsp_adjacency_cache_free(struct apsp_adjacency_cache *cache);

/*
 * Begin to use the adjacency of `tables`. If the adjacency is not loaded yet,
 * the caller loads it with apsp_adjacency_cache_load(). If the cache is full,
 * unused adjacencies are evicted, the longest unused first. The caller ends
 * *out with apsp_adjacency_cache_close(). APSP_ENOMEM: the adjacency is larger
 * than the cache, or memory is short. APSP_EBUSY: adjacencies that are in use
 * leave too little space in the cache.
 */
int apsp_adjacency_cache_open(struct apsp_adjacency_cache *cache,
	const struct apsp_tables *tables, struct apsp_shared_adjacency **out,
	struct apsp_err *err);
void apsp_adjacency_cache_close(struct apsp_shared_adjacency *shared);
APSP_AUTO_DEFINE(apsp_adjacency_cache_end, struct apsp_shared_adjacency,
	apsp_adjacency_cache_close);

/*
 * Do one step of loading. All requests that wait for the same adjacency call
 * this until it returns 0, so they share the work. `tables` are the tables that
 * were passed to apsp_adjacency_cache_open(). Returns 1 if there is more to do,
 * else 0. Fails as apsp_adjacency_step() does.
 */
int apsp_adjacency_cache_load(struct apsp_shared_adjacency *shared,
	struct apsp_tables *tables, struct apsp_err *err);

/* Return the arcs if they are loaded, else NULL. Borrowed until
   apsp_adjacency_cache_close(). */
const struct apsp_adjacency *apsp_adjacency_cache_arcs(
	struct apsp_shared_adjacency *shared);

/* Return the number of bytes of all adjacencies, including those without users,
   and store the cache's limit of bytes in *out_limit. */
uint64_t apsp_adjacency_cache_bytes(
	struct apsp_adjacency_cache *cache, uint64_t *out_limit);

#endif
