/*
 * Stores predecessors in rows; see row_order.h.
 */
#include "compute/rows/row_order.h"

#include "compute/graph/in_arcs.h"

void apsp_row_order_store(const struct apsp_row_graph *graph, uint32_t j,
	bool has, uint64_t arc, unsigned char *out)
{
	const struct apsp_in_arcs *in = &graph->lengths.in;
	uint32_t code = !has ? UINT32_MAX
			: apsp_in_arcs_ranks(&graph->lengths)
				? (uint32_t)(arc - in->offsets[j])
				: in->tails[arc];

	apsp_in_arcs_put(&graph->lengths, out, j, code);
}

int apsp_row_order_overflow(
	const struct apsp_row_graph *graph, struct apsp_err *err)
{
	if (graph->integers.kind == APSP_DISTANCE_SUM)
		return apsp_fail(err, APSP_EOVERFLOW,
			"a path from or to this vertex is longer than %.3g. "
			"With the smallest length of this graph, 62 bits hold "
			"no longer path; drop or raise the smallest lengths",
			0x1p62 * graph->integers.unit);
	return apsp_fail(err, APSP_EOVERFLOW,
		"a path from or to this vertex is too long, or has too many "
		"arcs, for integers of 62 bits; divide the weights by a power "
		"of two");
}

uint64_t *apsp_row_order_bits(
	const struct apsp_row_graph *graph, unsigned char *out)
{
	enum apsp_demand demand;

	return (uint64_t *)(out + apsp_demand_at(&graph->header,
					  APSP_SECTION_CLOSURE, &demand));
}
