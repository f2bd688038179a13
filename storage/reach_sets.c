/*
 * Which vertices a vertex reaches, or is reached by; see tables.h.
 *
 * The closure, or the transposed one, names the candidates; a bound looks at
 * each candidate's distance besides. So the column that the direction "in"
 * reads of a row-major table is only touched where it can hold something.
 */
#include <errno.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "storage/table_read.h"
#include "storage/table_verify.h"

void apsp_vertex_set_done(struct apsp_vertex_set *set)
{
	free(set->vertices);
	memset(set, 0, sizeof(*set));
}

/*
 * 1: the distance of from → to, which is cell's, is within the bound. A float32
 * is a rounded sum: where the bound rounds to the same, the path's own sum,
 * which is what apsp_tables_path() tells, decides.
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
	r = apsp_tables_path(tables, from, to, &path, err);
	return r < 0 ? r : path.distance <= bound;
}

/* 1: the path from → to is within the bounds; 0: it is not. */
static int within(struct apsp_tables *tables, uint32_t from, uint32_t to,
	const struct apsp_reach_query *query, struct apsp_err *err)
{
	struct apsp_cell cell;
	uint32_t walked;
	int r;

	r = apsp_tables_cell(tables, from, to, &cell, err);
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
	r = apsp_tables_read_hops(
		tables, from, to, query->max_hops, &walked, err);
	if (r < 0)
		return r;
	return walked <= query->max_hops;
}

/* Add those of 64 candidates, from vertex number base on, that are wanted. */
static int add_word(struct apsp_tables *tables, uint32_t v, uint64_t word,
	uint32_t base, const struct apsp_reach_query *query,
	struct apsp_vertex_set *set, struct apsp_err *err)
{
	bool bounded = query->has_max_distance || query->has_max_hops;
	uint64_t n = tables->header.n_vertices;

	for (; word; word &= word - 1) {
		uint64_t u = base + (unsigned int)__builtin_ctzll(word);
		int r = 1;

		if (u >= n)
			return apsp_tables_condemn(tables,
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

int apsp_tables_reach_set(struct apsp_tables *tables, uint32_t v,
	const struct apsp_reach_query *query, struct apsp_vertex_set *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_vertex_set_done) struct apsp_vertex_set set = {0};
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

		r = apsp_tables_read_bits(tables, section, v, w, &word, err);
		if (r == 0)
			r = add_word(tables, v, word, w * 64, query, &set, err);
	}
	if (r == 0)
		r = apsp_tables_trust(tables, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(set);
	return 0;
}
