/*
 * Maps a table file whose rows are computed on demand; see row_graph.h.
 */
#include "compute/rows/row_graph.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "compute/parallel.h"
#include "daemon/base/auto.h"
#include "daemon/base/checksum.h"

enum {
	/* number of vertices whose arcs one call of values_convert()
	   converts */
	VERTICES = 4096,
	/*
	 * The scale of narrow integers (32 bits): an integer distance is
	 * distance · scale + number of arcs. So it is right only for paths with
	 * fewer arcs than the scale. In graphs with many arcs for each vertex,
	 * shortest paths usually have fewer arcs than the scale.
	 */
	NARROW_SCALE = 256,
};

/* narrow integers (32 bits) are less than this number */
#define NARROW_END INT64_C(0x3fffffff)

/* The data of the loop that checks blocks against their checksums. */
struct check {
	const struct apsp_row_graph *graph;
	const uint64_t *checksums;
	atomic_bool damaged;
};

static void block_check(void *ctx, unsigned int thread, size_t i)
{
	struct check *check = ctx;
	/* skip block 0, whose stored checksum is always 0 */
	size_t block = i + 1;

	(void)thread;
	if (apsp_checksum(check->graph->file + block * APSP_TABLE_BLOCK,
		    APSP_TABLE_BLOCK) != check->checksums[block])
		atomic_store(&check->damaged, true);
}

static int blocks_check(const struct apsp_row_graph *graph, unsigned int width,
	struct apsp_err *err)
{
	const struct apsp_table_header *header = &graph->header;
	size_t n = header->data_end / APSP_TABLE_BLOCK;
	struct check check = {.graph = graph,
		.checksums =
			(const uint64_t *)(graph->file + header->data_end)};

	atomic_init(&check.damaged,
		apsp_checksum(check.checksums, n * sizeof(uint64_t)) !=
			header->blocks_checksum);
	apsp_parallel_for(n - 1, width, block_check, &check);
	return atomic_load(&check.damaged)
		       ? apsp_fail(err, APSP_EDAMAGED,
				 "the table file is damaged")
		       : 0;
}

static void *section(
	const struct apsp_row_graph *graph, enum apsp_section section)
{
	/* the cast removes const, because the pointers in struct apsp_lengths
	   are not const; nothing in compute/rows writes through them */
	return (void *)(uintptr_t)(graph->file +
				   graph->header.sections[section].offset);
}

/* Convert the integer of arc a of lengths.in to 32 bits, and store it in
   graph->narrow_values. False: the integer does not fit. */
static bool narrow_store(struct apsp_row_graph *graph, uint64_t a)
{
	int64_t value = graph->in_values[a];

	if (graph->narrow_scale > 1)
		value = (value - 1) / graph->integers.scale *
				graph->narrow_scale +
			1;
	graph->narrow_values[a] = (int32_t)(value < NARROW_END ? value : 0);
	return value < NARROW_END;
}

static void values_convert(void *ctx, unsigned int thread, size_t i)
{
	struct apsp_row_graph *graph = ctx;
	const struct apsp_lengths *lengths = &graph->lengths;
	const struct apsp_in_arcs *in = &lengths->in;
	size_t v = i * VERTICES, end = v + VERTICES;

	(void)thread;
	if (end > lengths->n_vertices)
		end = lengths->n_vertices;
	for (; v < end; v++) {
		apsp_integers_row(lengths, &graph->integers, (uint32_t)v,
			graph->out_values + lengths->offsets[v]);
		for (uint64_t a = in->offsets[v]; a < in->offsets[v + 1]; a++)
			graph->in_values[a] = apsp_integers_at(lengths,
				&graph->integers, in->tails[a], in->arcs[a]);
	}
}

/* Fill graph->narrow_values with the integers of all arcs in 32 bits. If an
   integer does not fit 32 bits, or if some length is negative (then the
   integers have potentials), narrow_values becomes NULL. APSP_ENOMEM. */
static int narrow_make(struct apsp_row_graph *graph, struct apsp_err *err)
{
	uint64_t m = graph->lengths.n_arcs;
	bool fit = true;

	if (graph->integers.potentials)
		return 0;
	graph->narrow_scale =
		graph->integers.kind == APSP_DISTANCE_SCALED ? NARROW_SCALE : 1;
	graph->narrow_values = malloc(m * sizeof(*graph->narrow_values) + 1);
	if (!graph->narrow_values)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for the lengths of %zu arcs", (size_t)m);
	for (uint64_t a = 0; a < m; a++)
		fit &= narrow_store(graph, a);
	if (!fit) {
		free(graph->narrow_values);
		graph->narrow_values = NULL;
	}
	return 0;
}

/* Compute the integers that stand for the lengths of all arcs. APSP_EDAMAGED: a
   length has no integer, or the integers have another kind or scale than the
   file's header says. */
static int values_make(
	struct apsp_row_graph *graph, unsigned int width, struct apsp_err *err)
{
	const struct apsp_table_header *header = &graph->header;
	struct apsp_negative_cycle cycle = {0};
	const struct apsp_graph unlabelled = {
		.n_vertices = graph->lengths.n_vertices};
	size_t m = graph->lengths.n_arcs, n = graph->lengths.n_vertices;
	int r = apsp_integers_build(
		&unlabelled, &graph->lengths, 0, &graph->integers, &cycle, err);

	apsp_negative_cycle_done(&cycle);
	if (r < 0 && r != APSP_EOVERFLOW)
		return r;
	if (r < 0 || graph->integers.kind != header->distance_kind ||
		(graph->integers.kind == APSP_DISTANCE_SCALED &&
			graph->integers.scale != header->scale))
		return apsp_fail(err, APSP_EDAMAGED,
			"the table file's lengths do not fit its header");
	graph->out_values = malloc(m * sizeof(*graph->out_values) + 1);
	graph->in_values = malloc(m * sizeof(*graph->in_values) + 1);
	if (!graph->out_values || !graph->in_values)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for the lengths of %zu arcs", m);
	apsp_parallel_for(
		(n + VERTICES - 1) / VERTICES, width, values_convert, graph);
	return narrow_make(graph, err);
}

static int file_open(const char *path, struct apsp_row_graph *graph,
	unsigned int width, struct apsp_err *err)
{
	struct apsp_lengths *lengths = &graph->lengths;
	struct apsp_table_header *header = &graph->header;
	int r = apsp_table_file_map(path, &graph->file, header, err);

	if (r == 0 && !apsp_table_on_demand(header))
		r = apsp_fail(err, APSP_EDAMAGED,
			"the table file's rows do not come on demand");
	if (r == 0)
		r = blocks_check(graph, width, err);
	if (r < 0)
		return r;
	*lengths = (struct apsp_lengths){
		.n_vertices = (uint32_t)header->n_vertices,
		.n_arcs = header->n_arcs,
		.offsets = section(graph, APSP_SECTION_ARC_OFFSETS),
		.heads = section(graph, APSP_SECTION_ARC_HEADS),
		.lengths = section(graph, APSP_SECTION_ARC_LENGTHS),
		.in = {
			.rank = apsp_table_has_ranks(header)
					? header->sections
						  [APSP_SECTION_PREDECESSOR]
							  .element
					: APSP_ELEMENT_NONE,
			.offsets = section(graph, APSP_SECTION_IN_OFFSETS),
			.tails = section(graph, APSP_SECTION_IN_TAILS),
			.arcs = section(graph, APSP_SECTION_IN_ARCS),
		}};
	return 0;
}

int apsp_row_graph_open(
	const char *path, struct apsp_row_graph *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_row_graph_done) struct apsp_row_graph graph = {0};
	unsigned int width = apsp_parallel_processors();
	int r = file_open(path, &graph, width, err);

	if (r == 0)
		r = values_make(&graph, width, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(graph);
	return 0;
}

void apsp_row_graph_done(struct apsp_row_graph *graph)
{
	if (graph->file)
		munmap((void *)(uintptr_t)graph->file, graph->header.file_size);
	apsp_integers_done(&graph->integers);
	free(graph->out_values);
	free(graph->in_values);
	free(graph->narrow_values);
	memset(graph, 0, sizeof(*graph));
}
