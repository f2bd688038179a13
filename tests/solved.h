/*
 * For tests: solve a graph in this process and read the table file it gives.
 */
#ifndef APSP_TESTS_SOLVED_H
#define APSP_TESTS_SOLVED_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compute/solve/width_attempts.h"
#include "daemon/job/table_file.h"

/* A table file in memory. */
struct solved {
	char *bytes;
	size_t size;
	const struct apsp_table_header *header;
};

static inline void solved_done(struct solved *s)
{
	free(s->bytes);
	memset(s, 0, sizeof(*s));
}

static inline const void *solved_section(
	const struct solved *s, enum apsp_section section)
{
	return s->bytes + s->header->sections[section].offset;
}

static inline bool solved_read(const char *path, struct solved *out)
{
	FILE *file = fopen(path, "rb");
	long size;

	if (!file)
		return false;
	fseek(file, 0, SEEK_END);
	size = ftell(file);
	rewind(file);
	out->bytes = malloc((size_t)size);
	out->size = (size_t)size;
	out->header = (const struct apsp_table_header *)(void *)out->bytes;
	if (fread(out->bytes, 1, out->size, file) != out->size)
		solved_done(out);
	fclose(file);
	return out->bytes != NULL;
}

/*
 * Solve the graph file dir/graph by a named algorithm on device (NULL: for
 * `reference` only), into dir/tables. "" and closure's algorithms leave the
 * choice to the plan, as they do for jobs. out_left, unless NULL, gets the
 * table file's mapping (width_attempts.h). Returns what the solve returned.
 */
static inline int solved_compute(const char *dir,
	const struct apsp_device *device, const char *algorithm,
	struct apsp_progress *progress, struct apsp_file_map *out_left,
	struct apsp_err *err)
{
	struct apsp_prepared_graph prepared = {0};
	struct apsp_negative_cycle cycle = {0};
	bool planned = !algorithm[0] || strncmp(algorithm, "closure-", 8) == 0;
	char graph[400], tables[400];
	const struct apsp_width_attempts attempt = {
		.prepared = &prepared,
		.device = device,
		.algorithm = planned ? NULL
				     : apsp_distance_algorithm_find(algorithm),
		.progress = progress,
		.path = tables,
		.left = out_left,
	};
	int r;

	snprintf(graph, sizeof(graph), "%s/graph", dir);
	snprintf(tables, sizeof(tables), "%s/tables", dir);
	r = apsp_prepared_graph_open(graph, &prepared, err);
	/* the table file's header has this name */
	snprintf(prepared.graph.profile.algorithm,
		sizeof(prepared.graph.profile.algorithm), "%s", algorithm);
	if (r >= 0)
		r = apsp_prepared_graph_lengths(&prepared, &cycle, err);
	if (r >= 0)
		r = apsp_progress_enter(progress, APSP_STAGE_CLOSURE, err);
	if (r >= 0)
		r = apsp_prepared_graph_closure(&prepared,
			apsp_closure_algorithm_find(algorithm), device,
			progress, err);
	if (r >= 0)
		r = apsp_width_attempts_run(&attempt, err);
	apsp_negative_cycle_done(&cycle);
	apsp_prepared_graph_done(&prepared);
	return r;
}

/* The same, and read the table file, which is removed. */
static inline int solved_run(const char *dir, const struct apsp_device *device,
	const char *algorithm, struct solved *out, struct apsp_err *err)
{
	struct apsp_progress silent;
	char tables[400];
	int r;

	snprintf(tables, sizeof(tables), "%s/tables", dir);
	apsp_progress_init(&silent, NULL, NULL);
	r = solved_compute(dir, device, algorithm, &silent, NULL, err);
	if (r >= 0 && !solved_read(tables, out))
		r = apsp_fail(err, APSP_EIO, "no table file");
	remove(tables);
	return r;
}

/* Whether the algorithm or closure of that name takes the lengths of a solve.
 */
static inline bool solved_takes(const struct solved *s, const char *algorithm)
{
	int id = apsp_algorithm_find(algorithm);

	return id < 0 || !apsp_algorithms[id].hops_only ||
	       s->header->distance_kind == APSP_DISTANCE_HOPS;
}

/* Whether two table files hold the same tables, header and checksums apart. */
static inline bool solved_same(const struct solved *a, const struct solved *b)
{
	size_t data = a->header->data_end - APSP_TABLE_BLOCK;

	return a->size == b->size &&
	       memcmp(a->header->sections, b->header->sections,
		       sizeof(a->header->sections)) == 0 &&
	       a->header->scale == b->header->scale &&
	       memcmp(a->bytes + APSP_TABLE_BLOCK, b->bytes + APSP_TABLE_BLOCK,
		       data) == 0;
}

/* One cell, as table_file.h says; false: no path. hops is -1 for sums. */
static inline bool solved_cell(const struct solved *s, uint32_t i, uint32_t j,
	double *distance, int64_t *hops)
{
	uint64_t at = (uint64_t)i * s->header->n_vertices + j;
	const void *cells = solved_section(s, APSP_SECTION_DISTANCE);
	int64_t scale = s->header->scale;
	double v;

	*distance = INFINITY;
	*hops = -1;
	switch (s->header->sections[APSP_SECTION_DISTANCE].element) {
	case APSP_ELEMENT_U16:
		v = ((const uint16_t *)cells)[at];
		if (v >= APSP_V_INFINITY_U16)
			return false;
		break;
	case APSP_ELEMENT_I32:
		v = ((const int32_t *)cells)[at];
		if (v >= APSP_V_INFINITY_I32)
			return false;
		break;
	case APSP_ELEMENT_F32:
		v = ((const float *)cells)[at];
		break;
	default:
		v = ((const double *)cells)[at];
	}
	if (isinf(v))
		return false;
	*distance = v;
	if (s->header->distance_kind == APSP_DISTANCE_HOPS)
		*hops = (int64_t)v;
	if (s->header->distance_kind == APSP_DISTANCE_SCALED) {
		*distance = floor(v / (double)scale);
		*hops = (int64_t)(v - *distance * (double)scale);
	}
	return true;
}

/* The predecessor of j from i; UINT32_MAX for none. */
static inline uint32_t solved_predecessor(
	const struct solved *s, uint32_t i, uint32_t j)
{
	uint64_t at = (uint64_t)i * s->header->n_vertices + j;
	const void *cells = solved_section(s, APSP_SECTION_PREDECESSOR);
	const uint64_t *offsets = solved_section(s, APSP_SECTION_IN_OFFSETS);
	const uint32_t *tails = solved_section(s, APSP_SECTION_IN_TAILS);
	uint32_t k;

	switch (s->header->sections[APSP_SECTION_PREDECESSOR].element) {
	case APSP_ELEMENT_U8:
		k = ((const uint8_t *)cells)[at];
		k = k == UINT8_MAX ? UINT32_MAX : k;
		break;
	case APSP_ELEMENT_U16:
		k = ((const uint16_t *)cells)[at];
		k = k == UINT16_MAX ? UINT32_MAX : k;
		break;
	default:
		k = ((const uint32_t *)cells)[at];
	}
	if (!apsp_table_has_ranks(s->header) || k == UINT32_MAX)
		return k;
	return k < offsets[j + 1] - offsets[j] ? tails[offsets[j] + k]
					       : UINT32_MAX - 1;
}

static inline bool solved_bit(const struct solved *s, enum apsp_section section,
	uint32_t i, uint32_t j)
{
	const uint64_t *words = solved_section(s, section);
	uint64_t row = apsp_bit_row_words(s->header->n_vertices);

	return words[i * row + j / 64] >> (j % 64) & 1;
}

/* The length of arc (u, v) in the file's own rows; NAN: there is none. */
static inline double solved_length(
	const struct solved *s, uint32_t u, uint32_t v)
{
	const uint64_t *offsets = solved_section(s, APSP_SECTION_ARC_OFFSETS);
	const uint32_t *heads = solved_section(s, APSP_SECTION_ARC_HEADS);
	const double *lengths = solved_section(s, APSP_SECTION_ARC_LENGTHS);
	uint64_t low = offsets[u], high = offsets[u + 1];

	while (low < high) {
		uint64_t middle = (low + high) / 2;

		if (heads[middle] < v)
			low = middle + 1;
		else
			high = middle;
	}
	return low < offsets[u + 1] && heads[low] == v ? lengths[low] : NAN;
}

enum {
	SOLVED_UNWALKED = -2,
};

/* The paths from one vertex, each walked by its predecessors. */
struct solved_paths {
	int64_t *hops; /* -1: no path leads there from the source */
	double *sums;  /* of its arcs, added up from the source on */
	uint32_t *stack;
};

static inline void solved_paths_init(
	const struct solved *s, struct solved_paths *paths)
{
	size_t n = s->header->n_vertices;

	paths->hops = malloc(n * sizeof(*paths->hops));
	paths->sums = malloc(n * sizeof(*paths->sums));
	paths->stack = malloc(n * sizeof(*paths->stack));
}

static inline void solved_paths_done(struct solved_paths *paths)
{
	free(paths->hops);
	free(paths->sums);
	free(paths->stack);
}

/* Walk i → j back to i, or to a vertex whose path has been walked before. */
static inline void solved_walk(const struct solved *s, uint32_t i, uint32_t j,
	struct solved_paths *paths)
{
	uint32_t depth = 0, v = j;

	for (; v < s->header->n_vertices && paths->hops[v] == SOLVED_UNWALKED;
		v = solved_predecessor(s, i, v)) {
		paths->hops[v] = -1; /* so a path that meets itself is none */
		paths->stack[depth++] = v;
	}
	if (v >= s->header->n_vertices || paths->hops[v] < 0)
		return;
	for (; depth > 0; depth--) {
		uint32_t next = paths->stack[depth - 1];

		paths->hops[next] = paths->hops[v] + 1;
		paths->sums[next] = paths->sums[v] + solved_length(s, v, next);
		v = next;
	}
}

/* Walk all paths from i. */
static inline void solved_walk_all(
	const struct solved *s, uint32_t i, struct solved_paths *paths)
{
	uint32_t n = (uint32_t)s->header->n_vertices;

	for (uint32_t j = 0; j < n; j++)
		paths->hops[j] = SOLVED_UNWALKED;
	paths->hops[i] = 0;
	paths->sums[i] = 0;
	for (uint32_t j = 0; j < n; j++)
		solved_walk(s, i, j, paths);
}

#endif
