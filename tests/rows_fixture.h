/*
 * For tests of rows on demand: a file of arcs that is written, sealed and
 * loaded, and random graphs.
 */
#ifndef APSP_TESTS_ROWS_FIXTURE_H
#define APSP_TESTS_ROWS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compute/rows/demand_file.h"
#include "compute/rows/row_solve.h"
#include "compute/solve/prepared_graph.h"
#include "tests/graph_fixture.h"
#include "tests/processors.h"

enum {
	N = 130, /* not a multiple of 64 */
};

struct fixture {
	char dir[64];
	char path[80];
	struct apsp_prepared_graph prepared;
	struct apsp_row_graph graph;
	struct apsp_row_solver *solver;
};

static inline int make_dir(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	(void)processors_pin(4); /* so that each thread gets many rows */
	snprintf(f->dir, sizeof(f->dir), "/tmp/rows-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->path, sizeof(f->path), "%s/tables", f->dir);
	*state = f;
	return 0;
}

static inline int remove_dir(void **state)
{
	struct fixture *f = *state;

	unlink(f->path);
	rmdir(f->dir);
	free(f);
	return 0;
}

/* Add the header's last fields, as the daemon does. */
static inline void seal(const char *path)
{
	static const char hash[APSP_HASH_SIZE] =
		"0123456789abcdef0123456789abcdef"
		"0123456789abcdef0123456789abcdef";
	FILE *file = fopen(path, "r+");
	struct apsp_table_header header;

	assert_non_null(file);
	assert_int_equal(fread(&header, sizeof(header), 1, file), 1);
	apsp_table_header_seal(&header, hash, hash);
	rewind(file);
	assert_int_equal(fwrite(&header, sizeof(header), 1, file), 1);
	fclose(file);
}

static inline int file_write(const struct fixture *f)
{
	const struct apsp_prepared_graph *p = &f->prepared;
	const struct apsp_demand_file file = {.path = f->path,
		.lengths = &p->lengths,
		.integers = &p->integers,
		.components = &p->components,
		.on_cycle = &p->on_cycle,
		.precision = APSP_PRECISION_FLOAT32};

	return apsp_demand_file_write(&file, NULL);
}

/* Prepare the graph as a job with tables=none does, write the file and load
   it. */
static inline void load(struct fixture *f, const struct graph_fixture *graph)
{
	struct apsp_prepared_graph *p = &f->prepared;
	struct apsp_negative_cycle cycle = {0};
	struct apsp_err err;

	*p = (struct apsp_prepared_graph){.graph = graph->graph};
	assert_int_equal(apsp_prepared_graph_bare(p, &cycle, &err), 0);
	apsp_negative_cycle_done(&cycle);
	assert_int_equal(file_write(f), 0);
	seal(f->path);
	assert_int_equal(apsp_row_graph_open(f->path, &f->graph, &err), 0);
	assert_int_equal(apsp_row_solver_new(&f->graph, &f->solver, &err), 0);
}

static inline void unload(struct fixture *f)
{
	apsp_row_solver_free(f->solver);
	apsp_row_graph_done(&f->graph);
	f->prepared.graph = (struct apsp_graph){0};
	apsp_prepared_graph_done(&f->prepared);
}

static inline double whole(uint32_t x)
{
	return x % 7;
}

/* A random graph. With two arcs a vertex, many pairs have no path; with more,
   rows are computed together. Many paths are equally short. */
static inline void random_make(struct graph_fixture *graph, uint32_t n,
	uint32_t degree, double (*length)(uint32_t x))
{
	uint32_t x = 12345;

	graph_fixture_init(graph, n);
	for (uint32_t i = 0; i < degree * n; i++) {
		uint32_t from, to;

		x = x * 1664525 + 1013904223;
		from = (x >> 8) % n;
		x = x * 1664525 + 1013904223;
		to = (x >> 8) % n;
		graph_fixture_add(graph, from, to, length(x >> 16));
	}
	graph->graph.profile.duplicates = APSP_DUPLICATES_MIN;
}

#endif
