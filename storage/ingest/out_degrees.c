/*
 * Counts by vertex; see out_degrees.h.
 */
#include "storage/ingest/out_degrees.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/arc_facts.h"
#include "daemon/base/array.h"

enum {
	FIRST_COUNTS = 1 << 10,
};

void apsp_out_degrees_init(
	struct apsp_out_degrees *degrees, struct apsp_share *share)
{
	*degrees = (struct apsp_out_degrees){.share = share};
}

/* Make the counts include a vertex. Returns false if memory is short. */
static bool reserve(struct apsp_out_degrees *degrees, uint32_t vertex)
{
	const size_t before = degrees->n_counts;
	struct apsp_err ignored;

	if (apsp_array_reserve(&degrees->counts, (size_t)vertex + 1,
		    &degrees->n_counts,
		    &(struct apsp_array_growth){sizeof(*degrees->counts),
			    FIRST_COUNTS, "its degrees", degrees->share},
		    &ignored) < 0)
		return false;
	memset(degrees->counts + before, 0,
		(degrees->n_counts - before) * sizeof(*degrees->counts));
	return true;
}

void apsp_out_degrees_add(struct apsp_out_degrees *degrees, uint32_t tail)
{
	if (degrees->given_up)
		return;
	if (tail >= degrees->n_counts && !reserve(degrees, tail)) {
		apsp_out_degrees_done(degrees);
		return;
	}
	/* (d + 1)² = d² + 2d + 1 */
	degrees->squares += 2 * (uint64_t)degrees->counts[tail] + 1;
	degrees->counts[tail]++;
	degrees->n_arcs++;
}

unsigned int apsp_out_degrees_fact(
	const struct apsp_out_degrees *degrees, uint32_t n_vertices)
{
	return degrees->given_up
		       ? 0
		       : apsp_arc_facts_of_degrees(n_vertices, degrees->n_arcs,
				 (double)degrees->squares);
}

void apsp_out_degrees_done(struct apsp_out_degrees *degrees)
{
	free(degrees->counts);
	apsp_share_shrink(
		degrees->share, degrees->n_counts * sizeof(*degrees->counts));
	degrees->counts = NULL;
	degrees->n_counts = 0;
	degrees->given_up = true;
}
