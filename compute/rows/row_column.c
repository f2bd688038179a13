/*
 * Searches tight arcs in depth; see row_column.h. The arcs that were found are
 * the way back, so the search needs no stack.
 */
#include "compute/rows/row_column.h"

#include "compute/graph/in_arcs.h"
#include "compute/rows/row_search.h"

#define NONE UINT32_MAX

/* Return the first tight arc to `head` that comes from a vertex without an arc
   in `out`. Arcs are indices in lengths.in; the search begins at the index
   `at`. Returns the end of the list if there is no such arc. */
static uint64_t arc_find(const struct apsp_row_graph *graph, const int64_t *v,
	const uint32_t *out, uint32_t head, uint64_t at)
{
	const struct apsp_in_arcs *in = &graph->lengths.in;
	uint64_t end = in->offsets[head + 1];

	for (; at < end; at++) {
		uint32_t tail = in->tails[at];

		if (out[tail] == NONE &&
			v[tail] == v[head] + graph->in_values[at])
			break;
	}
	return at;
}

int apsp_row_column_find(const struct apsp_row_graph *graph, uint32_t target,
	const int64_t *v, uint32_t *out, struct apsp_err *err)
{
	const struct apsp_lengths *lengths = &graph->lengths;
	const struct apsp_in_arcs *in = &lengths->in;
	uint32_t n_left = 0, at_vertex = target;
	uint64_t at = in->offsets[target];

	for (uint32_t j = 0; j < lengths->n_vertices; j++) {
		out[j] = NONE;
		n_left += j != target && v[j] != APSP_ROW_SEARCH_INFINITY;
	}
	while (n_left > 0) {
		at = arc_find(graph, v, out, at_vertex, at);
		if (at < in->offsets[at_vertex + 1]) {
			uint32_t tail = in->tails[at];

			if (tail == target)
				break;
			out[tail] = in->arcs[at];
			n_left--;
			at_vertex = tail;
			at = in->offsets[tail];
		} else if (at_vertex == target) {
			break;
		} else {
			uint32_t back = lengths->heads[out[at_vertex]];

			at = in->offsets[back] +
			     apsp_in_arcs_rank(in, at_vertex, back) + 1;
			at_vertex = back;
		}
	}
	return n_left == 0 ? 0
			   : apsp_fail(err, APSP_EPROOF,
				     "the paths to vertex %u lack %u vertices",
				     target, n_left);
}
