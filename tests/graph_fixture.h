/*
 * A graph in memory as the solver gets it from its file, for tests. Labels are
 * "v0", "v1", … unless a test sets its own.
 */
#ifndef APSP_TESTS_GRAPH_FIXTURE_H
#define APSP_TESTS_GRAPH_FIXTURE_H

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/job/graph_file.h"

struct graph_fixture {
	struct apsp_graph graph;
	struct apsp_arc *arcs; /* filled by graph_fixture_add() */
	uint64_t capacity;
	uint64_t *offsets;
	char *labels;
};

static inline void graph_fixture_init(struct graph_fixture *f, uint32_t n)
{
	uint64_t used = 0;

	memset(f, 0, sizeof(*f));
	f->offsets = calloc((size_t)n + 1, sizeof(*f->offsets));
	f->labels = malloc((size_t)n * 12 + 1);
	assert(f->offsets && f->labels);
	for (uint32_t v = 0; v < n; v++) {
		used += (uint64_t)sprintf(f->labels + used, "v%u", v);
		f->offsets[v + 1] = used;
	}
	f->graph.n_vertices = n;
	f->graph.label_offsets = f->offsets;
	f->graph.label_bytes = f->labels;
}

static inline void graph_fixture_add(
	struct graph_fixture *f, uint32_t from, uint32_t to, double weight)
{
	if (f->graph.n_arcs == f->capacity) {
		f->capacity = 2 * f->capacity + 16;
		f->arcs = realloc(f->arcs, f->capacity * sizeof(*f->arcs));
		assert(f->arcs);
		f->graph.arcs = f->arcs;
	}
	f->arcs[f->graph.n_arcs++] =
		(struct apsp_arc){.from = from, .to = to, .weight = weight};
}

static inline void graph_fixture_done(struct graph_fixture *f)
{
	free(f->arcs);
	free(f->offsets);
	free(f->labels);
}

#endif
