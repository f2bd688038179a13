/*
 * Proves a table file that came in a bundle; see received_rows.h.
 */
#include "compute/solve/received_rows.h"

#include <sys/mman.h>

#include "compute/graph/in_arcs.h"
#include "compute/plan/algorithm.h"
#include "compute/solve/device_rows.h"
#include "compute/tables/sampled_rows_proof.h"
#include "compute/tables/sums.h"
#include "compute/tables/table_rows.h"
#include "compute/tables/width_tails.h"
#include "daemon/base/auto.h"
#include "daemon/job/profile.h"

enum {
	/* approximate number of bytes of the distances in a strip
	   (row_strip.h) */
	STRIP_BYTES = 32 << 20,
	/* the number of rows of a strip (row_strip.h) is a multiple of this
	   number, so that all processors have full groups of four rows */
	STRIP_ROWS = 4 * APSP_PARALLEL_MAX,
};

struct proof {
	const struct apsp_received_rows *received;
	struct apsp_table_header header; /* the file's header */
	const unsigned char *bytes;	 /* the whole file; mapped */
	struct apsp_width width;
	struct apsp_table_rows *rows;
	struct apsp_sums *sums; /* compares each distance with the length of its
				   path; NULL: no distance is compared */
	/* `root` and `tails` are used for widest paths only. For other paths,
	   `root` is empty and `tails` is NULL. */
	struct apsp_root_widths root;
	struct apsp_width_tails *tails;
};

static void proof_done(struct proof *proof)
{
	apsp_sums_free(proof->sums);
	apsp_width_tails_free(proof->tails);
	apsp_root_widths_done(&proof->root);
	apsp_table_rows_free(proof->rows);
	if (proof->bytes)
		munmap((void *)proof->bytes, proof->header.file_size);
}

static int refuse(struct apsp_err *err, const char *why)
{
	return apsp_fail(err, APSP_EPROOF, "%s", why);
}

/* Find the width and scale of the file's distances, among those that a solver
   may use for this graph. No other scale is accepted: with another scale, a
   wrong distance with a wrong number of hops could look right. */
static int width_find(struct proof *proof, struct apsp_err *err)
{
	struct apsp_prepared_graph *prepared = proof->received->prepared;
	const struct apsp_table_header *header = &proof->header;
	enum apsp_element element =
		header->sections[APSP_SECTION_DISTANCE].element;

	if (header->distance_kind != prepared->integers.kind)
		return refuse(err,
			"its distances are of another kind than the lengths of "
			"the arcs");
	if (header->distance_kind == APSP_DISTANCE_SUM) {
		/* the file has sums of real lengths, and no integer distances
		   that show the width; so use the widest type, which holds all
		   integer distances */
		proof->width = prepared->widths[prepared->n_widths - 1];
		if (prepared->sums == APSP_ELEMENT_F64 &&
			element != APSP_ELEMENT_F64)
			return refuse(err,
				"its distances have less precision than the "
				"rule says");
		prepared->sums = element;
		return 0;
	}
	for (int w = 0; w < prepared->n_widths; w++) {
		proof->width = prepared->widths[w];
		if (proof->width.element == element &&
			(header->distance_kind != APSP_DISTANCE_SCALED ||
				proof->width.scale == header->scale))
			return 0;
	}
	return refuse(err,
		"its distances have a type or a scale that no solver uses for "
		"this graph");
}

/* Check that the algorithm named in the file's header exists, because users are
   shown its name. */
static int algorithm_check(const struct proof *proof, struct apsp_err *err)
{
	return apsp_algorithm_find(proof->header.algorithm) >= 0 ||
			       apsp_closure_algorithm_find(
				       proof->header.algorithm)
		       ? 0
		       : refuse(err, "its header names no known algorithm");
}

static bool is_widths(const struct proof *proof)
{
	return proof->header.distance_kind == APSP_DISTANCE_WIDTH;
}

/* Return the number of rows that are proved together as a strip
   (row_strip.h). */
static uint32_t strip_rows(const struct proof *proof)
{
	uint64_t n = proof->received->prepared->graph.n_vertices;
	uint64_t most = STRIP_BYTES / (n * sizeof(double));

	most -= most % STRIP_ROWS;
	if (most < STRIP_ROWS)
		most = STRIP_ROWS;
	return most < n ? (uint32_t)most : (uint32_t)n;
}

/* If the rows have widths (widest paths), find the paths from and to the root,
   and allocate memory for predecessors, which the file does not have. */
static int widths_prepare(struct proof *proof, struct apsp_err *err)
{
	struct apsp_prepared_graph *prepared = proof->received->prepared;
	int r;

	if (!is_widths(proof))
		return 0;
	r = apsp_root_widths_make(&prepared->lengths, &prepared->lengths,
		apsp_prepared_graph_root(prepared), proof->width.element,
		&proof->root, err);
	return r < 0 ? r
		     : apsp_width_tails_new(&prepared->lengths, &proof->root,
			       strip_rows(proof), &proof->tails, err);
}

static int rows_open(struct proof *proof, struct apsp_err *err)
{
	const struct apsp_received_rows *received = proof->received;
	struct apsp_prepared_graph *prepared = received->prepared;
	bool every = prepared->graph.prove == APSP_PROVE_ALL;
	bool sums = prepared->integers.kind == APSP_DISTANCE_SUM;
	const struct apsp_table_rows_config config = {
		.path = received->path,
		.algorithm = proof->header.algorithm,
		.lengths = &prepared->lengths,
		.integers = &prepared->integers,
		.components = &prepared->components,
		.closure = &prepared->closure,
		.on_cycle = &prepared->on_cycle,
		.root = is_widths(proof) ? &proof->root : NULL,
		.element = proof->width.element,
		.distance =
			proof->header.sections[APSP_SECTION_DISTANCE].element,
		.betweenness = prepared->graph.profile.measures &
			       APSP_MEASURE_BETWEENNESS,
		.tables = APSP_TABLES_ALL,
		.proof_seed = received->proof_seed,
		.received = &proof->header,
		.samples = every ? prepared->graph.n_vertices
				 : APSP_SAMPLED_ROWS_OF_BUNDLE,
	};
	struct apsp_sums_config compare;
	int r = apsp_table_rows_open(&config, &proof->rows, err);

	/* Do not compare distances with the lengths of their paths in two
	   cases. For widest paths, tail_tree.h follows the paths instead. For
	   integer distances with prove=all, sampled_rows_proof.h proves every
	   row. */
	if (r < 0 || is_widths(proof) || (every && !sums))
		return r;
	compare = apsp_table_rows_sums(proof->rows);
	/* if the file has no path sums, do not count hops, because only the
	   statistics of path sums need hops */
	if (!sums)
		compare.stats = NULL;
	return apsp_sums_open(&compare, &proof->sums, err);
}

/* Return a strip of rows of the file. If the file has widths, it has no
   predecessors, and the strip's pointer to predecessors is meaningless until
   strip_prove() replaces it. */
static struct apsp_row_strip file_strip(
	const struct proof *proof, uint32_t first, uint32_t n_rows)
{
	const struct apsp_table_header *header = &proof->header;
	const struct apsp_section_place *distances =
		&header->sections[APSP_SECTION_DISTANCE];
	const struct apsp_section_place *predecessors =
		&header->sections[APSP_SECTION_PREDECESSOR];
	uint64_t cell = first * header->n_vertices;
	const void *values = proof->bytes + distances->offset +
			     cell * apsp_element_size(distances->element);

	return (struct apsp_row_strip){.first = first,
		.n_rows = n_rows,
		/* The cast removes const. But nothing writes to the file's
		   rows: a proof changes rows only to remove potentials
		   (every_row_proof.h), and the rows of a file have no
		   potentials. */
		.distances = (void *)(uintptr_t)values,
		.predecessors =
			proof->bytes + predecessors->offset +
			cell * apsp_element_size(predecessors->element)};
}

/* Prove a strip of rows of the file. Returns 0 or a negative error code. */
static int strip_prove(struct proof *proof, uint32_t first, uint32_t n_rows,
	struct apsp_err *err)
{
	struct apsp_row_strip strip = file_strip(proof, first, n_rows);
	const struct apsp_sums_rows paths = {.first = first,
		.n_rows = n_rows,
		.predecessors = strip.predecessors};
	int r = 0;

	if (is_widths(proof))
		strip.predecessors = apsp_width_tails_find(
			proof->tails, first, n_rows, strip.distances);
	if (proof->sums)
		r = apsp_sums_compare(
			proof->sums, &paths, strip.distances, err);
	if (r == 0)
		r = apsp_table_rows_append(proof->rows, &strip, err);
	return r > 0 ? refuse(err,
			       "a path has no distance, or a distance does not "
			       "fit its type")
		     : r;
}

static int rows_prove(struct proof *proof, struct apsp_err *err)
{
	struct apsp_progress *progress = proof->received->progress;
	uint32_t n = proof->received->prepared->graph.n_vertices, step;
	uint32_t most = strip_rows(proof);
	const struct apsp_row_strip all = file_strip(proof, 0, n);
	int r = 0;

	apsp_progress_stage(progress, APSP_STAGE_PREDECESSOR);
	if (!is_widths(proof))
		r = apsp_table_rows_select(proof->rows, &all, err);
	for (uint32_t first = 0; r == 0 && first < n; first += step) {
		step = n - first < most ? n - first : most;
		r = strip_prove(proof, first, step, err);
		if (r == 0)
			r = apsp_progress_step(
				progress, (double)(first + step) / n, err);
	}
	return r;
}

static int file_prove(struct proof *proof, struct apsp_err *err)
{
	struct apsp_prepared_graph *prepared = proof->received->prepared;
	int r = apsp_table_file_map(
		proof->received->path, &proof->bytes, &proof->header, err);

	if (r < 0)
		return r;
	(void)madvise(
		(void *)proof->bytes, proof->header.file_size, MADV_SEQUENTIAL);
	r = width_find(proof, err);
	if (r == 0)
		r = algorithm_check(proof, err);
	if (r == 0)
		r = apsp_prepared_graph_scale(prepared, &proof->width, err);
	if (r == 0 && !is_widths(proof) &&
		proof->header.sections[APSP_SECTION_PREDECESSOR].element !=
			apsp_in_arcs_element(&prepared->lengths))
		r = refuse(err,
			"its predecessors have another type than these arcs "
			"give");
	/* compare the numbers of arcs and vertices before any row is read,
	   because the places of rows in the file depend on them */
	if (r == 0 && (proof->header.n_arcs != prepared->lengths.n_arcs ||
			      proof->header.n_vertices !=
				      prepared->lengths.n_vertices))
		r = refuse(err, "it has another number of arcs or vertices");
	if (r == 0)
		r = widths_prepare(proof, err);
	if (r == 0)
		r = rows_open(proof, err);
	if (r == 0)
		r = apsp_device_rows_graph(prepared, proof->rows, err);
	if (r == 0)
		r = rows_prove(proof, err);
	return r == 0 ? apsp_table_rows_finish(proof->rows,
				proof->received->progress, NULL, err)
		      : r;
}

int apsp_received_rows_prove(
	const struct apsp_received_rows *received, struct apsp_err *err)
{
	APSP_AUTO(proof_done) struct proof proof = {.received = received};
	const struct apsp_graph *graph = &received->prepared->graph;
	struct apsp_err why;
	int r = file_prove(&proof, &why);

	if (r >= 0)
		return 0;
	if (r == APSP_EPROOF || r == APSP_EDAMAGED || r == APSP_EDATA)
		return apsp_fail(err, APSP_EDATA,
			"the member 'tables/%s.apsp' of the bundle is refused: "
			"%s",
			graph->member, why.message);
	return apsp_fail(err, (enum apsp_code)r, "%s", why.message);
}
