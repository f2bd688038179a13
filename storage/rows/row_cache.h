/*
 * The rows on demand of all graphs, in memory: which are there, which are
 * wanted, and which are being computed. Each row is computed once, however many
 * requests want it. The longest unused rows make place for others. Any thread
 * may call these functions, and none of them blocks.
 *
 *	request: hold ─▸ 0: wanted … hold ─▸ 1: all are there ─▸ read ─▸ close
 *	worker:  take ─▸ compute ─▸ give
 */
#ifndef APSP_STORAGE_ROWS_ROW_CACHE_H
#define APSP_STORAGE_ROWS_ROW_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/auto.h"
#include "daemon/base/err.h"
#include "daemon/base/row_batch.h"
#include "storage/tables/tables.h"

struct apsp_row_cache;

/* Rows of one table file that a request holds. */
struct apsp_row_hold;

struct apsp_row_cache_config {
	uint64_t limit_bytes; /* of all rows */
	uint32_t max_wanted;  /* rows that are wanted or being computed */
	/* called when a row is wanted, with no lock held; may be NULL */
	void (*wanted)(void *ctx);
	void *ctx;
};

/* The caller ends *out with apsp_row_cache_free(), when no row is held or being
   computed. Tables may be open longer. APSP_ENOMEM. */
int apsp_row_cache_new(const struct apsp_row_cache_config *config,
	struct apsp_row_cache **out, struct apsp_err *err);
void apsp_row_cache_free(struct apsp_row_cache *cache); /* accepts NULL */

/*
 * Hold the rows of n vertices, in addition to those that *hold already holds.
 * If `vertices` is NULL, they are the first n vertices of the graph. At first
 * *hold is NULL; the caller ends it with apsp_row_hold_close(), also after a
 * failure. Returns 1 if the rows are there: they can be read until the hold is
 * closed. Returns 0 if some are not: call again later with the same arguments.
 *
 * APSP_ETOOLARGE: the cache has no room for so many rows at once. APSP_EBUSY:
 * too many rows are wanted, or rows that others hold take the room.
 * APSP_ENOMEM. The error with which a row could not be computed; the next call
 * wants it again.
 */
int apsp_row_cache_hold(struct apsp_row_cache *cache,
	struct apsp_tables *tables, enum apsp_demand demand,
	const uint32_t *vertices, size_t n, struct apsp_row_hold **hold,
	struct apsp_err *err);
void apsp_row_hold_close(struct apsp_row_hold *hold); /* accepts NULL */
APSP_AUTO_DEFINE(apsp_row_hold_end, struct apsp_row_hold, apsp_row_hold_close);

/* The tables whose rows the hold has. Borrowed. */
const struct apsp_tables *apsp_row_hold_tables(
	const struct apsp_row_hold *hold);

/*
 * Take rows to compute: the row that has been wanted for the longest time, and
 * further rows of the same kind and tables. False: no rows are wanted. The
 * caller gives each of them back by apsp_row_cache_give().
 */
bool apsp_row_cache_take(
	struct apsp_row_cache *cache, struct apsp_row_batch *out);

/* Give row i of a batch back: its bytes, from malloc(), which the cache then
   owns; or NULL, with the error for the requests that wait for it. */
void apsp_row_cache_give(struct apsp_row_cache *cache,
	struct apsp_row_batch *batch, uint32_t i, unsigned char *bytes,
	const struct apsp_err *why);

/* Counts for /metrics and /v1/info. */
struct apsp_row_cache_counts {
	uint64_t bytes;
	uint64_t limit_bytes;
	uint32_t wanted;   /* rows that are wanted or being computed */
	uint64_t computed; /* rows that were computed */
	uint64_t reused;   /* rows that were there when they were wanted */
};

void apsp_row_cache_count(
	struct apsp_row_cache *cache, struct apsp_row_cache_counts *out);

#endif
