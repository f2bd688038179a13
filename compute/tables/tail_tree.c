/*
 * Follows the predecessors of rows of widths; see tail_tree.h.
 */
#include "compute/tables/tail_tree.h"

#include <stdlib.h>
#include <string.h>

#include "compute/graph/in_arcs.h"
#include "compute/graph/v_element.h"
#include "compute/wide.h"
#include "daemon/base/auto.h"

enum {
	COLUMNS = 256, /* number of columns that are decoded at a time */
	PER_VERTEX = 2,
};

#define NONE UINT32_MAX

void apsp_tail_tree_done(struct apsp_tail_tree *tree)
{
	free(tree->arcs);
	free(tree->steps);
	*tree = (struct apsp_tail_tree){0};
}

int apsp_tail_tree_init(const struct apsp_lengths *lengths, unsigned int width,
	struct apsp_tail_tree *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_tail_tree_done)
	struct apsp_tail_tree made = {.lengths = lengths};
	size_t n = lengths->n_vertices, m = lengths->n_arcs;
	int r = apsp_in_arcs_check(lengths, err);

	if (r < 0)
		return r;
	made.arcs = malloc((m + 1) * sizeof(*made.arcs));
	made.steps = malloc(width * (n + 1) * PER_VERTEX * sizeof(*made.steps));
	if (!made.arcs || !made.steps)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory to prove widths of %zu vertices", n);
	for (size_t at = 0; at < m; at++)
		made.arcs[at] = (struct apsp_tail_tree_arc){
			lengths->in.tails[at],
			(uint32_t)lengths->lengths[lengths->in.arcs[at]]};
	*out = APSP_TAKE(made);
	return 0;
}

static APSP_INLINE uint32_t value_at(
	enum apsp_element element, const void *values, uint32_t j)
{
	return element == APSP_ELEMENT_U16
		       ? ((const uint16_t *)values)[j]
		       : (uint32_t)((const int32_t *)values)[j];
}

/* The row that is being proved. */
struct row {
	const struct apsp_tail_tree *tree;
	enum apsp_element element;
	const void *values;
	uint32_t infinity;
	uint32_t source;
	/* for each vertex, its predecessor if both have the same V, else the
	   source */
	uint32_t *next;
};

/* Check that the predecessors of the vertices [from, end) yield V, and fill
   row->next. `codes` has their predecessors, as ranks. */
static APSP_INLINE bool columns_agree(const struct row *row,
	enum apsp_element element, const uint32_t *codes, uint32_t from,
	uint32_t end)
{
	const uint64_t *offsets = row->tree->lengths->in.offsets;
	bool right = true;

	for (uint32_t j = from; j < end; j++) {
		uint32_t v = value_at(element, row->values, j);
		uint32_t code = codes[j - from], tail;
		struct apsp_tail_tree_arc arc;

		row->next[j] = row->source;
		if (code == NONE || j == row->source) {
			right &= code == NONE &&
				 v == (j == row->source ? 0 : row->infinity);
			continue;
		}
		if (code >= offsets[j + 1] - offsets[j])
			return false;
		arc = row->tree->arcs[offsets[j] + code];
		tail = value_at(element, row->values, arc.tail);
		right &= v < row->infinity &&
			 v == (tail > arc.rank ? tail : arc.rank);
		if (tail == v)
			row->next[j] = arc.tail;
	}
	return right;
}

APSP_WIDE static bool narrow_agrees(const struct row *row,
	const uint32_t *codes, uint32_t from, uint32_t end)
{
	return columns_agree(row, APSP_ELEMENT_U16, codes, from, end);
}

APSP_WIDE static bool wide_agrees(const struct row *row, const uint32_t *codes,
	uint32_t from, uint32_t end)
{
	return columns_agree(row, APSP_ELEMENT_I32, codes, from, end);
}

/*
 * Whether `next` leads from each vertex to the source. `marks` has the number
 * of the walk, from 1 on, in which each vertex was met first. A walk ends at a
 * vertex of an earlier walk, which led to the source.
 */
static bool leads_to_source(
	const uint32_t *next, uint32_t n, uint32_t source, uint32_t *marks)
{
	memset(marks, 0, n * sizeof(*marks));
	marks[source] = NONE;
	for (uint32_t j = 0; j < n; j++) {
		uint32_t v = j;

		for (; marks[v] == 0; v = next[v])
			marks[v] = j + 1;
		if (marks[v] == j + 1)
			return false; /* this walk has met v before */
	}
	return true;
}

bool apsp_tail_tree_proves(const struct apsp_tail_tree *tree,
	unsigned int thread, uint32_t source, enum apsp_element element,
	const void *values, const void *predecessors)
{
	uint32_t n = tree->lengths->n_vertices, codes[COLUMNS], end;
	uint32_t *steps = tree->steps + (size_t)thread * PER_VERTEX * n;
	const struct row row = {.tree = tree,
		.element = element,
		.values = values,
		.infinity = (uint32_t)apsp_v_element_infinity(element),
		.source = source,
		.next = steps};

	for (uint32_t from = 0; from < n; from = end) {
		end = n - from < COLUMNS ? n : from + COLUMNS;
		apsp_in_arcs_codes(
			tree->lengths, predecessors, from, end, codes);
		if (!(element == APSP_ELEMENT_U16
				    ? narrow_agrees(&row, codes, from, end)
				    : wide_agrees(&row, codes, from, end)))
			return false;
	}
	return leads_to_source(row.next, n, source, steps + n);
}
