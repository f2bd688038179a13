/*
 * Reads the distances of a table by keys. A key stands for one vertex, or for
 * several vertices, for example for all vertices of one type. The distance from
 * key A to key B is the mean distance over all pairs (a, b) with a path. Here
 * vertex a has key A, vertex b has key B, and a differs from b. If the table
 * has widest paths, widths are read instead of distances.
 */
#ifndef APSP_STORAGE_TABLES_KEYED_ROWS_H
#define APSP_STORAGE_TABLES_KEYED_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/tables/row_reader.h"
#include "storage/tables/tables.h"

#define APSP_NO_KEY UINT32_MAX

struct apsp_keyed_rows {
	struct apsp_tables *tables; /* borrowed */
	const uint32_t *key_of;	    /* the key of each vertex, or APSP_NO_KEY;
				       borrowed */
	uint32_t n_keys;
	/* The vertices of key k are members[begin[k]] to members[begin[k + 1] -
	   1], in the order of their indices. Owned. */
	uint64_t *begin;
	uint32_t *members;
	bool single; /* each key stands for one vertex */
	bool widths; /* the table has widths, in place of distances */
	struct apsp_row_reader *reader; /* owned */
	bool started;  /* some rows of the present key were read, but not all */
	uint64_t next; /* index in `members` of the vertex whose row is read
			  next */
	/*
	 * `sums` and `counts` have one element for each key. If some key stands
	 * for several vertices, they hold the sum and the number of the
	 * distances from the present key to each key, and `sums` becomes the
	 * row of means at the end. If each key is one vertex, `counts` is not
	 * used, and `sums` is used only for a row of widths. Owned.
	 */
	double *sums;
	uint64_t *counts;
};

/* Return an upper bound of the bytes that a reader of n_keys keys takes. */
uint64_t apsp_keyed_rows_bytes(
	const struct apsp_tables *tables, uint32_t n_keys);

/*
 * Begin to read. key_of[v] is the key of vertex v, below n_keys, or
 * APSP_NO_KEY; every key has a vertex. If `rounded` is true, distances have the
 * precision with which the table stores them (APSP_ROW_ROUNDED). The caller
 * ends *out with apsp_keyed_rows_done(), also after a failure. APSP_ENOMEM.
 */
int apsp_keyed_rows_begin(struct apsp_tables *tables, const uint32_t *key_of,
	uint32_t n_keys, bool rounded, struct apsp_keyed_rows *out,
	struct apsp_err *err);
void apsp_keyed_rows_done(struct apsp_keyed_rows *self);

/* Return the number of vertices of a key. */
static inline uint64_t apsp_keyed_rows_size(
	const struct apsp_keyed_rows *self, uint32_t key)
{
	return self->begin[key + 1] - self->begin[key];
}

/*
 * Read the row of the next vertex of `key`. Returns 1 if the key has further
 * vertices, whose rows the next calls read. Otherwise returns 0, and stores the
 * row of the key: a distance for each key, INFINITY if no pair has a path. The
 * row is valid until the next call. If each key is one vertex, the distance of
 * a key to itself is 0, and its width is INFINITY. APSP_EDAMAGED: the table is
 * damaged. APSP_EDATA: a sum of distances is above the largest double, so the
 * mean is not known.
 */
int apsp_keyed_rows_step(struct apsp_keyed_rows *self, uint32_t key,
	const double **out, struct apsp_err *err);

#endif
