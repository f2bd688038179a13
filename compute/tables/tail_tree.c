/* Compares rows of widths with the widths of the paths by way of the root (the
   bounds), and follows the predecessors of the cells that differ; see
   tail_tree.h. */
#include "compute/tables/tail_tree.h"

#include <stdlib.h>

#include "compute/graph/in_arcs.h"
#include "compute/wide.h"
#include "daemon/base/auto.h"

enum {
	COLUMNS = 64, /* number of columns that are compared at a time */
	PER_VERTEX = 3,
};

#define NONE UINT32_MAX

void apsp_tail_tree_done(struct apsp_tail_tree *tree)
{
	free(tree->arcs);
	free(tree->steps);
	*tree = (struct apsp_tail_tree){0};
}

int apsp_tail_tree_init(const struct apsp_lengths *lengths,
	const struct apsp_root_widths *root, unsigned int width,
	struct apsp_tail_tree *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_tail_tree_done)
	struct apsp_tail_tree made = {.lengths = lengths, .root = root};
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

/* The row that is being proved. */
struct row {
	const struct apsp_tail_tree *tree;
	const void *values;
	const void *predecessors;
	uint32_t source;
	uint32_t to; /* width (as a rank) of the path from the source to the
			root */
	/* the vertices whose width in the row is not that of the path by way of
	   the root (root_widths.h); the source is never one of them */
	uint32_t *others;
	/* for each vertex of `others`: its predecessor, if the predecessor is
	   also in `others` and both have the same width in the row; else
	   NONE */
	uint32_t *next;
	uint32_t *marks;
};

static APSP_INLINE uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static APSP_INLINE uint32_t bound_at(
	const struct row *row, enum apsp_element element, uint32_t j)
{
	return larger(row->to,
		apsp_root_widths_at(element, row->tree->root->from, j));
}

/* Whether the width of vertex j in the row is its bound, the width of the path
   by way of the root (root_widths.h). */
static APSP_INLINE bool is_bound(
	const struct row *row, enum apsp_element element, uint32_t j)
{
	return apsp_root_widths_at(element, row->values, j) ==
	       bound_at(row, element, j);
}

/* Whether the width of at least one vertex from `from` to `end` - 1 is not its
   bound, the width of the path by way of the root (root_widths.h). The loop
   over elements of 16 bits uses only integers of 16 bits, so that a vector
   holds as many elements as possible. */
static APSP_INLINE bool some_differ(const struct row *row,
	enum apsp_element element, uint32_t from, uint32_t end)
{
	const uint16_t *values = row->values, *bounds = row->tree->root->from;
	uint16_t to = (uint16_t)row->to, differ = 0;
	uint32_t wide = 0;

	if (element == APSP_ELEMENT_U16)
		for (uint32_t j = from; j < end; j++) {
			uint16_t bound = bounds[j] > to ? bounds[j] : to;

			differ |= values[j] ^ bound;
		}
	else
		for (uint32_t j = from; j < end; j++)
			wide |= apsp_root_widths_at(element, values, j) ^
				bound_at(row, element, j);
	return differ != 0 || wide != 0;
}

/* Store in row->others all vertices whose width in the row is not that of the
   path by way of the root (root_widths.h). The source is left out. Return the
   number of stored vertices. */
static APSP_INLINE uint32_t others_find(
	const struct row *row, enum apsp_element element, uint32_t n)
{
	uint32_t n_others = 0, end;

	for (uint32_t from = 0; from < n; from = end) {
		end = n - from < COLUMNS ? n : from + COLUMNS;
		if (!some_differ(row, element, from, end))
			continue;
		for (uint32_t j = from; j < end; j++) {
			row->others[n_others] = j;
			n_others +=
				j != row->source && !is_bound(row, element, j);
		}
	}
	return n_others;
}

/* Vertex j is one of row->others. Whether the rank of j's width is less than
   its bound and equals the larger of two ranks: the rank of the predecessor's
   width, and the rank of the arc from the predecessor. If j has a predecessor,
   fill row->next[j] and row->marks[j], too. */
static APSP_INLINE bool other_agrees(
	const struct row *row, enum apsp_element element, uint32_t j)
{
	const struct apsp_in_arcs *in = &row->tree->lengths->in;
	uint32_t v = apsp_root_widths_at(element, row->values, j);
	struct apsp_tail_tree_arc arc;
	uint32_t code, tail;

	apsp_in_arcs_codes(
		row->tree->lengths, row->predecessors, j, j + 1, &code);
	if (code >= in->offsets[j + 1] - in->offsets[j])
		return false;
	arc = row->tree->arcs[in->offsets[j] + code];
	tail = apsp_root_widths_at(element, row->values, arc.tail);
	row->marks[j] = 0;
	row->next[j] = tail == v && arc.tail != row->source &&
				       !is_bound(row, element, arc.tail)
			       ? arc.tail
			       : NONE;
	return v < bound_at(row, element, j) && v == larger(tail, arc.rank);
}

/*
 * Whether row->next leads from each vertex of row->others to NONE. From each of
 * these vertices, a walk follows row->next; the walks are numbered from 1.
 * row->marks[v] is the number of the first walk that met vertex v. A walk may
 * end at a vertex that an earlier walk has met, because the earlier walk led to
 * NONE.
 */
static bool walks_end(const struct row *row, uint32_t n_others)
{
	for (uint32_t i = 0; i < n_others; i++) {
		uint32_t v = row->others[i];

		for (; v != NONE && row->marks[v] == 0; v = row->next[v])
			row->marks[v] = i + 1;
		if (v != NONE && row->marks[v] == i + 1)
			return false; /* this walk has met v before */
	}
	return true;
}

static APSP_INLINE bool row_agrees(
	const struct row *row, enum apsp_element element)
{
	uint32_t n = row->tree->lengths->n_vertices, code;
	uint32_t n_others = others_find(row, element, n);
	bool right = true;

	apsp_in_arcs_codes(row->tree->lengths, row->predecessors, row->source,
		row->source + 1, &code);
	right = code == NONE &&
		apsp_root_widths_at(element, row->values, row->source) == 0;
	for (uint32_t i = 0; right && i < n_others; i++)
		right = other_agrees(row, element, row->others[i]);
	return right && walks_end(row, n_others);
}

APSP_WIDE static bool narrow_agrees(const struct row *row)
{
	return row_agrees(row, APSP_ELEMENT_U16);
}

APSP_WIDE static bool wide_agrees(const struct row *row)
{
	return row_agrees(row, APSP_ELEMENT_I32);
}

bool apsp_tail_tree_proves(const struct apsp_tail_tree *tree,
	unsigned int thread, uint32_t source, const void *values,
	const void *predecessors)
{
	const struct apsp_root_widths *root = tree->root;
	size_t n = tree->lengths->n_vertices;
	uint32_t *steps = tree->steps + thread * PER_VERTEX * (n + 1);
	const struct row row = {.tree = tree,
		.values = values,
		.predecessors = predecessors,
		.source = source,
		.to = apsp_root_widths_at(root->element, root->to, source),
		.others = steps,
		.next = steps + (n + 1),
		.marks = steps + 2 * (n + 1)};

	return root->element == APSP_ELEMENT_U16 ? narrow_agrees(&row)
						 : wide_agrees(&row);
}
