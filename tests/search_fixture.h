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

#include "storage/search/adjacency_cache.h"
#include "storage/tables/table_seal.h"
#include "storage/tables/tables.h"
#include "tests/fixture_check.h"
#include "tests/graph_fixture.h"
#include "tests/host_tables.h"

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
	struct apsp_job_failure failure = {0};
	int r = host_tables_write(graph_path, path, &failure);

	CHECK(r == 0 || failure.cycle);
	apsp_job_failure_done(&failure);
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
	CHECK(mkdtemp(dir));
	snprintf(graph_path, sizeof(graph_path), "%s/graph", dir);
	snprintf(path, sizeof(path), "%s/t.apsp", dir);
	CHECK(apsp_graph_write(graph_path, &f->graph.graph, &err) == 0);
	made = search_fixture_tables(graph_path, path);
	if (made) {
		CHECK(apsp_table_seal(
			      path, revision, revision, &checksum, &err) == 0);
		CHECK(apsp_tables_open(path, revision, revision, &nobody,
			      &f->tables, &err) == 0);
		CHECK(apsp_adjacency_cache_new(1 << 30, &f->cache, &err) == 0);
		CHECK(apsp_adjacency_cache_open(
			      f->cache, f->tables, &f->shared, &err) == 0);
		while (apsp_adjacency_cache_load(f->shared, f->tables, &err) >
			0)
			continue;
		f->arcs = apsp_adjacency_cache_arcs(f->shared);
		CHECK(f->arcs);
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
