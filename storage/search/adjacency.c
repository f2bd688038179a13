/*
 * Loads the arcs of a table file into memory, where they are stored twice, by
 * tail and by head; see adjacency.h. Loading has four phases: copy the offsets;
 * copy the arcs, and count the arcs into each vertex; sum the counts; sort the
 * arcs by head.
 */
#include "storage/search/adjacency.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/exact_sum.h"
#include "storage/tables/table_read.h"
#include "storage/tables/tables.h"

enum {
	PIECE = 65536, /* number of offsets or arcs that a step copies, in about
			  a millisecond */
};

enum phase {
	PHASE_BEGIN,
	PHASE_OFFSETS,
	PHASE_ARCS,
	PHASE_SUM,
	PHASE_PLACE,
	PHASE_READY,
};

uint64_t apsp_adjacency_bytes(const struct apsp_table_header *header)
{
	return sizeof(struct apsp_adjacency) +
	       2 * (header->n_vertices + 2) * sizeof(uint64_t) +
	       header->n_arcs * (3 * sizeof(uint32_t) + 3 * sizeof(double));
}

static int begin(struct apsp_adjacency_build *build,
	const struct apsp_tables *tables, struct apsp_err *err)
{
	const struct apsp_table_header *header = &tables->header;
	size_t n = header->n_vertices, m = header->n_arcs;
	struct apsp_adjacency *made = &build->made;

	if (m > UINT32_MAX || n > APSP_VERTICES_MAX)
		return apsp_fail(err, APSP_EDATA,
			"searches accept graphs of at most %d vertices and %u"
			" arcs",
			APSP_VERTICES_MAX, UINT32_MAX);
	made->n_vertices = (uint32_t)n;
	made->n_arcs = m;
	made->facts = (struct apsp_length_facts){
		.smallest = INFINITY, .last_bit = DBL_MAX_EXP};
	made->out_offsets = malloc((n + 1) * sizeof(*made->out_offsets));
	/* in_offsets needs n + 2 elements: copy_arcs() uses the element at
	   index v + 2 to count the arcs into v */
	made->in_offsets = calloc(n + 2, sizeof(*made->in_offsets));
	made->heads = malloc((m + 1) * sizeof(*made->heads));
	made->weights = malloc((m + 1) * sizeof(*made->weights));
	made->lengths = malloc((m + 1) * sizeof(*made->lengths));
	made->tails = malloc((m + 1) * sizeof(*made->tails));
	made->in_arcs = malloc((m + 1) * sizeof(*made->in_arcs));
	made->in_lengths = malloc((m + 1) * sizeof(*made->in_lengths));
	if (!made->out_offsets || !made->in_offsets || !made->heads ||
		!made->weights || !made->lengths || !made->tails ||
		!made->in_arcs || !made->in_lengths) {
		apsp_adjacency_done(made);
		return apsp_fail(err, APSP_ENOMEM, "no memory for %llu arcs",
			(unsigned long long)m);
	}
	if (!build->piece)
		build->piece = PIECE;
	build->phase = PHASE_OFFSETS;
	return 0;
}

/* Return the exponent of the lowest bit that is set in `length`. `length` must
   not be 0. */
static int last_bit(double length)
{
	int exponent;
	double fraction = frexp(fabs(length), &exponent);
	uint64_t bits = (uint64_t)ldexp(fraction, DBL_MANT_DIG);

	return exponent - DBL_MANT_DIG + __builtin_ctzll(bits);
}

static void note_length(struct apsp_length_facts *facts, double length)
{
	double magnitude = fabs(length);

	facts->negative |= length < 0;
	if (magnitude == 0) {
		facts->zeros = true;
		return;
	}
	facts->smallest = fmin(facts->smallest, magnitude);
	facts->largest = fmax(facts->largest, magnitude);
	/* A whole number has no bit with an exponent below 0, so it cannot
	   lower a last_bit of 0 or less. This test saves time, because most
	   lengths are whole numbers. */
	if (facts->last_bit > 0 || length != rint(length)) {
		int bit = last_bit(length);

		if (bit < facts->last_bit)
			facts->last_bit = bit;
	}
}

/* Copy n elements of a section, beginning with element number `first`. */
static int copy(struct apsp_tables *tables, enum apsp_section section,
	uint64_t first, uint64_t n, void *out, struct apsp_err *err)
{
	const struct apsp_section_place *place =
		&tables->header.sections[section];
	size_t width = apsp_element_size(place->element);

	if (n == 0)
		return 0;
	if (first > place->size / width || n > place->size / width - first)
		return apsp_tables_condemn(
			tables, "an index leads out of its section", err);
	return apsp_table_read_copy(
		tables, section, first * width, n * width, out, err);
}

/* Copy n of the offsets at which the arcs out of each vertex begin. Check that
   the copied offsets ascend from 0 to n_arcs. The check reads the copy, because
   the file may change between two reads. */
static int copy_offsets(struct apsp_adjacency *made, uint64_t first, uint64_t n,
	struct apsp_tables *tables, struct apsp_err *err)
{
	const uint64_t *offsets = made->out_offsets;
	int r = copy(tables, APSP_SECTION_ARC_OFFSETS, first, n,
		made->out_offsets + first, err);
	bool right = true;

	if (r < 0)
		return r;
	for (uint64_t i = first; i < first + n; i++)
		right &=
			i == 0 ? offsets[i] == 0 : offsets[i - 1] <= offsets[i];
	right &= offsets[first + n - 1] <= made->n_arcs;
	if (first + n == (uint64_t)made->n_vertices + 1)
		right &= offsets[first + n - 1] == made->n_arcs;
	return right ? 0
		     : apsp_tables_condemn(
			       tables, "rows of arcs do not ascend", err);
}

/* Copy n arcs. Check that the copied heads are vertices, and that the copied
   weights and lengths are finite. The arcs are counted after all checks: a step
   that fails has counted no arcs, so another request can repeat the step. */
static int copy_arcs(struct apsp_adjacency *made, uint64_t first, uint64_t n,
	struct apsp_tables *tables, struct apsp_err *err)
{
	const uint32_t *heads = made->heads + first;
	const double *weights = made->weights + first;
	const double *lengths = made->lengths + first;
	int r = copy(tables, APSP_SECTION_ARC_HEADS, first, n,
		made->heads + first, err);

	if (r == 0)
		r = copy(tables, APSP_SECTION_ARC_WEIGHTS, first, n,
			made->weights + first, err);
	if (r == 0)
		r = copy(tables, APSP_SECTION_ARC_LENGTHS, first, n,
			made->lengths + first, err);
	if (r < 0)
		return r;
	for (uint64_t i = 0; i < n; i++)
		if (heads[i] >= made->n_vertices || !isfinite(weights[i]) ||
			!isfinite(lengths[i]))
			return apsp_tables_condemn(tables,
				"an arc has no head, no weight or no length",
				err);
	for (uint64_t i = 0; i < n; i++) {
		made->in_offsets[heads[i] + 2]++;
		note_length(&made->facts, lengths[i]);
	}
	return 0;
}

/* Compute the unit of exact costs (path_cost.h). If sums of the lengths do not
   fit into APSP_PATH_COST_BITS bits, there is no unit. */
static void unit_set(struct apsp_adjacency *made)
{
	const struct apsp_length_facts *facts = &made->facts;
	int exponent = 0, bits = 0, arc_bits;

	if (facts->largest > 0) {
		exponent = facts->last_bit;
		bits = ilogb(facts->largest) + 1 - exponent;
	}
	arc_bits = apsp_path_cost_arc_bits(made->n_vertices);
	bits += ilogb(fmax(made->n_vertices, APSP_PATH_COST_WALK_MAX)) + 1 +
		arc_bits;
	made->has_unit = bits <= APSP_PATH_COST_BITS;
	if (made->has_unit)
		made->unit = apsp_path_cost_unit_of(exponent, arc_bits);
}

int apsp_adjacency_needs_unit(
	const struct apsp_adjacency *adjacency, struct apsp_err *err)
{
	return adjacency->has_unit
		       ? 0
		       : apsp_fail(err, APSP_EDATA,
				 "the lengths go from %.17g to %.17g, sums of "
				 "%u such lengths are not exact in 128 bits, "
				 "and this question needs exact sums; round "
				 "the weights to fewer digits",
				 adjacency->facts.smallest,
				 adjacency->facts.largest,
				 adjacency->n_vertices);
}

/* Sum the counts: in_offsets[v + 1] becomes the index in `tails` of the first
   arc into v. */
static void sum_counts(struct apsp_adjacency *made)
{
	for (uint64_t v = 2; v <= (uint64_t)made->n_vertices + 1; v++)
		made->in_offsets[v] += made->in_offsets[v - 1];
}

/* Copy about `piece` arcs to the arrays that are sorted by head. Begin with the
   arcs out of v, and go on with the next vertices. Returns the vertex at which
   the next step begins. */
static uint64_t place_arcs(
	struct apsp_adjacency *made, uint64_t v, uint64_t piece)
{
	uint64_t begin = made->out_offsets[v];

	for (; v < made->n_vertices && made->out_offsets[v] - begin < piece;
		v++)
		for (uint64_t a = made->out_offsets[v];
			a < made->out_offsets[v + 1]; a++) {
			uint64_t i = made->in_offsets[made->heads[a] + 1]++;

			made->tails[i] = (uint32_t)v;
			made->in_arcs[i] = (uint32_t)a;
			made->in_lengths[i] = made->lengths[a];
		}
	return v;
}

int apsp_adjacency_step(struct apsp_adjacency_build *build,
	struct apsp_tables *tables, struct apsp_err *err)
{
	struct apsp_adjacency *made = &build->made;
	uint64_t n_offsets = (uint64_t)made->n_vertices + 1;
	uint64_t end = build->phase == PHASE_ARCS ? made->n_arcs : n_offsets;
	uint64_t first = build->next;
	uint64_t n = end - first < build->piece ? end - first : build->piece;
	int r = 0;

	switch (build->phase) {
	case PHASE_BEGIN:
		r = begin(build, tables, err);
		return r < 0 ? r : 1;
	case PHASE_OFFSETS:
		r = copy_offsets(made, first, n, tables, err);
		break;
	case PHASE_ARCS:
		r = copy_arcs(made, first, n, tables, err);
		break;
	case PHASE_SUM:
		unit_set(made);
		sum_counts(made);
		n = end;
		break;
	case PHASE_PLACE:
		n = place_arcs(made, first, build->piece) - first;
		end = made->n_vertices;
		break;
	default:
		return 0;
	}
	if (r < 0)
		return r;
	build->next += n;
	if (build->next >= end) {
		build->phase++;
		build->next = 0;
	}
	return build->phase != PHASE_READY;
}

void apsp_adjacency_done(struct apsp_adjacency *adjacency)
{
	free(adjacency->out_offsets);
	free(adjacency->heads);
	free(adjacency->weights);
	free(adjacency->lengths);
	free(adjacency->in_offsets);
	free(adjacency->tails);
	free(adjacency->in_arcs);
	free(adjacency->in_lengths);
	memset(adjacency, 0, sizeof(*adjacency));
}

uint64_t apsp_adjacency_find(
	const struct apsp_adjacency *adjacency, uint32_t tail, uint32_t head)
{
	uint64_t low = adjacency->out_offsets[tail];
	uint64_t end = adjacency->out_offsets[tail + 1];
	uint64_t high = end;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (adjacency->heads[middle] < head)
			low = middle + 1;
		else
			high = middle;
	}
	return low < end && adjacency->heads[low] == head ? low : APSP_ARC_NONE;
}

struct apsp_vertex_arcs apsp_adjacency_vertex(
	const struct apsp_adjacency *adjacency, uint32_t v)
{
	uint64_t out = adjacency->out_offsets[v];
	uint64_t in = adjacency->in_offsets[v];
	struct apsp_vertex_arcs arcs = {
		.out_degree = adjacency->out_offsets[v + 1] - out,
		.in_degree = adjacency->in_offsets[v + 1] - in,
	};
	struct apsp_signed_sum in_sum = {0};

	arcs.out_strength =
		apsp_exact_sum_of(adjacency->weights + out, arcs.out_degree);
	for (uint64_t i = in; i < in + arcs.in_degree; i++)
		apsp_signed_sum_add(
			&in_sum, adjacency->weights[adjacency->in_arcs[i]]);
	arcs.in_strength = apsp_signed_sum_value(&in_sum);
	return arcs;
}
