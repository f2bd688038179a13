/*
 * Computes betweenness; see betweenness.h. The sources are processed in
 * batches. A source has one share for each vertex: the number that the shortest
 * paths from the source add to the betweenness of the vertex. One task computes
 * the shares of one source and stores them in an array of its own. Then the
 * arrays of the batch are added in the order of the sources. So the bits of the
 * sums do not depend on the number of threads.
 */
#include "compute/measures/betweenness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compute/graph/counting_sort.h"
#include "compute/measures/path_shares.h"
#include "compute/measures/share_proof.h"
#include "compute/measures/tie_arcs.h"
#include "compute/plan/measure_cost.h"
#include "daemon/base/auto.h"

enum {
	/* number of vertices that one task handles when it adds shares to the
	   betweenness */
	COLUMNS = 1024,
	/* the selection of arcs (arcs_select()) counts as this percentage of
	   the progress of the phase `betweenness` */
	FILTER_PERCENT = 2,
};

struct run {
	const struct apsp_lengths *lengths;
	const struct apsp_distance_rows *rows;
	struct apsp_progress *progress;
	bool whole;	    /* lengths are whole numbers */
	unsigned int width; /* number of threads */
	uint32_t batch;	    /* the largest number of rows in a batch */
	/* the distances from each source of the batch: rows of the distance
	   table */
	void *elements;
	/* for each source of the batch and each vertex, the number that paths
	   from the source add to the betweenness of the vertex: batch ×
	   n_vertices numbers */
	double *shares;
	double *out;
	/* for each arc: 1 if the arc can be the last arc of a shortest path,
	   else 0 */
	uint8_t *kept;
	/* upper bound of the rounding error of any sum of real lengths */
	double slack;
	struct apsp_tie_arcs arcs;
	struct apsp_path_shares *hands; /* the working memory of each thread */
	/* one row of distances for each thread; used only while arcs are
	   selected */
	double *row;
	struct apsp_share_proof proof;
	/* the current batch */
	uint32_t first;
	uint32_t n_rows;
	atomic_bool failed;
	struct apsp_err err; /* error of the task that set `failed` */
};

static void run_done(struct run *run)
{
	for (unsigned int t = 0; run->hands && t < run->width; t++)
		apsp_path_shares_done(&run->hands[t]);
	free(run->arcs.offsets);
	free(run->arcs.tails);
	free(run->arcs.lengths);
	free(run->arcs.listed);
	free(run->arcs.ranks);
	apsp_share_proof_done(&run->proof);
	free(run->hands);
	free(run->row);
	free(run->kept);
	free(run->elements);
	free(run->shares);
}

static int no_memory(const struct run *run, struct apsp_err *err)
{
	return apsp_fail(err, APSP_ENOMEM,
		"no memory for the betweenness of %u vertices",
		run->lengths->n_vertices);
}

/*
 * List the vertices in an order in which each arc of length 0 leads to a later
 * vertex (Kahn 1962). Returns the number of listed vertices. Two kinds of
 * vertices are not listed: vertices on a cycle of arcs of length 0, and
 * vertices to which a path of arcs of length 0 leads from such a cycle.
 */
static uint32_t list_forward(
	const struct apsp_lengths *lengths, uint32_t *into, uint32_t *listed)
{
	uint32_t n = lengths->n_vertices, end = 0;

	for (uint64_t a = 0; a < lengths->n_arcs; a++)
		into[lengths->heads[a]] += lengths->lengths[a] == 0;
	for (uint32_t v = 0; v < n; v++)
		if (into[v] == 0)
			listed[end++] = v;
	for (uint32_t i = 0; i < end; i++)
		for (uint64_t a = lengths->offsets[listed[i]];
			a < lengths->offsets[listed[i] + 1]; a++)
			if (lengths->lengths[a] == 0 &&
				--into[lengths->heads[a]] == 0)
				listed[end++] = lengths->heads[a];
	return end;
}

/*
 * If some length is 0, fill the members `listed` and `ranks` of run->arcs. If
 * all lengths are 0 or more and no cycle has length 0, shortest paths can be
 * counted, and *out_countable becomes true. Otherwise it becomes false.
 */
static int tie_arcs_rank(
	struct run *run, bool *out_countable, struct apsp_err *err)
{
	const struct apsp_lengths *lengths = run->lengths;
	struct apsp_tie_arcs *out = &run->arcs;
	size_t n = lengths->n_vertices;
	bool zero = false, negative = false;

	*out_countable = true;
	for (uint64_t a = 0; lengths->lengths && a < lengths->n_arcs; a++) {
		zero |= lengths->lengths[a] == 0;
		negative |= lengths->lengths[a] < 0;
	}
	if (negative)
		*out_countable = false;
	if (negative || !zero)
		return 0;
	out->listed = calloc(n, sizeof(*out->listed));
	out->ranks = calloc(n, sizeof(*out->ranks));
	if (!out->listed || !out->ranks)
		return no_memory(run, err);
	*out_countable = list_forward(lengths, out->ranks, out->listed) == n;
	for (uint32_t i = 0; *out_countable && i < n; i++)
		out->ranks[out->listed[i]] = i;
	return 0;
}

/* Fill all members of run->arcs except `listed` and `ranks`. Store the arcs
   whose byte in run->kept is 1, or all arcs if run->kept is NULL. */
static int tie_arcs_fill(struct run *run, struct apsp_err *err)
{
	const struct apsp_lengths *lengths = run->lengths;
	const uint8_t *kept = run->kept;
	struct apsp_tie_arcs *out = &run->arcs;
	uint32_t n = lengths->n_vertices;
	uint64_t n_arcs;

	out->n_vertices = n;
	out->offsets = calloc((size_t)n + 2, sizeof(*out->offsets));
	if (!out->offsets)
		return no_memory(run, err);
	for (uint64_t a = 0; a < lengths->n_arcs; a++)
		if (!kept || kept[a])
			apsp_counting_sort_count(
				out->offsets, lengths->heads[a]);
	n_arcs = apsp_counting_sort_sum(out->offsets, n);
	out->tails = malloc((n_arcs + 1) * sizeof(*out->tails));
	out->lengths = malloc((n_arcs + 1) * sizeof(*out->lengths));
	if (!out->tails || !out->lengths)
		return no_memory(run, err);
	for (uint32_t v = 0; v < n; v++)
		for (uint64_t a = lengths->offsets[v];
			a < lengths->offsets[v + 1]; a++) {
			uint64_t place;

			if (kept && !kept[a])
				continue;
			place = apsp_counting_sort_place(
				out->offsets, lengths->heads[a]);
			out->tails[place] = v;
			out->lengths[place] = apsp_lengths_get(lengths, a);
		}
	return 0;
}

/* Convert the distances in row r of the batch to doubles. INFINITY: no path. */
static void row_decode(const struct run *run, size_t r, double *out)
{
	const struct apsp_distance_rows *source = run->rows;
	double scale = (double)source->scale, per_scale = 1 / scale;
	uint32_t n = source->n_vertices;
	size_t at = r * n;
	const uint16_t *u16 = (const uint16_t *)run->elements + at;
	const int32_t *i32 = (const int32_t *)run->elements + at;
	const float *f32 = (const float *)run->elements + at;

	/* the casts to double are needed because INFINITY is a float: without
	   the casts, the integers would be converted to float */
	if (source->element == APSP_ELEMENT_U16)
		for (uint32_t v = 0; v < n; v++)
			out[v] = u16[v] == APSP_V_INFINITY_U16 ? INFINITY
							       : (double)u16[v];
	else if (source->element == APSP_ELEMENT_I32)
		for (uint32_t v = 0; v < n; v++)
			out[v] = i32[v] >= APSP_V_INFINITY_I32 ? INFINITY
							       : (double)i32[v];
	else if (source->element == APSP_ELEMENT_F32)
		for (uint32_t v = 0; v < n; v++)
			out[v] = f32[v];
	else
		memcpy(out, (const double *)run->elements + at,
			n * sizeof(*out));
	if (source->kind != APSP_DISTANCE_SCALED)
		return;
	/* the table holds integers: distance · scale + hops; compute the
	   distance */
	for (uint32_t v = 0; v < n; v++) {
		double whole = floor(out[v] * per_scale);
		double rest = out[v] - whole * scale;

		/* `whole` can be wrong by 1, because the product is rounded;
		   correct it */
		whole += rest < 0 ? -1 : rest >= scale;
		out[v] = isinf(out[v]) ? INFINITY : whole;
	}
}

/* For each arc a that leaves the source of row r, set kept[a] to 1 if the arc
   by itself is a shortest path to its head, else to 0. Only such an arc can be
   the last arc of a shortest path from any vertex. */
static void row_filter(void *ctx, unsigned int thread, size_t r)
{
	struct run *run = ctx;
	const struct apsp_lengths *lengths = run->lengths;
	uint32_t tail = run->first + (uint32_t)r;
	double *row = run->row + (size_t)thread * lengths->n_vertices;

	row_decode(run, r, row);
	for (uint64_t a = lengths->offsets[tail];
		a < lengths->offsets[tail + 1]; a++) {
		double shortest = row[lengths->heads[a]];

		run->kept[a] =
			lengths->lengths[a] <=
			(run->whole ? shortest
				    : shortest * (1 + APSP_TABLE_TOLERANCE) +
						run->slack);
	}
}

static void row_share(void *ctx, unsigned int thread, size_t r)
{
	struct run *run = ctx;
	struct apsp_path_shares *hand = &run->hands[thread];
	struct apsp_err err;

	if (apsp_stop_reason(run->progress->stop) || atomic_load(&run->failed))
		return;
	row_decode(run, r, hand->distances);
	if (apsp_path_shares_of(hand, run->first + (uint32_t)r,
		    run->progress->stop,
		    run->shares + r * run->lengths->n_vertices, &err) < 0 &&
		!atomic_exchange(&run->failed, true))
		run->err = err;
}

/* For each vertex of a block, add the shares from all sources of the batch to
   the betweenness of the vertex. The shares are added in the order of the
   sources. */
static void columns_add(void *ctx, unsigned int thread, size_t block)
{
	struct run *run = ctx;
	size_t n = run->lengths->n_vertices, first = block * COLUMNS;
	size_t end = n - first < COLUMNS ? n : first + COLUMNS;

	(void)thread;
	for (size_t r = 0; r < run->n_rows; r++)
		for (size_t v = first; v < end; v++)
			run->out[v] += run->shares[r * n + v];
}

/* Call the proof (share_proof.h) for each source of the batch. The proof checks
   the shares of only some sources. */
static int batch_prove(struct run *run, struct apsp_err *err)
{
	int r = 0;

	for (uint32_t i = 0; i < run->n_rows && r == 0; i++) {
		const double *shares =
			run->shares + (size_t)i * run->lengths->n_vertices;
		uint32_t source = run->first + i;

		if (!apsp_share_proof_add(&run->proof, source, shares))
			continue;
		row_decode(run, i, run->proof.distances);
		r = apsp_share_proof_source(
			&run->proof, source, shares, run->progress->stop, err);
	}
	return r;
}

/* Read all rows of the distance table, batch after batch, and call `body` for
   each row. If `adds` is true, `body` computes shares, and after each batch
   these shares are added to the betweenness and proved. */
static int batches_run(struct run *run,
	void (*body)(void *ctx, unsigned int thread, size_t i), bool adds,
	struct apsp_err *err)
{
	uint32_t n = run->lengths->n_vertices;
	int r = 0;

	for (run->first = 0; r >= 0 && run->first < n;
		run->first += run->n_rows) {
		double share = (double)run->first / n * FILTER_PERCENT / 100;

		if (adds)
			share = FILTER_PERCENT / 100.0 +
				(double)run->first / n *
					(100 - FILTER_PERCENT) / 100;
		run->n_rows = n - run->first < run->batch ? n - run->first
							  : run->batch;
		r = apsp_progress_step(run->progress, share, err);
		if (r >= 0)
			r = run->rows->read(run->rows->ctx, run->first,
				run->n_rows, run->elements, err);
		if (r < 0)
			return r;
		apsp_parallel_for(run->n_rows, run->width, body, run);
		if (atomic_load(&run->failed)) {
			*err = run->err;
			return err->code;
		}
		if (!adds)
			continue;
		/* a requested stop ends the batch early, and then some shares
		   are missing */
		r = apsp_stop_check(run->progress->stop, err);
		if (r < 0)
			return r;
		apsp_parallel_for((n + COLUMNS - 1) / COLUMNS, run->width,
			columns_add, run);
		r = batch_prove(run, err);
	}
	return r;
}

/*
 * Select the arcs that can lie on a shortest path. An arc that is longer than
 * the distance between its ends lies on no shortest path. If all lengths are 1,
 * no arc is longer than that distance, so all arcs are selected.
 */
static int arcs_select(struct run *run, struct apsp_err *err)
{
	const struct apsp_lengths *lengths = run->lengths;
	double longest = 0;
	int r;

	if (!lengths->lengths)
		return tie_arcs_fill(run, err);
	for (uint64_t a = 0; a < lengths->n_arcs; a++)
		longest = fmax(longest, lengths->lengths[a]);
	/* No path is longer than longest · n_vertices. Two sums count as equal
	   if their relative difference is at most APSP_TIE_TOLERANCE. The
	   factor 2 is a margin. */
	run->slack = longest * lengths->n_vertices * (2 * APSP_TIE_TOLERANCE);
	run->kept = malloc(lengths->n_arcs + 1);
	run->row = malloc(((size_t)run->width * lengths->n_vertices + 1) *
			  sizeof(*run->row));
	if (!run->kept || !run->row)
		return no_memory(run, err);
	r = batches_run(run, row_filter, false, err);
	if (r >= 0)
		r = tie_arcs_fill(run, err);
	free(run->kept);
	free(run->row);
	run->kept = NULL;
	run->row = NULL;
	return r;
}

int apsp_betweenness_run(const struct apsp_lengths *lengths,
	const struct apsp_distance_rows *rows, unsigned int width,
	struct apsp_progress *progress, double *out, struct apsp_err *err)
{
	APSP_AUTO(run_done)
	struct run run = {.lengths = lengths,
		.rows = rows,
		.width = width,
		.progress = progress,
		.whole = rows->kind != APSP_DISTANCE_SUM,
		.out = out};
	size_t n = lengths->n_vertices;
	bool countable;
	int r;

	r = tie_arcs_rank(&run, &countable, err);
	if (r < 0)
		return r;
	for (uint32_t v = 0; v < lengths->n_vertices; v++)
		out[v] = countable ? 0 : (double)NAN;
	if (!countable)
		return 0;
	run.batch = apsp_betweenness_batch(lengths->n_vertices);
	run.elements = malloc(run.batch * n * apsp_element_size(rows->element));
	run.shares = malloc(run.batch * n * sizeof(*run.shares));
	run.hands = calloc(width, sizeof(*run.hands));
	if (!run.elements || !run.shares || !run.hands)
		return no_memory(&run, err);
	r = arcs_select(&run, err);
	for (unsigned int t = 0; t < width && r >= 0; t++)
		r = apsp_path_shares_init(
			&run.arcs, run.whole, &run.hands[t], err);
	if (r >= 0)
		r = apsp_share_proof_init(lengths, run.whole, &run.proof, err);
	if (r >= 0)
		r = batches_run(&run, row_share, true, err);
	if (r >= 0)
		r = apsp_share_proof_sums(&run.proof, out, err);
	return r >= 0 ? apsp_progress_step(progress, 1, err) : r;
}
