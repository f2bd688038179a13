/*
 * Computes the device bytes of closures; see closure_cost.h.
 * tests/test_footprint.c compares the results with the bytes that closures
 * allocate.
 */
#include "compute/plan/closure_cost.h"

#include <string.h>

enum {
	WORD = 4, /* size in bytes of the index of a vertex or component */
	/* number of pivots in a block of kernels/warshall.cl: one pivot for
	   each bit of a word */
	PIVOTS = 32,
};

uint64_t apsp_closure_row_bytes(
	uint64_t n_vertices, const struct apsp_bits_tuning *tuning)
{
	uint64_t line_bits = UINT64_C(64) * tuning->line;
	uint64_t lines = n_vertices / line_bits + (n_vertices % line_bits > 0);

	return lines * tuning->line * sizeof(uint64_t);
}

static void add(struct apsp_closure_bytes *bytes, uint64_t buffer)
{
	bytes->all += buffer;
	if (buffer > bytes->largest)
		bytes->largest = buffer;
}

/* Return the bytes of all rows of bits, and of a list that has the row number
   of each vertex. */
static struct apsp_closure_bytes rows(const struct apsp_closure_size *size,
	const struct apsp_bits_tuning *tuning)
{
	struct apsp_closure_bytes bytes = {0};

	add(&bytes, size->n_vertices *
			    apsp_closure_row_bytes(size->n_vertices, tuning));
	add(&bytes, size->n_vertices * WORD);
	return bytes;
}

static void add_arcs(struct apsp_closure_bytes *bytes, uint64_t n_arcs)
{
	add(bytes, n_arcs * WORD); /* tails */
	add(bytes, n_arcs * WORD); /* heads */
}

static struct apsp_closure_bytes order_bytes(
	const struct apsp_closure_size *size,
	const struct apsp_bits_tuning *tuning)
{
	struct apsp_closure_bytes bytes = rows(size, tuning);
	uint64_t n = size->n_components;

	add(&bytes, n * WORD); /* order */
	add(&bytes, n * WORD); /* for each component, the index of its row */
	add(&bytes, (n + 1) * sizeof(uint64_t));
	add(&bytes, size->n_arcs * WORD);
	return bytes;
}

static struct apsp_closure_bytes squaring_bytes(
	const struct apsp_closure_size *size,
	const struct apsp_bits_tuning *tuning)
{
	struct apsp_closure_bytes bytes = rows(size, tuning);

	add(&bytes, bytes.largest); /* the square */
	add(&bytes, WORD); /* a flag that a squaring sets if it changes a bit */
	add_arcs(&bytes, size->n_arcs);
	return bytes;
}

static struct apsp_closure_bytes warshall_bytes(
	const struct apsp_closure_size *size,
	const struct apsp_bits_tuning *tuning)
{
	struct apsp_closure_bytes bytes = rows(size, tuning);
	uint64_t blocks =
		size->n_components / PIVOTS + (size->n_components % PIVOTS > 0);

	add(&bytes, blocks * PIVOTS * blocks * WORD);
	add(&bytes, size->n_vertices * WORD);
	/* for each component, the index of its first vertex; the row of this
	   vertex holds the component's bits */
	add(&bytes, blocks * PIVOTS * WORD);
	add_arcs(&bytes, size->n_arcs);
	return bytes;
}

const struct apsp_closure_cost apsp_closure_costs[APSP_N_CLOSURES] = {
#define APSP_CLOSURE(id, stem, text, ...)                                      \
	[APSP_CLOSURE_##id] = {.name = text, __VA_ARGS__},
#include "compute/plan/algorithm_list.h"
};

int apsp_closure_cost_find(const char *name)
{
	for (int i = 0; i < APSP_N_CLOSURES; i++)
		if (strcmp(apsp_closure_costs[i].name, name) == 0)
			return i;
	return -1;
}
