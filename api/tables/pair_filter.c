/*
 * Filters of pairs; see pair_filter.h. The nearest pairs are kept in a heap;
 * its root is the farthest of them.
 */
#include "api/tables/pair_filter.h"

#include <math.h>
#include <string.h>

#include "api/http/query.h"

int apsp_pair_filter_read(struct apsp_request *req,
	struct apsp_pair_filter *out, struct apsp_err *err)
{
	struct apsp_pair_filter filter = {
		.has_reachable = apsp_query_get(req, "reachable") != NULL,
	};
	uint64_t nearest;
	bool without;
	int r;

	r = apsp_query_choice(req, "reachable", "true", "false", &without, err);
	filter.reachable = filter.has_reachable && !without;
	if (r == 0)
		r = apsp_query_number(req, "max_distance",
			&filter.has_max_distance, &filter.max_distance, err);
	if (r == 0)
		r = apsp_query_uint(
			req, "nearest", 1, UINT32_MAX, 0, &nearest, err);
	if (r < 0)
		return r;
	filter.nearest = (uint32_t)nearest;
	if (without && (filter.has_max_distance || filter.nearest))
		return apsp_fail(err, APSP_EMALFORMED,
			"reachable=false asks for pairs without a path, which "
			"have no distance: max_distance and nearest exclude "
			"it");
	*out = filter;
	return 0;
}

bool apsp_pair_filter_is_set(const struct apsp_pair_filter *filter)
{
	return filter->has_reachable || filter->has_max_distance ||
	       filter->nearest > 0;
}

unsigned int apsp_pair_filter_values(const struct apsp_pair_filter *filter)
{
	if (filter->has_max_distance || filter->nearest)
		return APSP_ROW_DISTANCE;
	return filter->has_reachable ? APSP_ROW_REACHABLE : 0;
}

/*
 * Whether the pair at position a is farther than the pair at position b. If the
 * distances are equal, the later position counts as farther.
 */
static bool farther(const double *distance, uint32_t a, uint32_t b)
{
	if (distance[a] != distance[b])
		return distance[a] > distance[b];
	return a > b;
}

/* Move the item at `at` down until no item below it is farther. */
static void sink(const double *distance, uint32_t *heap, size_t n, size_t at)
{
	for (;;) {
		size_t child = 2 * at + 1;
		uint32_t held = heap[at];

		if (child >= n)
			return;
		if (child + 1 < n &&
			farther(distance, heap[child + 1], heap[child]))
			child++;
		if (!farther(distance, heap[child], held))
			return;
		heap[at] = heap[child];
		heap[child] = held;
		at = child;
	}
}

/*
 * Move the k nearest of n positions to the front, sorted by distance. Returns
 * the smaller of k and n: the number of these positions.
 */
static size_t keep_nearest(
	const double *distance, uint32_t *positions, size_t n, size_t k)
{
	k = k < n ? k : n;
	for (size_t i = k / 2; i-- > 0;)
		sink(distance, positions, k, i);
	for (size_t i = k; i < n; i++) {
		if (!farther(distance, positions[0], positions[i]))
			continue;
		positions[0] = positions[i];
		sink(distance, positions, k, 0);
	}
	for (size_t left = k; left > 1; left--) {
		uint32_t farthest = positions[0];

		positions[0] = positions[left - 1];
		positions[left - 1] = farthest;
		sink(distance, positions, left - 1, 0);
	}
	return k;
}

size_t apsp_pair_filter_apply(const struct apsp_pair_filter *filter,
	const struct apsp_row *row, uint32_t v,
	const struct apsp_vertex_set *others, uint32_t *positions)
{
	double most = filter->has_max_distance ? filter->max_distance
					       : (double)INFINITY;
	bool near = filter->has_max_distance || filter->nearest;
	size_t count = 0;

	for (size_t i = 0; i < others->n; i++) {
		bool chosen = true;

		/* max_distance and nearest choose only pairs that have a path
		 */
		if (near)
			chosen = isfinite(row->distance[i]) &&
				 row->distance[i] <= most &&
				 !(filter->nearest &&
					 apsp_vertex_set_at(others, i) == v);
		else if (filter->has_reachable)
			chosen = row->reachable[i] == filter->reachable;
		positions[count] = (uint32_t)i;
		count += chosen;
	}
	if (filter->nearest)
		count = keep_nearest(
			row->distance, positions, count, filter->nearest);
	return count;
}
