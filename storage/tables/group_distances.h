/*
 * Computes distances between groups of vertices. For each group of sources and
 * each group of targets, it counts the pairs with a path, and computes the
 * least distance and the sum of the distances of these pairs. A vertex does not
 * form a pair with itself.
 *
 * In a table of widest paths, widths take the place of distances, and the
 * greatest width is the best.
 */
#ifndef APSP_STORAGE_TABLES_GROUP_DISTANCES_H
#define APSP_STORAGE_TABLES_GROUP_DISTANCES_H

#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/tables/row_reader.h"
#include "storage/tables/tables.h"

#define APSP_NO_GROUP UINT32_MAX

struct apsp_group_pair {
	uint64_t n_pairs; /* number of pairs of a source and a target that are
			     different vertices */
	uint64_t n_reachable;
	double sum;	 /* sum of the distances of reachable pairs */
	double best;	 /* least distance; undefined if n_reachable is 0. The
			    table may have rounded it to float32 */
	uint64_t n_best; /* number of pairs whose distance is `best` */
	double sum_of_best; /* the least exact sum of these pairs, as far as
			       they are computed; INFINITY before */
	uint32_t from, to;  /* source and target of the first pair whose exact
			       distance is least */
};

/* The state of a computation, which is done in steps. */
struct apsp_group_distances {
	struct apsp_tables *tables; /* borrowed */
	/*
	 * For each vertex, the group to which it belongs as a source, and the
	 * group to which it belongs as a target. APSP_NO_GROUP: it belongs to
	 * no group. Owned.
	 */
	uint32_t *sources;
	uint32_t *targets;
	uint32_t n_sources, n_targets;	/* numbers of groups */
	uint32_t row;			/* the source whose row is read next */
	struct apsp_row_reader *reader; /* owned */
	/* targets of one row whose exact sums are computed; NULL while the rows
	   are read for the first time. Owned. */
	uint32_t *ties;
	struct apsp_group_pair *pairs; /* array of n_sources × n_targets pairs
					  of groups; owned */
};

/* Return the number of bytes that a computation takes, including its
   arguments. */
uint64_t apsp_group_distances_bytes(const struct apsp_tables *tables,
	uint32_t n_sources, uint32_t n_targets);

/*
 * Begin a computation. The arrays `sources` and `targets` hold the group of
 * each vertex. From this call on, the computation owns both arrays. The caller
 * ends *out with apsp_group_distances_done(), also after a failure.
 * APSP_ENOMEM.
 */
int apsp_group_distances_begin(struct apsp_tables *tables, uint32_t *sources,
	uint32_t n_sources, uint32_t *targets, uint32_t n_targets,
	struct apsp_group_distances *out, struct apsp_err *err);
void apsp_group_distances_done(struct apsp_group_distances *self);

/*
 * Read about 65,536 further cells, which takes about a millisecond. Returns 1
 * if cells are left, or 0 if `pairs` is complete. APSP_EDAMAGED: the tables are
 * damaged. APSP_ENOMEM.
 */
int apsp_group_distances_step(
	struct apsp_group_distances *self, struct apsp_err *err);

#endif
