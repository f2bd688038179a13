/*
 * Reach sets; see reach_set.h.
 *
 * A row of the closure, or of the transposed closure, names the candidates.
 * Where a bound is given, each candidate's distance is read too. Direction "in"
 * reads a column of the row-major distances; so only the cells of candidates
 * are touched.
 */
#include "storage/tables/reach_set.h"

#include <errno.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "storage/tables/lookup.h"
#include "storage/tables/path.h"
#include "storage/tables/table_read.h"
#include "storage/tables/table_verify.h"
#include "storage/tables/tables_internal.h"

void apsp_reach_set_done(struct apsp_reach_set *set)
{
	free(set->vertices);
	memset(set, 0, sizeof(*set));
}

/*
 * Returns 1 if the distance from → to, read into cell, is within bound, else 0.
 * A float32 is a rounded sum: where the bound rounds to the same value, the sum
 * along the path decides, which is the distance that apsp_path_find() tells.
 */
static int distance_within(struct apsp_tables *tables, uint32_t from,
	uint32_t to, const struct apsp_cell *cell, double bound,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_path_done) struct apsp_path path = {0};
	float rounded = (float)bound;
	int r;

	if (tables->header.sections[APSP_SECTION_DISTANCE].element !=
			APSP_ELEMENT_F32 ||
		cell->distance != (double)rounded)
		return cell->distance <= bound;
	r = apsp_path_find(tables, from, to, &path, err);
	return r < 0 ? r : path.distance <= bound;
}

/* Returns 1 if the path from → to is within the query's bounds, else 0. */
static int within(struct apsp_tables *tables, uint32_t from, uint32_t to,
	const struct apsp_reach_query *query, struct apsp_err *err)
{
	struct apsp_cell cell;
	uint32_t walked;
	int r;

	r = apsp_lookup_cell(tables, from, to, &cell, err);
	if (r < 0)
		return r;
	if (!cell.reachable)
		return 0;
	if (query->has_max_distance) {
		r = distance_within(
			tables, from, to, &cell, query->max_distance, err);
		if (r <= 0)
			return r;
	}
	if (!query->has_max_hops)
		return 1;
	if (cell.hops >= 0)
		return cell.hops <= query->max_hops;
	r = apsp_table_read_hops(
		tables, from, to, query->max_hops, &walked, err);
	if (r < 0)
		return r;
	return walked <= query->max_hops;
}

/*
 * Add the candidates in word, whose bit 0 is vertex base, that are within the
 * query's bounds.
 */
static int add_word(struct apsp_tables *tables, uint32_t v, uint64_t word,
	uint32_t base, const struct apsp_reach_query *query,
	struct apsp_reach_set *set, struct apsp_err *err)
{
	bool bounded = query->has_max_distance || query->has_max_hops;
	uint64_t n = tables->header.n_vertices;

	for (; word; word &= word - 1) {
		uint64_t u = base + (unsigned int)__builtin_ctzll(word);
		int r = 1;

		if (u >= n)
			return apsp_table_verify_condemn(tables,
				"a closure row has a bit past its end", err);
		if (bounded && query->direction == APSP_DIRECTION_OUT)
			r = within(tables, v, (uint32_t)u, query, err);
		else if (bounded)
			r = within(tables, (uint32_t)u, v, query, err);
		if (r < 0)
			return r;
		if (r > 0)
			set->vertices[set->count++] = (uint32_t)u;
	}
	return 0;
}

int apsp_reach_set_find(struct apsp_tables *tables, uint32_t v,
	const struct apsp_reach_query *query, struct apsp_reach_set *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_reach_set_done) struct apsp_reach_set set = {0};
	enum apsp_section section = query->direction == APSP_DIRECTION_OUT
					    ? APSP_SECTION_CLOSURE
					    : APSP_SECTION_CLOSURE_TRANSPOSED;
	uint64_t n = tables->header.n_vertices;
	uint64_t n_words = apsp_bit_row_words(n);
	int r = 0;

	set.vertices = calloc(n, sizeof(*set.vertices));
	if (!set.vertices)
		return apsp_fail_errno(err, ENOMEM, "a set of vertices");
	for (uint32_t w = 0; w < n_words && r == 0; w++) {
		uint64_t word;

		r = apsp_table_read_bits(tables, section, v, w, &word, err);
		if (r == 0)
			r = add_word(tables, v, word, w * 64, query, &set, err);
	}
	if (r == 0)
		r = apsp_table_verify_trust(tables, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(set);
	return 0;
}
