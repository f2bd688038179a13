/*
 * A small graph with its tables, made by `reference` on the host, and its arcs
 * in memory: for the tests of searches.
 */
#ifndef APSP_TESTS_SEARCH_FIXTURE_H
#define APSP_TESTS_SEARCH_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compute/solve/prepared_graph.h"
#include "compute/solve/width_attempts.h"
#include "storage/search/adjacency_cache.h"
#include "storage/tables/table_seal.h"
#include "storage/tables/tables.h"
#include "tests/graph_fixture.h"

#define SEARCH_CHECK(x) search_check(x, #x, __LINE__)

static inline void search_check(bool right, const char *what, int line)
{
	if (right)
		return;
	fprintf(stderr, "search_fixture.h:%d: %s\n", line, what);
	abort();
}

struct search_fixture {
	struct graph_fixture graph; /* filled by the test */
	struct apsp_tables *tables;
	struct apsp_adjacency_cache *cache;
	struct apsp_shared_adjacency *shared;
	const struct apsp_adjacency *arcs;
};

static inline void search_fixture_init(struct search_fixture *f, uint32_t n)
{
	memset(f, 0, sizeof(*f));
	graph_fixture_init(&f->graph, n);
}

/* Write the tables of the graph file. False: a negative cycle. */
static inline bool search_fixture_tables(
	const char *graph_path, const char *path)
{
	struct apsp_prepared_graph prepared = {0};
	struct apsp_negative_cycle cycle = {0};
	struct apsp_progress progress;
	atomic_bool stop = false;
	struct apsp_width_attempts attempt = {
		.prepared = &prepared,
		.algorithm = apsp_distance_algorithm_find("reference"),
		.algorithm_name = "reference",
		.progress = &progress,
		.path = path,
	};
	struct apsp_err err;
	int r;

	apsp_progress_init(&progress, NULL, &stop);
	SEARCH_CHECK(
		apsp_prepared_graph_open(graph_path, &prepared, &err) == 0);
	r = apsp_prepared_graph_lengths(&prepared, &cycle, &err);
	free(cycle.vertices);
	if (r == 0) {
		SEARCH_CHECK(apsp_prepared_graph_closure(&prepared, NULL, NULL,
				     &progress, &err) == 0);
		SEARCH_CHECK(apsp_width_attempts_run(&attempt, &err) == 0);
	}
	apsp_prepared_graph_done(&prepared);
	return r == 0;
}

/*
 * Make the tables of the graph under a transform and open them. False: the
 * lengths have a negative cycle.
 */
static inline bool search_fixture_open(struct search_fixture *f,
	enum apsp_transform transform, enum apsp_precision precision)
{
	static const char revision[] = "00112233445566778899aabbccddeeff"
				       "00112233445566778899aabbccddeeff";
	static const struct apsp_tables_watch nobody;
	const char *tmp = getenv("TMPDIR");
	char dir[256], graph_path[280], path[280];
	struct apsp_err err;
	uint64_t checksum;
	bool made;

	f->graph.graph.profile = (struct apsp_profile){
		.transform = transform,
		.duplicates = APSP_DUPLICATES_MIN,
		.precision = precision,
	};
	snprintf(dir, sizeof(dir), "%s/apsp-search-XXXXXX", tmp ? tmp : "/tmp");
	SEARCH_CHECK(mkdtemp(dir));
	snprintf(graph_path, sizeof(graph_path), "%s/graph", dir);
	snprintf(path, sizeof(path), "%s/t.apsp", dir);
	SEARCH_CHECK(apsp_graph_write(graph_path, &f->graph.graph, &err) == 0);
	made = search_fixture_tables(graph_path, path);
	if (made) {
		SEARCH_CHECK(apsp_table_seal(path, revision, revision,
				     &checksum, &err) == 0);
		SEARCH_CHECK(apsp_tables_open(path, revision, revision, &nobody,
				     &f->tables, &err) == 0);
		SEARCH_CHECK(apsp_adjacency_cache_new(0, &f->cache, &err) == 0);
		SEARCH_CHECK(apsp_adjacency_cache_open(f->cache, f->tables,
				     &f->shared, &err) == 0);
		while (apsp_adjacency_cache_load(f->shared, f->tables, &err) >
			0)
			continue;
		f->arcs = apsp_adjacency_cache_arcs(f->shared);
		SEARCH_CHECK(f->arcs);
	}
	unlink(graph_path);
	unlink(path);
	rmdir(dir);
	return made;
}

static inline void search_fixture_done(struct search_fixture *f)
{
	apsp_adjacency_cache_close(f->shared);
	apsp_adjacency_cache_free(f->cache);
	apsp_tables_unref(f->tables);
	graph_fixture_done(&f->graph);
}

#endif
