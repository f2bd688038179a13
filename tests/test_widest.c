/*
 * Widest paths: every algorithm that computes them, on random graphs, against
 * Dijkstra's variant from every vertex; and tables of widths that are corrupted
 * on the device, in rows that the host does not prove again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compute/device/panel_rows.h"
#include "compute/plan/algorithm.h"
#include "compute/plan/closure_cost.h"
#include "daemon/job/graph_file.h"
#include "daemon/job/stats_sections.h"
#include "tests/device_fixture.h"
#include "tests/solved.h"
#include "tests/widest_oracle.h"
#include "tests/table_widths.h"

enum {
	FAULTY_N = 300, /* past the vertices whose rows the host proves all */
	N_FAULTS = 100,
};

/* The device's rows are replaced by these, unless NULL. */
static const void *wrong_rows;
static unsigned int n_replaced;

/* Calls of the one come to the other (tests/meson.build). */
int __real_apsp_panel_rows_read(const struct apsp_panels *panels,
	uint32_t first, uint32_t n_rows, cl_mem out, struct apsp_err *err);
int __wrap_apsp_panel_rows_read(const struct apsp_panels *panels,
	uint32_t first, uint32_t n_rows, cl_mem out, struct apsp_err *err);

int __wrap_apsp_panel_rows_read(const struct apsp_panels *panels,
	uint32_t first, uint32_t n_rows, cl_mem out, struct apsp_err *err)
{
	size_t row = FAULTY_N * apsp_element_size(panels->element);
	int r = __real_apsp_panel_rows_read(panels, first, n_rows, out, err);

	/* the self-test's graph is smaller */
	if (r < 0 || !wrong_rows || panels->n_vertices != FAULTY_N)
		return r;
	assert_int_equal(
		clEnqueueWriteBuffer(panels->device->queue, out, CL_TRUE, 0,
			row * n_rows, (const char *)wrong_rows + row * first, 0,
			NULL, NULL),
		CL_SUCCESS);
	n_replaced++;
	return r;
}

static uint64_t rank_at(const struct solved *s, uint32_t i, uint32_t j)
{
	uint64_t at = (uint64_t)i * s->header->n_vertices + j;
	const void *cells = solved_section(s, APSP_SECTION_DISTANCE);

	return s->header->sections[APSP_SECTION_DISTANCE].element ==
			       APSP_ELEMENT_U16
		       ? ((const uint16_t *)cells)[at]
		       : (uint64_t)((const int32_t *)cells)[at];
}

/* The ladder descends, and each arc's rank leads to its weight. */
static void check_ladder(const struct solved *s, const struct widest_oracle *o)
{
	const double *widths = solved_section(s, APSP_SECTION_WIDTHS);
	const uint64_t *offsets = solved_section(s, APSP_SECTION_ARC_OFFSETS);
	const uint32_t *heads = solved_section(s, APSP_SECTION_ARC_HEADS);
	const double *ranks = solved_section(s, APSP_SECTION_ARC_LENGTHS);
	const double *weights = solved_section(s, APSP_SECTION_ARC_WEIGHTS);
	uint64_t k = apsp_table_n_widths(s->header);
	uint8_t *used = calloc(k + 1, 1);

	for (uint64_t r = 1; r < k; r++)
		assert_true(widths[r - 1] > widths[r]);
	for (uint32_t u = 0; u < o->n; u++)
		for (uint64_t e = offsets[u]; e < offsets[u + 1]; e++) {
			double w = o->weight[(size_t)u * o->n + heads[e]];

			assert_true(weights[e] == w);
			assert_true(ranks[e] >= 1 && ranks[e] <= (double)k);
			assert_true(widths[(uint64_t)ranks[e] - 1] == w);
			used[(uint64_t)ranks[e]] = 1;
		}
	for (uint64_t r = 1; r <= k; r++)
		assert_int_equal(used[r], 1);
	free(used);
}

/* Statistics count pairs by rank. */
static void check_stats(const struct solved *s, const struct widest_oracle *o)
{
	const double *stats = solved_section(s, APSP_SECTION_VERTEX_STATS);
	const struct apsp_histogram *histograms =
		solved_section(s, APSP_SECTION_HISTOGRAMS);
	uint64_t counts[APSP_HISTOGRAM_BINS] = {0};
	uint32_t n = o->n;

	assert_true(histograms[0].first >= 0);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t most = 0, reaches = 0;

		for (uint32_t j = 0; j < n; j++) {
			uint64_t rank = rank_at(s, i, j), bin;

			if (i == j || o->width[(size_t)i * n + j] == 0)
				continue;
			reaches++;
			most = rank > most ? rank : most;
			bin = rank / (uint64_t)histograms[0].width -
			      (uint64_t)histograms[0].first;
			assert_true(bin < APSP_HISTOGRAM_BINS);
			counts[bin]++;
		}
		assert_true(
			stats[APSP_STAT_REACHES * n + i] == (double)reaches);
		if (reaches > 0)
			assert_true(stats[APSP_STAT_FARTHEST_OUT * n + i] ==
				    (double)most);
	}
	assert_memory_equal(histograms[0].counts, counts, sizeof(counts));
	for (int b = 0; b < APSP_HISTOGRAM_BINS; b++)
		assert_int_equal(histograms[1].counts[b], 0);
}

static void check_all(const struct solved *s, const struct widest_oracle *o)
{
	const double *widths = solved_section(s, APSP_SECTION_WIDTHS);
	uint64_t k = apsp_table_n_widths(s->header);

	assert_int_equal(s->header->distance_kind, APSP_DISTANCE_WIDTH);
	assert_false(apsp_table_holds(s->header, APSP_SECTION_PREDECESSOR));
	for (uint32_t i = 0; i < o->n; i++)
		for (uint32_t j = 0; j < o->n; j++) {
			double width = o->width[(size_t)i * o->n + j];

			assert_true(table_width(widths, k, rank_at(s, i, j)) ==
				    width);
			assert_int_equal(
				solved_bit(s, APSP_SECTION_CLOSURE, i, j),
				width > 0);
		}
	check_ladder(s, o);
	check_stats(s, o);
}

static void graph_write(
	const struct device_fixture *fixture, const struct graph_fixture *g)
{
	struct apsp_err err;
	char path[300];

	snprintf(path, sizeof(path), "%s/graph", fixture->dir);
	if (apsp_graph_write(path, &g->graph, &err) < 0)
		fail_msg("%s", err.message);
}

static void case_run(struct device_fixture *fixture, uint32_t n,
	enum widest_weights kind, enum widest_density density, uint64_t seed)
{
	struct solved reference = {0}, other = {0};
	struct graph_fixture g;
	struct widest_oracle o;
	struct apsp_err err;
	uint64_t state = seed;

	widest_graph(&o, &g, n, kind, density, &state);
	graph_write(fixture, &g);
	if (solved_run(fixture->dir, NULL, "reference", &reference, &err) < 0)
		fail_msg("n=%u weights=%d density=%d: %s", n, kind, density,
			err.message);
	widest_run(&o);
	check_all(&reference, &o);
	for (int a = 0; a < APSP_N_ALGORITHMS; a++) {
		const char *name = apsp_algorithms[a].name;

		if (apsp_algorithms[a].start == APSP_START_HOST ||
			!apsp_algorithms[a].widest)
			continue;
		if (solved_run(fixture->dir, &fixture->device, name, &other,
			    &err) < 0)
			fail_msg("%s: n=%u weights=%d density=%d: %s", name, n,
				kind, density, err.message);
		if (!solved_same(&reference, &other))
			fail_msg("%s: n=%u weights=%d density=%d: tables "
				 "differ from the reference's",
				name, n, kind, density);
		solved_done(&other);
	}
	solved_done(&reference);
	widest_oracle_done(&o);
	graph_fixture_done(&g);
}

/* Sizes on both sides of a tile's. */
static void test_random(void **state)
{
	static const uint32_t sizes[] = {1, 2, APSP_TILE - 1, APSP_TILE,
		APSP_TILE + 1, 2 * APSP_TILE + 1};

	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
		for (int kind = 0; kind < N_WIDEST_WEIGHTS; kind++)
			for (int density = 0; density < N_WIDEST_DENSITIES;
				density++)
				case_run(*state, sizes[s], kind, density,
					1 + 1000 * s + 100 * (size_t)kind +
						(size_t)density);
}

/* Small graphs of many shapes, with many ties and components. */
static void test_many_small(void **state)
{
	uint64_t seed = 4711;

	for (int i = 0; i < 100; i++) {
		uint32_t n = 2 + random_below(&seed, 20);

		case_run(*state, n, random_below(&seed, N_WIDEST_WEIGHTS),
			WIDEST_SPARSE, random_u64(&seed) | 1);
	}
}

/* A GPU's kernels, on whatever device there is. */
static void test_gpu_kernels(void **state)
{
	struct device_fixture gpu = *(struct device_fixture *)*state;
	struct apsp_tuning tuning = *apsp_tuning_find("", true, NULL);

	gpu.device.tuning = &tuning;
	/* rows come in several chunks */
	tuning.staging_bytes = 1 << 15;
	for (int kind = 0; kind < N_WIDEST_WEIGHTS; kind++)
		for (int density = WIDEST_SPARSE; density < N_WIDEST_DENSITIES;
			density++)
			case_run(&gpu, APSP_TILE + 1, kind, density,
				61 + 10 * (size_t)kind + (size_t)density);
	for (tuning.pivot_tiles = 1; tuning.pivot_tiles <= 3;
		tuning.pivot_tiles++)
		case_run(&gpu, 3 * APSP_TILE + 1, WIDEST_COUNTS, WIDEST_SPARSE,
			41 + tuning.pivot_tiles);
}

/* The other algorithms compute sums, and refuse the rule in a sentence. */
static void test_refusals(void **state)
{
	struct device_fixture *fixture = *state;
	struct graph_fixture g;
	struct widest_oracle o;
	struct solved none;
	struct apsp_err err;
	uint64_t seed = 3;

	widest_graph(&o, &g, 20, WIDEST_REAL, WIDEST_SPARSE, &seed);
	graph_write(fixture, &g);
	for (int a = 0; a < APSP_N_ALGORITHMS; a++) {
		if (apsp_algorithms[a].widest)
			continue;
		assert_int_equal(solved_run(fixture->dir, &fixture->device,
					 apsp_algorithms[a].name, &none, &err),
			APSP_EDATA);
		assert_non_null(
			strstr(err.message, "the rule says path=widest; "
					    "ask for blocked-fw"));
	}
	/* 0 is a width of no path */
	graph_fixture_add(&g, 0, 1, -o.weight[1]);
	graph_write(fixture, &g);
	assert_int_equal(
		solved_run(fixture->dir, NULL, "reference", &none, &err),
		APSP_EDATA);
	assert_non_null(
		strstr(err.message, "path=widest needs a weight above 0"));
	widest_oracle_done(&o);
	graph_fixture_done(&g);
}

/* The graph of the faulty tables: its arcs' ranks, and the true V. */
struct faulty {
	struct solved solved;
	uint32_t *rank; /* n × n; 0: no arc */
	uint32_t *v;	/* n × n */
	uint32_t infinity;
	uint64_t state;
};

static void faulty_init(struct faulty *f, const struct widest_oracle *o)
{
	uint32_t n = FAULTY_N;
	const uint64_t *offsets =
		solved_section(&f->solved, APSP_SECTION_ARC_OFFSETS);
	const uint32_t *heads =
		solved_section(&f->solved, APSP_SECTION_ARC_HEADS);
	const double *ranks =
		solved_section(&f->solved, APSP_SECTION_ARC_LENGTHS);

	(void)o;
	f->rank = calloc((size_t)n * n, sizeof(*f->rank));
	f->v = calloc((size_t)n * n, sizeof(*f->v));
	f->infinity = APSP_V_INFINITY_U16;
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t j = 0; j < n; j++)
			f->v[i * n + j] = (uint32_t)rank_at(&f->solved, i, j);
		for (uint64_t e = offsets[i]; e < offsets[i + 1]; e++)
			f->rank[i * n + heads[e]] = (uint32_t)ranks[e];
	}
}

/* Make no arc widen a value of the row any more. */
static void row_relax(const struct faulty *f, uint16_t *row)
{
	uint32_t n = FAULTY_N;
	bool changed = true;

	while (changed) {
		changed = false;
		for (uint32_t u = 0; u < n; u++)
			for (uint32_t v = 0; v < n; v++) {
				uint32_t rank = f->rank[u * n + v], value;

				value = rank > row[u] ? rank : row[u];
				if (rank == 0 || value >= row[v])
					continue;
				row[v] = (uint16_t)value;
				changed = true;
			}
	}
}

/*
 * Follow arcs from a random vertex until a vertex comes again. The vertices of
 * the cycle get the rank of its narrowest arc, if all of them are narrower;
 * then they hold each other up, and row_relax() lowers what follows from them.
 * False: the row already has such widths.
 */
static bool cycle_lower(struct faulty *f, uint32_t source, uint16_t *row)
{
	uint32_t n = FAULTY_N, at[FAULTY_N] = {0}, path[FAULTY_N + 1], length;
	uint32_t u = random_below(&f->state, n), worst = 0;
	bool lower = true;

	for (length = 0; at[u] == 0; length++) {
		uint32_t v = random_below(&f->state, n), tries = 0;

		path[length] = u;
		at[u] = length + 1;
		while (f->rank[u * n + v] == 0 && tries++ < n)
			v = (v + 1) % n;
		if (f->rank[u * n + v] == 0)
			return false;
		u = v;
	}
	for (uint32_t k = at[u] - 1; k < length; k++) {
		uint32_t v = k + 1 < length ? path[k + 1] : u;
		uint32_t rank = f->rank[path[k] * n + v];

		worst = rank > worst ? rank : worst;
	}
	for (uint32_t k = at[u] - 1; k < length; k++)
		lower = lower && row[path[k]] > worst && path[k] != source;
	for (uint32_t k = at[u] - 1; lower && k < length; k++)
		row[path[k]] = (uint16_t)worst;
	if (lower)
		row_relax(f, row);
	return lower;
}

/* Change a row in one of several ways. Returns whether a cycle holds it up. */
static bool row_corrupt(
	struct faulty *f, unsigned int way, uint32_t source, uint16_t *row)
{
	uint32_t j;

	do {
		j = random_below(&f->state, FAULTY_N);
	} while (j == source);
	switch (way % 5) {
	case 0:
		row[j]--;
		return false;
	case 1:
		row[j] = (uint16_t)(row[j] < f->infinity ? row[j] + 1 : 1);
		return false;
	case 2:
		row[j] = row[j] < f->infinity ? (uint16_t)f->infinity : 1;
		return false;
	default:
		break;
	}
	for (int tries = 0; tries < 10000; tries++)
		if (cycle_lower(f, source, row))
			return true;
	return false;
}

/*
 * A row that is wrong, in a way drawn by its number, fails the job by the
 * kernel's count alone. Two ways of five make a cycle of vertices hold up each
 * other's widths, and everything else follows from them: no arc widens a value,
 * and each value has a tail that yields it.
 */
static void faults_run(
	struct device_fixture *fixture, const char *algorithm, uint64_t seed)
{
	const uint32_t n = FAULTY_N;
	struct faulty f = {.state = seed};
	struct graph_fixture g;
	struct widest_oracle o;
	struct solved none;
	struct apsp_err err;
	uint16_t *rows = malloc(sizeof(*rows) * n * n);
	unsigned int n_cycles = 0;

	widest_graph(&o, &g, n, WIDEST_COUNTS, WIDEST_SPARSE, &f.state);
	graph_write(fixture, &g);
	if (solved_run(fixture->dir, &fixture->device, algorithm, &f.solved,
		    &err) < 0)
		fail_msg("%s", err.message);
	faulty_init(&f, &o);
	for (unsigned int way = 0; way < N_FAULTS; way++) {
		uint32_t source = random_below(&f.state, n);
		uint16_t *row = rows + source * n;

		for (uint32_t c = 0; c < n * n; c++)
			rows[c] = (uint16_t)f.v[c];
		n_cycles += row_corrupt(&f, way, source, row);
		wrong_rows = rows;
		n_replaced = 0;
		if (solved_run(fixture->dir, &fixture->device, algorithm, &none,
			    &err) != APSP_EPROOF)
			fail_msg("way %u, row %u: no fault was found", way,
				source);
		assert_true(n_replaced > 0);
		if (!strstr(err.message, "fail their proof"))
			fail_msg("way %u: %s", way, err.message);
		wrong_rows = NULL;
	}
	assert_int_equal(n_cycles, 2 * N_FAULTS / 5);
	solved_done(&f.solved);
	free(f.rank);
	free(f.v);
	free(rows);
	widest_oracle_done(&o);
	graph_fixture_done(&g);
}

static void test_faults(void **state)
{
	struct device_fixture gpu = *(struct device_fixture *)*state;
	struct apsp_tuning tuning = *apsp_tuning_find("", true, NULL);

	faults_run(*state, "blocked-fw", 5);
	faults_run(*state, "multi-source", 6);
	gpu.device.tuning = &tuning;
	faults_run(&gpu, "multi-source", 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many_small),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_gpu_kernels),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_faults),
	};

	return cmocka_run_group_tests(
		tests, device_fixture_setup, device_fixture_teardown);
}
