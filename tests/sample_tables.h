/*
 * A small random graph with its tables, by Bellman–Ford from every vertex, and
 * their file made by compute's writer. For the tests of storage's lookups.
 */
#ifndef APSP_TESTS_SAMPLE_TABLES_H
#define APSP_TESTS_SAMPLE_TABLES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compute/tables/table_writer.h"
#include "daemon/job/table_file.h"
#include "daemon/job/stats_sections.h"
#include "tests/random.h"
#include "tests/table_cell.h"
#include "tests/table_widths.h"

enum {
	SAMPLE_N = 150,
	SAMPLE_M_MAX = 1200,
	/* Vertices from here on have arcs out, but none in. */
	SAMPLE_SOURCES = 140,
};

#define SAMPLE_REVISION                                                        \
	"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define SAMPLE_PROFILE                                                         \
	"ffeeddccbbaa99887766554433221100ffeeddccbbaa99887766554433221100"

struct sample {
	struct apsp_table_header header;
	uint32_t n_arcs;
	uint64_t offsets[SAMPLE_N + 1];
	uint32_t heads[SAMPLE_M_MAX];
	double weights[SAMPLE_M_MAX];
	double lengths[SAMPLE_M_MAX];
	/* the different weights in descending order, if the kind is
	   APSP_DISTANCE_WIDTH */
	double widths[SAMPLE_M_MAX];
	uint32_t n_widths;
	/* the same arcs by head */
	uint64_t in_offsets[SAMPLE_N + 1];
	uint32_t in_tails[SAMPLE_M_MAX];
	uint32_t in_arcs[SAMPLE_M_MAX];
	/* what the tables hold for i → j; predecessor -1: none */
	double v[SAMPLE_N][SAMPLE_N];
	int predecessor[SAMPLE_N][SAMPLE_N];
	uint64_t closure[SAMPLE_N][3];
	uint64_t transposed[SAMPLE_N][3];
	uint64_t on_cycle[3];
	double betweenness[SAMPLE_N]; /* of no meaning */
	/* what they mean */
	double distance[SAMPLE_N][SAMPLE_N]; /* the width, if V is its rank */
	int hops[SAMPLE_N][SAMPLE_N];
};

struct sample_kind {
	enum apsp_distance_kind kind;
	enum apsp_element element;
	int64_t scale;
	int longest;   /* lengths, or weights if V is a rank, are 1 to this */
	bool negative; /* … moved by potentials */
	bool ranks;    /* predecessors are stored as ranks */
	bool fewer;    /* the file lacks one of two tables */
};

static inline int sample_descending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x < y) - (x > y);
}

/* Make the weights from the drawn lengths, and the lengths the weights' ranks.
 */
static inline void sample_ranks(struct sample *s)
{
	double sorted[SAMPLE_M_MAX];

	memcpy(s->weights, s->lengths, sizeof(s->weights));
	memcpy(sorted, s->weights, sizeof(sorted));
	qsort(sorted, s->n_arcs, sizeof(*sorted), sample_descending);
	for (uint32_t a = 0; a < s->n_arcs; a++)
		if (a == 0 || sorted[a] < sorted[a - 1])
			s->widths[s->n_widths++] = sorted[a];
	for (uint32_t a = 0; a < s->n_arcs; a++)
		for (uint32_t r = 0; r < s->n_widths; r++)
			if (s->widths[r] == s->weights[a])
				s->lengths[a] = r + 1;
}

static inline void sample_arcs(
	struct sample *s, const struct sample_kind *kind, uint64_t seed)
{
	int potentials[SAMPLE_N] = {0};

	for (int i = 0; i < SAMPLE_N && kind->negative; i++)
		potentials[i] = (int)random_below(&seed, 500);
	for (uint32_t i = 0; i < SAMPLE_N; i++) {
		s->offsets[i] = s->n_arcs;
		for (uint32_t j = 0; j < SAMPLE_SOURCES; j++) {
			double length = 1 + random_below(&seed,
						    (uint32_t)kind->longest);

			if (i == j || random_below(&seed, 32) > 0 ||
				s->n_arcs == SAMPLE_M_MAX)
				continue;
			if (kind->kind == APSP_DISTANCE_SUM)
				length /= 7;
			s->heads[s->n_arcs] = j;
			s->weights[s->n_arcs] = random_below(&seed, 1000);
			s->lengths[s->n_arcs++] =
				length + potentials[j] - potentials[i];
		}
	}
	s->offsets[SAMPLE_N] = s->n_arcs;
	if (kind->kind == APSP_DISTANCE_WIDTH)
		sample_ranks(s);
}

/* The lowest tail that gives V, where sums are exact (the tie rule). */
static inline void sample_ties(
	struct sample *s, const struct sample_kind *kind, int from)
{
	const double *v = s->v[from];

	for (int i = SAMPLE_N - 1; i >= 0 && kind->kind != APSP_DISTANCE_SUM &&
				   kind->kind != APSP_DISTANCE_WIDTH;
		i--)
		for (uint64_t a = s->offsets[i]; a < s->offsets[i + 1]; a++) {
			double w = s->lengths[a];
			uint32_t j = s->heads[a];

			if (kind->kind == APSP_DISTANCE_SCALED)
				w = w * (double)kind->scale + 1;
			if ((int)j != from && !isinf(v[j]) && v[i] + w == v[j])
				s->predecessor[from][j] = i;
		}
}

/* Row `from`: V by Bellman–Ford over w' = w · scale + 1 (sums: over w; ranks:
   over the largest rank instead of a sum). */
static inline void sample_row(
	struct sample *s, const struct sample_kind *kind, int from)
{
	double *v = s->v[from];
	bool changed = true;

	for (int j = 0; j < SAMPLE_N; j++) {
		v[j] = j == from ? 0 : INFINITY;
		s->predecessor[from][j] = -1;
	}
	while (changed) {
		changed = false;
		for (int i = 0; i < SAMPLE_N; i++)
			for (uint64_t a = s->offsets[i]; a < s->offsets[i + 1];
				a++) {
				double w = s->lengths[a];
				uint32_t j = s->heads[a];

				if (kind->kind == APSP_DISTANCE_SCALED)
					w = w * (double)kind->scale + 1;
				w = kind->kind == APSP_DISTANCE_WIDTH
					    ? fmax(v[i], w)
					    : v[i] + w;
				if (w >= v[j])
					continue;
				v[j] = w;
				s->predecessor[from][j] = i;
				changed = true;
			}
	}
	sample_ties(s, kind, from);
}

static inline void sample_meaning(struct sample *s, int i, int j)
{
	int hops = 0;
	double sum = 0;

	if (isinf(s->v[i][j])) {
		s->distance[i][j] = INFINITY;
		return;
	}
	for (int v = j; v != i; v = s->predecessor[i][v], hops++) {
		int tail = s->predecessor[i][v];

		for (uint64_t a = s->offsets[tail]; a < s->offsets[tail + 1];
			a++)
			if (s->heads[a] == (uint32_t)v)
				sum += s->lengths[a];
	}
	s->hops[i][j] = hops;
	s->distance[i][j] =
		s->header.distance_kind == APSP_DISTANCE_SUM ? s->v[i][j] : sum;
	if (apsp_table_has_widths(&s->header))
		s->distance[i][j] = table_width(
			s->widths, s->n_widths, (uint64_t)s->v[i][j]);
	s->closure[i][j / 64] |= UINT64_C(1) << j % 64;
	s->transposed[j][i / 64] |= UINT64_C(1) << i % 64;
}

static inline void sample_in_arcs(struct sample *s)
{
	uint64_t at = 0;

	for (uint32_t j = 0; j < SAMPLE_N; j++) {
		s->in_offsets[j] = at;
		for (uint32_t i = 0; i < SAMPLE_N; i++)
			for (uint64_t a = s->offsets[i]; a < s->offsets[i + 1];
				a++)
				if (s->heads[a] == j) {
					s->in_tails[at] = i;
					s->in_arcs[at++] = (uint32_t)a;
				}
	}
	s->in_offsets[SAMPLE_N] = at;
}

/* The caller frees it. Vertex SAMPLE_N - 1 had a self-loop. */
static inline struct sample *sample_new(
	const struct sample_kind *kind, uint64_t seed)
{
	struct sample *s = calloc(1, sizeof(*s));

	if (!s)
		abort();
	s->header.distance_kind = kind->kind;
	s->header.scale = kind->scale;
	sample_arcs(s, kind, seed);
	sample_in_arcs(s);
	for (int i = 0; i < SAMPLE_N; i++) {
		sample_row(s, kind, i);
		for (int j = 0; j < SAMPLE_N; j++)
			sample_meaning(s, i, j);
	}
	for (int i = 0; i < SAMPLE_N; i++)
		for (int w = 0; w < 3; w++) {
			uint64_t both = s->closure[i][w] & s->transposed[i][w];

			if (i / 64 == w)
				both &= ~(UINT64_C(1) << i % 64);
			if (both || i == SAMPLE_N - 1)
				s->on_cycle[i / 64] |= UINT64_C(1) << i % 64;
		}
	s->header.n_vertices = SAMPLE_N;
	s->header.n_arcs = s->n_arcs;
	snprintf(s->header.algorithm, sizeof(s->header.algorithm), "sample");
	s->header.sections[APSP_SECTION_BETWEENNESS].element = APSP_ELEMENT_F64;
	s->header.sections[APSP_SECTION_WIDTHS].size = 8UL * s->n_widths;
	if (kind->ranks)
		s->header.sections[APSP_SECTION_PREDECESSOR].element =
			APSP_ELEMENT_U8;
	if (kind->fewer && kind->kind == APSP_DISTANCE_SUM)
		s->header.sections[APSP_SECTION_DISTANCE].absent = 1;
	else if (kind->fewer)
		s->header
			.sections[kind->ranks ? APSP_SECTION_DISTANCE
					      : APSP_SECTION_PREDECESSOR]
			.absent = 1;
	if (apsp_table_header_layout(&s->header, kind->element, NULL) < 0)
		abort();
	return s;
}

static inline void sample_append(struct apsp_table_writer *writer,
	enum apsp_section section, const void *data, size_t size)
{
	if (size > 0 &&
		apsp_table_writer_append(writer, section, data, size, NULL) < 0)
		abort();
}

static inline void sample_append_v(
	struct apsp_table_writer *writer, enum apsp_element element, double v)
{
	char cell[sizeof(v)];

	table_cell_put(cell, element, 0, v);
	sample_append(writer, APSP_SECTION_DISTANCE, cell,
		apsp_element_size(element));
}

static inline void sample_append_predecessor(
	struct apsp_table_writer *writer, const struct sample *s, int i, int j)
{
	uint16_t index = (uint16_t)s->predecessor[i][j];
	/* if there is no such arc, a rank that no arc has */
	uint8_t rank =
		s->predecessor[i][j] < 0
			? UINT8_MAX
			: (uint8_t)(s->in_offsets[j + 1] - s->in_offsets[j]);

	for (uint64_t a = s->in_offsets[j];
		a < s->in_offsets[j + 1] && a < s->n_arcs; a++)
		if ((int)s->in_tails[a] == s->predecessor[i][j])
			rank = (uint8_t)(a - s->in_offsets[j]);
	if (apsp_table_has_ranks(&s->header))
		sample_append(writer, APSP_SECTION_PREDECESSOR, &rank, 1);
	else
		sample_append(writer, APSP_SECTION_PREDECESSOR, &index, 2);
}

/* Statistics of no meaning. */
static const double sample_stats[APSP_N_VERTEX_STATS * SAMPLE_N];
static const struct apsp_histogram sample_histograms[2] = {
	{.width = 1}, {.width = 1}};

/* Write the solver's file at path, unsealed. */
static inline void sample_write(const struct sample *s, const char *path)
{
	struct apsp_table_writer *w = NULL;
	enum apsp_element element =
		s->header.sections[APSP_SECTION_DISTANCE].element;

	if (apsp_table_writer_open(
		    path, APSP_WRITER_ALONE, &s->header, 1, 1, &w, NULL) < 0)
		abort();
	for (int i = 0; i < SAMPLE_N; i++)
		for (int j = 0; j < SAMPLE_N; j++) {
			if (apsp_table_holds(&s->header, APSP_SECTION_DISTANCE))
				sample_append_v(w, element, s->v[i][j]);
			if (apsp_table_holds(
				    &s->header, APSP_SECTION_PREDECESSOR))
				sample_append_predecessor(w, s, i, j);
		}
	sample_append(w, APSP_SECTION_CLOSURE, s->closure, sizeof(s->closure));
	sample_append(w, APSP_SECTION_CLOSURE_TRANSPOSED, s->transposed,
		sizeof(s->transposed));
	sample_append(
		w, APSP_SECTION_ON_CYCLE, s->on_cycle, sizeof(s->on_cycle));
	sample_append(
		w, APSP_SECTION_ARC_OFFSETS, s->offsets, sizeof(s->offsets));
	sample_append(w, APSP_SECTION_ARC_HEADS, s->heads, 4UL * s->n_arcs);
	sample_append(w, APSP_SECTION_ARC_WEIGHTS, s->weights, 8UL * s->n_arcs);
	sample_append(w, APSP_SECTION_ARC_LENGTHS, s->lengths, 8UL * s->n_arcs);
	if (s->header.sections[APSP_SECTION_IN_OFFSETS].size > 0) {
		sample_append(w, APSP_SECTION_IN_OFFSETS, s->in_offsets,
			sizeof(s->in_offsets));
		sample_append(
			w, APSP_SECTION_IN_TAILS, s->in_tails, 4UL * s->n_arcs);
		sample_append(
			w, APSP_SECTION_IN_ARCS, s->in_arcs, 4UL * s->n_arcs);
	}
	sample_append(w, APSP_SECTION_VERTEX_STATS, sample_stats,
		sizeof(sample_stats));
	sample_append(w, APSP_SECTION_HISTOGRAMS, sample_histograms,
		sizeof(sample_histograms));
	sample_append(w, APSP_SECTION_BETWEENNESS, s->betweenness,
		sizeof(s->betweenness));
	sample_append(w, APSP_SECTION_WIDTHS, s->widths, 8UL * s->n_widths);
	if (apsp_table_writer_finish(w, NULL, NULL) < 0)
		abort();
	apsp_table_writer_free(w);
}

/* A test's table file, and the directory that it lies in alone. */
static char dir[256];
static char path[280];

static inline int sample_set_up(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(dir, sizeof(dir), "%s/apsp-tables-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/t.apsp", dir);
	return 0;
}

static inline int sample_tear_down(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);
}

#endif
