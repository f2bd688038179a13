/*
 * Computes path sums in two passes over a few rows at a time; see sums.h.
 *
 * The first pass finds the length of the last arc of each path (last_arcs.h).
 *
 * The second pass computes the path sum of each vertex from the path sum of its
 * predecessor. The pass visits the vertices in the order in which the sums of
 * the previous row were computed, because the paths of neighbouring rows are
 * similar. If the predecessor of a vertex has no sum yet, the pass first
 * follows predecessors to the nearest vertex that has a sum. The pass also
 * counts the arcs of each path. These counts are needed to compare the sums
 * with the integer distances, and they are the hops in the statistics.
 *
 * A simpler method finds every arc by bisection, with a cache at each vertex,
 * and computes the sums in ascending order of the vertices. CPU times in ns for
 * each cell, on a core of 2.5 GHz:
 *
 *	                                    two passes   simpler method
 *	larva under `inv`                   4.2          10
 *	rome99                              3.1          4.3
 *	6000 vertices with 100 arcs each    7.4          26
 */
#include "compute/tables/sums.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "compute/graph/in_arcs.h"
#include "compute/parallel.h"
#include "compute/tables/last_arcs.h"
#include "compute/tables/verdict.h"
#include "compute/wide.h"
#include "daemon/base/auto.h"

enum {
	ROWS = 16, /* number of rows that the first pass works on at a time */
};

#define NONE UINT32_MAX
/* the hops of a vertex to which there is no path */
#define NO_HOPS APSP_NO_HOPS
/* the hops of a vertex whose path sum is not computed yet */
#define UNSETTLED (APSP_NO_HOPS - 1)
#define EXACT_END 0x1p53   /* doubles hold every integer below 2^53 */
#define F32_LEAST 0x1p-126 /* the least normal float32 */
/* sums of this value and above become infinity in float32 */
#define F32_END 0x1.ffffffp127

/* The scratch memory of one thread. */
struct hand {
	struct apsp_last_arcs_map *map;
	/* lengths of the paths' last arcs, in ROWS rows of n columns */
	double *last;
	double *sums;
	double *values; /* a row of integer distances without potentials;
			   INFINITY: no path */
	uint32_t *hops;
	uint32_t *tails;
	uint32_t *stack;
	/* all vertices, in the order in which their sums were computed in the
	   previous row */
	uint32_t *order;
	uint32_t *settled;
};

struct apsp_sums {
	struct apsp_sums_config config;
	struct apsp_last_arcs arcs;
	struct hand hands[APSP_PARALLEL_MAX];
};

/* The data that is shared by all threads of one call of apsp_sums_rows(). */
struct batch {
	struct apsp_sums *sums;
	const struct apsp_sums_rows *rows;
	/* The number of one row whose path sums both the device and the host
	   compute, so that the sums can be compared. NONE: there is no such
	   row. */
	uint32_t again;
	char *distances;
	/* distances with which the path sums are only compared; NULL: the path
	   sums are stored as distances */
	const char *compared;
	atomic_bool no_tree;
	atomic_bool differs;
	/*
	 * n_outside counts sums outside the range of the distance's type, and
	 * n_wrong counts sums that the integer distances do not prove. Both
	 * begin with the device's counts. The host adds at most 1 to each count
	 * for each row that it sums.
	 */
	atomic_uint n_outside;
	atomic_uint n_wrong;
};

APSP_AUTO_DEFINE(sums_end, struct apsp_sums, apsp_sums_free);

int apsp_sums_open(const struct apsp_sums_config *config,
	struct apsp_sums **out, struct apsp_err *err)
{
	APSP_AUTO(sums_end) struct apsp_sums *made = NULL;
	size_t n = config->lengths->n_vertices;
	bool whole;

	made = calloc(1, sizeof(*made));
	whole = made != NULL;
	if (whole) {
		made->config = *config;
		whole = apsp_last_arcs_open(
			config->lengths, config->arcs, &made->arcs);
	}
	for (unsigned int t = 0; whole && t < config->width; t++) {
		struct hand *hand = &made->hands[t];

		hand->map = calloc(n + 1, sizeof(*hand->map));
		hand->last = malloc((n + 1) * ROWS * sizeof(*hand->last));
		hand->sums = malloc((n + 1) * sizeof(*hand->sums));
		hand->values = malloc((n + 1) * sizeof(*hand->values));
		hand->hops = malloc((n + 1) * sizeof(*hand->hops));
		hand->tails = malloc((n + 1) * sizeof(*hand->tails));
		hand->stack = malloc((n + 1) * sizeof(*hand->stack));
		hand->order = malloc((n + 1) * sizeof(*hand->order));
		hand->settled = malloc((n + 1) * sizeof(*hand->settled));
		whole = hand->map && hand->last && hand->sums && hand->values &&
			hand->hops && hand->tails && hand->stack &&
			hand->order && hand->settled;
		for (uint32_t v = 0; whole && v < n; v++)
			hand->order[v] = v;
	}
	if (!whole)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for the path sums of %zu vertices", n);
	*out = APSP_TAKE(made);
	return 0;
}

void apsp_sums_free(struct apsp_sums *sums)
{
	if (!sums)
		return;
	for (unsigned int t = 0; t < sums->config.width; t++) {
		struct hand *hand = &sums->hands[t];

		free(hand->map);
		free(hand->last);
		free(hand->sums);
		free(hand->values);
		free(hand->hops);
		free(hand->tails);
		free(hand->stack);
		free(hand->order);
		free(hand->settled);
	}
	free(sums->arcs.by_head);
	free(sums);
}

/* Return the predecessors of row number `row`, as they are stored. */
static const void *stored_row(const struct batch *batch, uint32_t row)
{
	const struct apsp_lengths *lengths = batch->sums->config.lengths;

	return (const char *)batch->rows->predecessors +
	       (size_t)row * lengths->n_vertices *
		       apsp_element_size(apsp_in_arcs_element(lengths));
}

/*
 * Follow predecessors from v to the nearest vertex whose path sum is known. On
 * the way back, add the lengths of the arcs, and append each vertex to
 * *settled. False: following predecessors leads to no vertex with a known path
 * sum.
 */
static bool branch_sum(const struct hand *hand, const double *last,
	uint32_t n_vertices, uint32_t v, uint32_t **settled)
{
	uint32_t depth = 0, hops;
	double sum;

	while (hand->hops[v] == UNSETTLED) {
		if (depth == n_vertices)
			return false; /* the predecessors form a cycle */
		hand->stack[depth++] = v;
		v = hand->tails[v];
	}
	hops = hand->hops[v];
	sum = hand->sums[v];
	if (hops == NO_HOPS)
		/* the predecessors end at a vertex that is not the source */
		return false;
	while (depth-- != 0) {
		v = hand->stack[depth];
		sum += last[v];
		hand->sums[v] = sum;
		hand->hops[v] = ++hops;
		*(*settled)++ = v;
	}
	return true;
}

/* Compute the path sums and the hops of one source from the predecessors in
   hand->tails. Store them in hand->sums and hand->hops. False: the predecessors
   do not form a tree with the source as root. */
static bool row_sum(
	struct hand *hand, const double *last, uint32_t n, uint32_t source)
{
	uint32_t *settled = hand->settled, *rest = hand->settled + n;
	uint32_t *hops = hand->hops;

	if (hand->tails[source] != NONE)
		return false;
	for (uint32_t v = 0; v < n; v++) {
		hops[v] = hand->tails[v] == NONE ? NO_HOPS : UNSETTLED;
		hand->sums[v] = INFINITY;
	}
	hand->sums[source] = 0;
	hops[source] = 0;
	*settled++ = source;
	for (uint32_t k = 0; k < n; k++) {
		uint32_t v = hand->order[k], tail = hand->tails[v];

		if (tail == NONE) {
			if (v != source)
				*--rest = v;
		} else if (hops[v] == UNSETTLED) {
			if (hops[tail] < UNSETTLED) {
				hand->sums[v] = hand->sums[tail] + last[v];
				hops[v] = hops[tail] + 1;
				*settled++ = v;
			} else if (!branch_sum(hand, last, n, v, &settled)) {
				return false;
			}
		}
	}
	rest = hand->order;
	hand->order = hand->settled;
	hand->settled = rest;
	return true;
}

/* Copy a row of integer distances to `values`, without their potentials. A
   value is INFINITY if there is no path. */
APSP_WIDE static void values_get(const struct apsp_sums_config *config,
	const void *row, uint32_t source, double *values)
{
	const int64_t *h = config->integers->potentials;
	uint32_t n = config->lengths->n_vertices;
	const int32_t *narrow = row;

	if (config->v == APSP_ELEMENT_F64)
		memcpy(values, row, n * sizeof(*values));
	else
		for (uint32_t j = 0; j < n; j++)
			values[j] = narrow[j] < APSP_V_INFINITY_I32
					    ? (double)narrow[j]
					    : (double)INFINITY;
	for (uint32_t j = 0; h && j < n; j++)
		values[j] += (double)(h[j] - h[source]);
}

/*
 * Count the path sums that do not agree with `values`, the row's integer
 * distances v. The sum of a path of k arcs must be at least (v - 2 · k) · unit,
 * and at most (v + k) · unit (compute/tables/README.md, Path sums). These
 * products are exact, because the unit is a power of two. If there is no path,
 * k is -1, and the sum and both limits are INFINITY.
 */
APSP_WIDE static uint32_t row_wrong(const double *sums, const double *values,
	const uint32_t *hops, uint32_t n, double unit)
{
	uint32_t wrong = 0;

	for (uint32_t j = 0; j < n; j++) {
		double k = (double)(int32_t)hops[j];
		double low = (values[j] - 2 * k) * unit;
		double high = (values[j] + k) * unit;

		wrong += !((sums[j] >= low) & (sums[j] <= high));
	}
	return wrong;
}

/* Whether each path sum equals the path sum of the predecessor plus the length
   of the path's last arc. The two must agree in every bit. */
static bool row_adds_up(const struct hand *hand, const double *last, uint32_t n)
{
	const double *sums = hand->sums;
	bool same = true;

	for (uint32_t j = 0; j < n; j++)
		if (hand->tails[j] != NONE)
			same &= sums[j] == sums[hand->tails[j]] + last[j];
	return same;
}

/* Round the sums of a row to float32, and count the sums that are outside the
   normal range of float32. */
APSP_WIDE static uint32_t row_round(
	const double *sums, const uint32_t *hops, uint32_t n, float *out)
{
	uint32_t outside = 0;

	for (uint32_t j = 0; j < n; j++) {
		double size = fabs(sums[j]);
		uint32_t small = (size < F32_LEAST) & (size > 0);
		uint32_t large = (size >= F32_END) & (hops[j] != NO_HOPS);

		out[j] = (float)sums[j];
		outside += small | large;
	}
	return outside;
}

/* Copy the sums of a row as float64, without rounding, and count the sums that
   are too large for float64. Sums below the normal range are exact and are not
   counted. */
APSP_WIDE static uint32_t row_copy(
	const double *sums, const uint32_t *hops, uint32_t n, double *out)
{
	uint32_t outside = 0;

	for (uint32_t j = 0; j < n; j++) {
		out[j] = sums[j];
		outside += !(fabs(sums[j]) <= DBL_MAX) & (hops[j] != NO_HOPS);
	}
	return outside;
}

/* Store hand->sums as a row at `out`. Returns the number of sums outside the
   range of the distance's type. */
static uint32_t row_put(const struct apsp_sums_config *config,
	const struct hand *hand, void *out)
{
	uint32_t n = config->lengths->n_vertices;

	return config->distance == APSP_ELEMENT_F64
		       ? row_copy(hand->sums, hand->hops, n, out)
		       : row_round(hand->sums, hand->hops, n, out);
}

/* Return element j of a row of the distance matrix; INFINITY: there is no
   path. */
static double value_at(enum apsp_element element, const void *row, uint32_t j)
{
	int32_t narrow;

	switch (element) {
	case APSP_ELEMENT_U16:
		narrow = ((const uint16_t *)row)[j];
		return narrow == APSP_V_INFINITY_U16 ? (double)INFINITY
						     : (double)narrow;
	case APSP_ELEMENT_I32:
		narrow = ((const int32_t *)row)[j];
		return narrow == APSP_V_INFINITY_I32 ? (double)INFINITY
						     : (double)narrow;
	default:
		return ((const double *)row)[j];
	}
}

/* Compute the distances of a row from hand->sums and hand->hops, and return
   whether `row` has the same distances. If distances are integers, lengths are
   whole numbers, so the computed distances are exact below EXACT_END. A
   distance of EXACT_END or more counts as different. */
static bool row_agrees(const struct apsp_sums_config *config,
	const struct hand *hand, const void *row)
{
	const struct apsp_integers *integers = config->integers;
	bool hops_alone = integers->kind == APSP_DISTANCE_HOPS;
	double scale = (double)integers->scale;
	uint32_t n = config->lengths->n_vertices;
	bool same = true;

	if (integers->kind == APSP_DISTANCE_SUM)
		return row_put(config, hand, hand->values) == 0 &&
		       memcmp(row, hand->values,
			       n * apsp_element_size(config->distance)) == 0;
	for (uint32_t j = 0; j < n; j++) {
		double hops = hand->hops[j];
		double v = hops_alone ? hops : hand->sums[j] * scale + hops;

		if (hand->hops[j] == NO_HOPS)
			v = INFINITY;
		else
			same &= fabs(v) < EXACT_END;
		same &= v == value_at(config->distance, row, j);
	}
	return same;
}

/*
 * Check a row whose path sums the host has computed. If batch->compared is set,
 * compare the row with the distances there. Or else, if the device has summed
 * the row, too, compare the sums with the device's sums. Or else store the sums
 * and their mark, and compare them with the row's integer distances and with
 * `last`, the lengths of the paths' last arcs.
 */
static void row_finish(struct batch *batch, struct hand *hand,
	const double *last, uint32_t row)
{
	const struct apsp_sums_config *config = &batch->sums->config;
	uint32_t n = config->lengths->n_vertices;
	size_t at = (size_t)row * n;
	char *out;

	if (batch->compared) {
		if (!row_agrees(config, hand,
			    batch->compared +
				    at * apsp_element_size(config->distance)))
			atomic_fetch_add(&batch->n_wrong, 1);
		return;
	}
	/* the device has already compared its sums of this row with the integer
	   distances, so compare the host's sums only with the device's sums,
	   bit by bit */
	out = batch->distances + at * apsp_element_size(config->distance);
	if (row == batch->again) {
		row_put(config, hand, hand->values);
		if (memcmp(out, hand->values,
			    n * apsp_element_size(config->distance)) != 0)
			atomic_store(&batch->differs, true);
		if (config->stats && !batch->rows->all_hops)
			apsp_row_stats_last_hops(config->stats, hand->hops);
		return;
	}
	values_get(config,
		(const char *)batch->rows->v +
			at * apsp_element_size(config->v),
		batch->rows->first + row, hand->values);
	if (row_put(config, hand, out) > 0)
		atomic_fetch_add(&batch->n_outside, 1);
	else if (!row_adds_up(hand, last, n) ||
		 row_wrong(hand->sums, hand->values, hand->hops, n,
			 config->integers->unit) > 0)
		atomic_fetch_add(&batch->n_wrong, 1);
	if (!batch->rows->marks)
		return;
	batch->rows->marks[row] =
		config->distance == APSP_ELEMENT_F64
			? apsp_row_mark(config->weights, hand->sums, n,
				  APSP_ELEMENT_F64)
			: apsp_row_mark_rounded(config->weights, hand->sums, n);
}

/*
 * Compute the path sums of a row, along the tree of its paths. If `counts` is
 * true, also count the paths' hops in the statistics. `last` has the lengths of
 * the paths' last arcs. If only hops are needed, `last` is NULL; this function
 * then also checks that each predecessor is the index of a vertex. False: the
 * predecessors do not form a tree with the source as root.
 */
static bool row_walk(struct batch *batch, struct hand *hand, const double *last,
	unsigned int thread, uint32_t row, bool counts)
{
	const struct apsp_sums_config *config = &batch->sums->config;
	uint32_t n = config->lengths->n_vertices;
	bool inside = true;

	apsp_in_arcs_tails(
		config->lengths, stored_row(batch, row), 0, n, hand->tails);
	if (!last) {
		for (uint32_t j = 0; j < n; j++)
			inside &=
				(hand->tails[j] < n) | (hand->tails[j] == NONE);
		memset(hand->values, 0, n * sizeof(*hand->values));
		last = hand->values;
	}
	if (!inside || !row_sum(hand, last, n, batch->rows->first + row)) {
		atomic_store(&batch->no_tree, true);
		return false;
	}
	if (config->stats && counts)
		apsp_row_stats_hops(config->stats, thread, hand->hops);
	return true;
}

/* Process one block of rows. Compute the path sums of each row that the device
   has not summed, and of the row batch->again. In all other rows, only count
   the hops (numbers of arcs) of the paths, and only if the statistics need
   them. */
static void block_sum(void *ctx, unsigned int thread, size_t block)
{
	struct batch *batch = ctx;
	struct hand *hand = &batch->sums->hands[thread];
	const uint32_t *summed = batch->rows->summed;
	bool all_hops = batch->rows->all_hops;
	uint32_t n = batch->sums->config.lengths->n_vertices;
	uint32_t n_rows = 0, rows[ROWS];
	const void *stored[ROWS];

	for (uint32_t i = 0; i < ROWS; i++) {
		uint32_t row = (uint32_t)block * ROWS + i;

		if (row >= batch->rows->n_rows)
			break;
		if (!summed || !summed[row] || row == batch->again) {
			rows[n_rows++] = row;
		} else if (all_hops &&
			   !row_walk(batch, hand, NULL, thread, row, true)) {
			return;
		}
	}
	if (n_rows == 0)
		return;
	for (uint32_t r = 0; r < n_rows; r++)
		stored[r] = stored_row(batch, rows[r]);
	if (!apsp_last_arcs_find(&batch->sums->arcs, hand->map, stored, n_rows,
		    hand->last)) {
		atomic_store(&batch->no_tree, true);
		return;
	}
	for (uint32_t r = 0; r < n_rows; r++) {
		const double *last = hand->last + (size_t)r * n;

		if (!row_walk(batch, hand, last, thread, rows[r],
			    rows[r] != batch->again || all_hops))
			return;
		row_finish(batch, hand, last, rows[r]);
	}
}

/* Compute the path sums of the rows of a batch, on all threads. */
static int batch_sum(struct batch *batch, struct apsp_err *err)
{
	uint32_t first = batch->rows->first, n_rows = batch->rows->n_rows;

	apsp_parallel_for((n_rows + ROWS - 1) / ROWS, batch->sums->config.width,
		block_sum, batch);
	return atomic_load(&batch->no_tree)
		       ? apsp_fail(err, APSP_EPROOF,
				 "the predecessors from the sources %u to %u "
				 "are no trees of arcs",
				 first, first + n_rows - 1)
		       : 0;
}

int apsp_sums_rows(struct apsp_sums *sums, const struct apsp_sums_rows *rows,
	void *distances, struct apsp_err *err)
{
	struct batch batch = {.sums = sums,
		.rows = rows,
		.again = NONE,
		.distances = distances,
		.n_outside = rows->n_outside,
		.n_wrong = rows->n_wrong};
	uint32_t n_outside;
	int r;

	for (uint32_t i = 0; rows->summed && i < rows->n_rows; i++)
		if (rows->summed[i])
			batch.again = i;
	r = batch_sum(&batch, err);
	if (r < 0)
		return r;
	if (atomic_load(&batch.differs))
		return apsp_fail(err, APSP_EPROOF,
			"the path lengths from the source %u are not the sums "
			"of their arcs: the device computed them wrongly",
			rows->first + batch.again);
	n_outside = atomic_load(&batch.n_outside);
	if (n_outside > 0 && sums->config.distance == APSP_ELEMENT_F64)
		return apsp_fail(err, APSP_EOVERFLOW,
			"a distance is past what float64 holds; scale the "
			"weights down");
	if (atomic_load(&batch.n_wrong) > 0)
		return apsp_fail(err, APSP_EPROOF,
			"path lengths from the sources %u to %u contradict V: "
			"they were summed wrongly",
			rows->first, rows->first + rows->n_rows - 1);
	return n_outside > 0 ? APSP_VERDICT_SUMS_NARROW : APSP_VERDICT_PROVED;
}

int apsp_sums_compare(struct apsp_sums *sums, const struct apsp_sums_rows *rows,
	const void *distances, struct apsp_err *err)
{
	const struct apsp_sums_rows own = {.first = rows->first,
		.n_rows = rows->n_rows,
		.predecessors = rows->predecessors};
	struct batch batch = {.sums = sums,
		.rows = &own,
		.again = NONE,
		.compared = distances};
	int r = batch_sum(&batch, err);

	if (r < 0 || atomic_load(&batch.n_wrong) == 0)
		return r;
	return apsp_fail(err, APSP_EPROOF,
		"distances from the sources %u to %u are not the lengths of "
		"the paths of their predecessors",
		own.first, own.first + own.n_rows - 1);
}
