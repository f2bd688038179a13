/*
 * The adjacencies of the profiles that are searched at present, made on first
 * use and shared by requests (storage/search/README.md, Arcs in memory).
 *
 *	open ─► load, load, … (0) ─► arcs ─► close
 *
 * Any thread. load() does a millisecond of work at a call: call it on the pool.
 */
#ifndef APSP_STORAGE_SEARCH_ADJACENCY_CACHE_H
#define APSP_STORAGE_SEARCH_ADJACENCY_CACHE_H

#include <stdint.h>

#include "daemon/base/auto.h"
#include "daemon/base/err.h"
#include "storage/search/adjacency.h"

struct apsp_adjacency_cache;

/* One adjacency with its users, ready or under way. */
struct apsp_shared_adjacency;

/*
 * A cache that holds at most limit_bytes; 0: an eighth of the machine's memory.
 * The caller ends *out with apsp_adjacency_cache_free(). APSP_ENOMEM.
 */
int apsp_adjacency_cache_new(uint64_t limit_bytes,
	struct apsp_adjacency_cache **out, struct apsp_err *err);

/* Nobody may use an adjacency any more. Accepts NULL. */
void apsp_adjacency_cache_free(struct apsp_adjacency_cache *cache);

/*
 * Take a use of the tables' adjacency, which may have to be loaded. Those that
 * nobody uses make room, the longest unused first. The caller ends *out with
 * apsp_adjacency_cache_close(). APSP_ENOMEM: it is larger than the cache;
 * APSP_EBUSY: others are using the cache's room.
 */
int apsp_adjacency_cache_open(struct apsp_adjacency_cache *cache,
	const struct apsp_tables *tables, struct apsp_shared_adjacency **out,
	struct apsp_err *err);
void apsp_adjacency_cache_close(struct apsp_shared_adjacency *shared);
APSP_AUTO_DEFINE(apsp_adjacency_cache_end, struct apsp_shared_adjacency,
	apsp_adjacency_cache_close);

/*
 * Do a part of the loading; all who wait for one adjacency load it together.
 * tables are those of the opening. Returns 1 if there is more, else 0.
 * APSP_ENOMEM, APSP_EDAMAGED; APSP_EDATA as apsp_adjacency_begin().
 */
int apsp_adjacency_cache_load(struct apsp_shared_adjacency *shared,
	struct apsp_tables *tables, struct apsp_err *err);

/* The arcs once they are loaded, else NULL. Borrowed until the close. */
const struct apsp_adjacency *apsp_adjacency_cache_arcs(
	struct apsp_shared_adjacency *shared);

/* The bytes that are in use or kept. */
uint64_t apsp_adjacency_cache_bytes(struct apsp_adjacency_cache *cache);
/* The most bytes that it may hold. */
uint64_t apsp_adjacency_cache_limit(const struct apsp_adjacency_cache *cache);

#endif
