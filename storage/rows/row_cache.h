/*
 * Keeps in memory the rows of graphs without tables. A row has the values of
 * one kind (enum apsp_demand) for one vertex. It is wanted, being computed, or
 * ready. If several requests want a row, it is computed only once. If there is
 * too little memory, the least recently used rows are evicted. Any thread may
 * call these functions, and none of them blocks.
 *
 *	request: hold ─▸ 0: wanted … hold ─▸ 1: all are ready ─▸ read ─▸ close
 *	worker:  take ─▸ compute ─▸ give
 */
#ifndef APSP_STORAGE_ROWS_ROW_CACHE_H
#define APSP_STORAGE_ROWS_ROW_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/auto.h"
#include "daemon/base/err.h"
#include "daemon/job/row_batch.h"
#include "storage/tables/tables.h"

struct apsp_holder;
struct apsp_row_cache;

/* The rows of one struct apsp_tables that a request needs. Held rows are not
   evicted. */
struct apsp_row_hold;

struct apsp_row_cache_config {
	uint64_t limit_bytes; /* largest number of bytes of all rows */
	uint32_t max_wanted;  /* largest number of rows that are wanted or being
				 computed at one time */
	/* Called after a row has been added to the wanted rows, and after
	   tables that had rows in the cache have been closed. The cache's lock
	   is not held during the call. May be NULL. */
	void (*changed)(void *ctx);
	void *ctx;
};

/* Make an empty cache. The caller frees *out with apsp_row_cache_free(). Before
   that call, all holds must be closed, no row may be being computed, and all
   tables that had rows in the cache must be closed. APSP_ENOMEM. */
int apsp_row_cache_new(const struct apsp_row_cache_config *config,
	struct apsp_row_cache **out, struct apsp_err *err);
void apsp_row_cache_free(struct apsp_row_cache *cache); /* accepts NULL */

/*
 * Hold rows: keep them in memory for a request. The rows are the rows of one
 * kind for n vertices; if `vertices` is NULL, for the first n vertices. At the
 * first call, *hold is NULL. Returns 1 if all rows are ready; they can then be
 * read until the hold is closed. Returns 0 if some rows are not ready; then
 * call again later with the same arguments. A call for another kind keeps the
 * rows of the first kind. A call for other vertices of the same kind, or for
 * other tables, releases the earlier rows. The caller ends *hold with
 * apsp_row_hold_close(), also after a failure. Rows that only this hold awaits
 * are then not computed.
 *
 * `holder` is the client for whom the rows are held (daemon/base/budget.h). If
 * `holder` reads slowly and another client needs the memory, the connection of
 * `holder` is closed. NULL: the rows stay until the hold is closed.
 *
 * APSP_ETOOLARGE: the rows need more than half of the cache. APSP_EBUSY: the
 * rows of other holds take the memory. APSP_ENOMEM. If a row could not be
 * computed, the call fails with that row's error; APSP_ENOROUTE: the table file
 * was removed before the row was computed. APSP_ESTOPPING: some row is not
 * ready, and apsp_row_cache_stop() was called. To try again, close the hold and
 * open a new one.
 */
int apsp_row_cache_hold(struct apsp_row_cache *cache,
	struct apsp_tables *tables, struct apsp_holder *holder,
	enum apsp_demand demand, const uint32_t *vertices, size_t n,
	struct apsp_row_hold **hold, struct apsp_err *err);
void apsp_row_hold_close(struct apsp_row_hold *hold); /* accepts NULL */
APSP_AUTO_DEFINE(apsp_row_hold_end, struct apsp_row_hold, apsp_row_hold_close);

/* Take rows to compute: the row that has been wanted for the longest time, and
   further rows of the same kind and the same tables. False: no rows are wanted.
   The caller gives each row back by apsp_row_cache_give(). */
bool apsp_row_cache_take(
	struct apsp_row_cache *cache, struct apsp_row_batch *out);

/* Give row i of a batch back. `bytes` is the row, from malloc(); the cache then
   owns it. NULL: the row could not be computed, and `why` is the error for a
   request that waits for this row. */
void apsp_row_cache_give(struct apsp_row_cache *cache,
	struct apsp_row_batch *batch, uint32_t i, unsigned char *bytes,
	const struct apsp_err *why);

/* From now on, requests do not wait for rows, because the worker is going to
   stop: a request fails if some of its rows are not ready. */
void apsp_row_cache_stop(struct apsp_row_cache *cache);

/* Counts for /metrics and /v1/info. */
struct apsp_row_cache_counts {
	uint64_t bytes;
	uint64_t limit_bytes;
	uint32_t wanted; /* number of rows that are wanted or being computed */
	uint64_t computed; /* number of rows that were computed */
	uint64_t reused; /* number of times that a request found a row ready */
};

void apsp_row_cache_count(
	struct apsp_row_cache *cache, struct apsp_row_cache_counts *out);

#endif
