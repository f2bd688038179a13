/*
 * Served sample tables to be damaged: written, sealed, mapped, asked, watched.
 */
#ifndef APSP_TESTS_DAMAGED_TABLES_H
#define APSP_TESTS_DAMAGED_TABLES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>

#include <cmocka.h>

#include "daemon/base/auto.h"
#include "storage/tables/tables.h"
#include "tests/ask_table.h"
#include "tests/reach_search.h"
#include "tests/sample_tables.h"
#include "storage/tables/lookup.h"
#include "storage/tables/table_read.h"
#include "storage/tables/table_seal.h"
#include "storage/tables/reach_set.h"
#include "storage/tables/table_stats.h"

static atomic_int n_reports;

static inline void on_damage(void *ctx)
{
	atomic_fetch_add((atomic_int *)ctx, 1);
}

static const struct apsp_tables_watch watch = {on_damage, &n_reports};

static const struct sample_kind scaled = {
	APSP_DISTANCE_SCALED, APSP_ELEMENT_I32, SAMPLE_N, 1000, false, false};
static const struct sample_kind ranked = {
	APSP_DISTANCE_SCALED, APSP_ELEMENT_I32, SAMPLE_N, 1000, false, true};

static inline int set_up(void **state)
{
	struct sample *s;

	s = sample_new(&scaled, 1);
	*state = s;
	return sample_set_up(state);
}

static inline int set_up_ranked(void **state)
{
	*state = sample_new(&ranked, 1);
	return sample_set_up(state);
}

static inline int tear_down(void **state)
{
	free(*state);
	return sample_tear_down(state);
}

static inline int seal(void)
{
	uint64_t checksum;

	return apsp_table_seal(
		path, SAMPLE_REVISION, SAMPLE_PROFILE, &checksum, NULL);
}

static inline int try_open(struct apsp_tables **out)
{
	return apsp_tables_open(
		path, SAMPLE_REVISION, SAMPLE_PROFILE, &watch, out, NULL);
}

/* Write s, seal it, map it. */
static inline struct apsp_tables *serve(const struct sample *s)
{
	struct apsp_tables *tables = NULL;

	sample_write(s, path);
	assert_int_equal(seal(), 0);
	assert_int_equal(try_open(&tables), 0);
	atomic_store(&n_reports, 0);
	return tables;
}

static inline int ask_cell(struct apsp_tables *t, uint32_t i, uint32_t j)
{
	struct apsp_cell cell;

	return ask_table_cell(t, i, j, &cell);
}

static inline int ask_row(struct apsp_tables *t, uint32_t i)
{
	double distance[SAMPLE_N];
	uint32_t hops[SAMPLE_N];

	return ask_table_row(t, i, distance, hops);
}

static inline int ask_path(struct apsp_tables *t, uint32_t i, uint32_t j)
{
	APSP_AUTO(apsp_path_done) struct apsp_path p = {0};

	return apsp_lookup_path(t, i, j, &p, NULL);
}

/* Whether there is an arc from the first vertex to the second. */
static inline int ask_arc(struct apsp_tables *t)
{
	int r = apsp_table_read_has_arc(t, 0, 1, NULL);

	return r < 0 ? r : apsp_tables_trust(t, NULL);
}

static inline int ask_reachable(struct apsp_tables *t, uint32_t i, uint32_t j)
{
	bool bit;

	return apsp_lookup_reachable(t, i, j, &bit, NULL);
}

static inline int ask_cycle(struct apsp_tables *t, uint32_t v)
{
	bool bit;

	return apsp_lookup_on_cycle(t, v, &bit, NULL);
}

static inline int ask_stats(struct apsp_tables *t)
{
	APSP_AUTO(apsp_table_stats_done) struct apsp_table_stats stats = {0};

	return apsp_table_stats_load(t, &stats, NULL);
}

static inline int ask_set(struct apsp_tables *t, enum apsp_direction direction)
{
	APSP_AUTO(apsp_reach_search_done) struct apsp_reach_search search = {0};
	struct apsp_reach_query query = {.direction = direction};

	return reach_search(t, SAMPLE_N / 2, &query, &search);
}

/* Nothing is answered any more, and the one report has been made. */
static inline void check_condemned(struct apsp_tables *t)
{
	assert_true(apsp_tables_damaged(t));
	assert_int_equal(ask_cell(t, 1, 2), APSP_EDAMAGED);
	assert_int_equal(ask_cell(t, 3, 3), APSP_EDAMAGED);
	assert_int_equal(ask_path(t, 1, 2), APSP_EDAMAGED);
	assert_int_equal(ask_reachable(t, 1, 2), APSP_EDAMAGED);
	assert_int_equal(ask_cycle(t, 1), APSP_EDAMAGED);
	assert_int_equal(ask_stats(t), APSP_EDAMAGED);
	assert_int_equal(ask_set(t, APSP_DIRECTION_OUT), APSP_EDAMAGED);
	assert_int_equal(ask_set(t, APSP_DIRECTION_IN), APSP_EDAMAGED);
	assert_int_equal(apsp_tables_scrub(t, NULL), APSP_EDAMAGED);
	assert_int_equal(atomic_load(&n_reports), 1);
}

#endif
