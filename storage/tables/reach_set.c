/*
 * Finds the vertices that a vertex reaches, or that reach it; see reach_set.h.
 *
 * The candidates are the vertices whose bits are set in a row of the closure,
 * or of the transposed closure, or in query.within. If the query limits
 * distances or widths, the search reads one cell (a distance or a width) for
 * each candidate. It reads no cells of other vertices. This saves time for
 * direction "in": cells are stored row by row, so each cell is in another row.
 */
#include "storage/tables/reach_set.h"

#include <errno.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "storage/tables/lookup.h"
#include "storage/tables/pair_width.h"
#include "storage/tables/table_read.h"
#include "storage/tables/tables.h"

enum {
	STEP_BOUNDED = 64, /* number of candidates that a step checks, if the
			      query limits distances or widths */
	STEP_FREE = 65536,
};

/*
 * Returns 1 if the distance from → to, which `cell` holds, is at most `bound`,
 * else 0. If the cell is a float32 and equals `bound` rounded to float32, the
 * cell cannot decide. Then the float64 sum of the path's lengths is computed as
 * in apsp_lookup_path(), and is compared with `bound`.
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
	r = apsp_lookup_path(tables, from, to, &path, err);
	return r < 0 ? r : path.distance <= bound;
}

/* Whether the query limits distances or widths. If it does, a cell of the table
   is read for each candidate. */
static bool is_bounded(const struct apsp_reach_query *query)
{
	return query->has_max_distance || query->has_min_width;
}

/* Returns 1 if the distance or the width from → to is within the query's limit,
   else 0. Distances of a column are not rounded to float32, so they are
   compared without distance_within(). */
static int within(struct apsp_tables *tables, uint32_t from, uint32_t to,
	const struct apsp_reach_query *query, struct apsp_err *err)
{
	struct apsp_cell cell;
	double width;
	int r;

	if (query->has_min_width) {
		r = apsp_pair_width_read(tables, from, to, &width, err);
		return r < 0 ? r : width >= query->min_width;
	}
	if (query->column)
		return apsp_column_get(query->column, from).distance <=
		       query->max_distance;
	r = apsp_lookup_cell(tables, from, to, &cell, err);
	if (r < 0 || !cell.reachable)
		return r;
	return distance_within(
		tables, from, to, &cell, query->max_distance, err);
}

/* Add candidate u to the set. If the query limits distances or widths, add u
   only if it is within the limit. */
static int add(
	struct apsp_reach_search *search, uint64_t u, struct apsp_err *err)
{
	const struct apsp_reach_query *query = &search->query;
	struct apsp_tables *tables = search->tables;
	int r = 1;

	if (u >= tables->header.n_vertices)
		return apsp_tables_condemn(
			tables, "a closure row has a bit past its end", err);
	if (is_bounded(query))
		r = query->direction == APSP_DIRECTION_OUT
			    ? within(tables, search->v, (uint32_t)u, query, err)
			    : within(tables, (uint32_t)u, search->v, query,
				      err);
	if (r < 0)
		return r;
	if (r > 0)
		search->set.vertices[search->set.count++] = (uint32_t)u;
	return 0;
}

int apsp_reach_search_begin(struct apsp_tables *tables, uint32_t v,
	struct apsp_reach_search *search, struct apsp_err *err)
{
	search->tables = tables;
	search->v = v;
	search->set.vertices = calloc(
		tables->header.n_vertices, sizeof(*search->set.vertices));
	return search->set.vertices
		       ? 0
		       : apsp_fail_errno(err, ENOMEM, "a set of vertices");
}

void apsp_reach_search_done(struct apsp_reach_search *search)
{
	free(search->set.vertices);
	memset(&search->set, 0, sizeof(search->set));
}

/* Check at most *left of the candidates whose bits are still set in
   search->word. */
static int word_check(
	struct apsp_reach_search *search, size_t *left, struct apsp_err *err)
{
	uint64_t base = (uint64_t)search->next_word * 64 - 64;
	int r = 0;

	for (; search->word && *left > 0 && r == 0; (*left)--) {
		r = add(search,
			base + (unsigned int)__builtin_ctzll(search->word),
			err);
		search->word &= search->word - 1;
	}
	return r;
}

/* Read the next word of the row of candidates. */
static int word_read(struct apsp_reach_search *search, struct apsp_err *err)
{
	const struct apsp_reach_query *query = &search->query;
	uint32_t i = search->next_word++;

	if (query->within) {
		search->word = query->within[i];
		return 0;
	}
	return apsp_table_read_bits(search->tables,
		query->direction == APSP_DIRECTION_OUT
			? APSP_SECTION_CLOSURE
			: APSP_SECTION_CLOSURE_TRANSPOSED,
		search->v, i, &search->word, err);
}

int apsp_reach_search_step(
	struct apsp_reach_search *search, struct apsp_err *err)
{
	uint64_t n_words =
		apsp_bit_row_words(search->tables->header.n_vertices);
	size_t left = is_bounded(&search->query) ? STEP_BOUNDED : STEP_FREE;
	int r = word_check(search, &left, err);

	while (r == 0 && left > 0 && search->next_word < n_words) {
		r = word_read(search, err);
		if (r < 0)
			return r;
		left--; /* each word counts as a candidate, because reading a
			   word takes time even if it has no candidates */
		r = word_check(search, &left, err);
	}
	if (r < 0)
		return r;
	if (search->word || search->next_word < n_words)
		return 1;
	return apsp_tables_trust(search->tables, err);
}
