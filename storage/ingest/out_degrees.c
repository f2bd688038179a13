/*
 * Counts in an array that grows with the highest vertex; see out_degrees.h.
 */
#include "storage/ingest/out_degrees.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/weights.h"

enum {
	FIRST_COUNTS = 1 << 10,
};

void apsp_out_degrees_init(
	struct apsp_out_degrees *degrees, struct apsp_share *share)
{
	*degrees = (struct apsp_out_degrees){.share = share};
}

/* Make room for a vertex. False: there is no memory for it. */
static bool grow(struct apsp_out_degrees *degrees, uint32_t vertex)
{
	const uint32_t before = degrees->n_counts;
	uint32_t n = before ? before : FIRST_COUNTS;
	struct apsp_err ignored;
	uint32_t *counts;
	size_t bytes;

	while (n <= vertex)
		n *= 2;
	bytes = (n - before) * sizeof(*counts);
	if (apsp_share_grow(degrees->share, bytes, "its degrees", &ignored) < 0)
		return false;
	counts = realloc(degrees->counts, n * sizeof(*counts));
	if (!counts) {
		apsp_share_shrink(degrees->share, bytes);
		return false;
	}
	memset(counts + before, 0, bytes);
	degrees->counts = counts;
	degrees->n_counts = n;
	return true;
}

void apsp_out_degrees_add(struct apsp_out_degrees *degrees, uint32_t tail)
{
	if (degrees->given_up)
		return;
	if (tail >= degrees->n_counts && !grow(degrees, tail)) {
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
		       : apsp_weights_of_degrees(n_vertices, degrees->n_arcs,
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
