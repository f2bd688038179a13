/* The widest paths of a batch; see widest_pairs.h. */
#include "api/paths/widest_pairs.h"

#include <math.h>
#include <string.h>

#include "storage/tables/pair_width.h"

int apsp_widest_pairs_open(struct apsp_request *req,
	const struct apsp_reading *reading, struct apsp_share *share,
	struct apsp_widest_pairs *pairs, struct apsp_err *err)
{
	const struct apsp_table_header *header = &reading->tables->header;
	int r;

	if (pairs->search.arcs)
		return 0;
	r = apsp_reading_arcs(req, reading, &pairs->shared, err);
	if (r != 0)
		return r;
	r = apsp_request_wait_memory(
		req, apsp_share_grow(share,
			     apsp_width_search_first_bytes(header->n_vertices),
			     "the search", err));
	if (r < 0)
		return r;
	pairs->max_arcs = apsp_reading_max_arcs(req, reading);
	return apsp_width_search_init(apsp_adjacency_cache_arcs(pairs->shared),
		&pairs->nothing, &pairs->search, err);
}

void apsp_widest_pairs_done(struct apsp_widest_pairs *pairs)
{
	apsp_width_search_done(&pairs->search);
	apsp_adjacency_cache_close(pairs->shared);
	memset(pairs, 0, sizeof(*pairs));
}

int apsp_widest_pairs_path(struct apsp_widest_pairs *pairs,
	struct apsp_tables *tables, uint32_t from, uint32_t to,
	struct apsp_path *out, struct apsp_err *err)
{
	struct apsp_width_search *search = &pairs->search;
	double rank = 0;
	int r = 0;

	if (!pairs->searching) {
		r = apsp_pair_width_rank(tables, from, to, &rank, err);
		if (r < 0)
			return r;
		if (rank == INFINITY) {
			*out = (struct apsp_path){.is_widest = true};
			return 0;
		}
		pairs->work =
			(struct apsp_search_work){.max_arcs = pairs->max_arcs};
		r = apsp_width_search_begin(search, from, to, rank, err);
		pairs->searching = r == 0;
	}
	if (r == 0)
		r = apsp_width_search_step(search, &pairs->work, err);
	if (r != 0)
		return r;
	pairs->searching = false;
	if (!search->found)
		return apsp_tables_condemn(
			tables, "a width is not that of a path", err);
	return apsp_lookup_along(
		tables, search->vertices, search->n_arcs, out, err);
}
