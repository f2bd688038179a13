/*
 * Real graphs: every known number, by every algorithm; every path walked and
 * its arcs summed exactly; real distances against a float64 Dijkstra of the
 * test's own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/data_fixture.h"
#include "tests/device_fixture.h"
#include "tests/known_answers.h"
#include "tests/search_heap.h"
#include "tests/solved.h"

/* Each solves every graph under every transform that it takes. */
static const char *const always[] = {
	"bfs-levels", "blocked-fw", "multi-source"};

/*
 * Each solves every graph under one transform, another for the next graph:
 * streamed-fw has blocked-fw's kernels, and closures know of no lengths.
 */
static const char *const in_turn[] = {
	"bf-edges", "closure-warshall", "fw", "streamed-fw"};

/*
 * Run by name only, and slow: the large graph that each solves. The streets
 * have the longest paths, and so the most rounds; the larva the most arcs.
 */
static const struct {
	const char *algorithm, *file;
} on_one[] = {
	{"bf-edges", "rome99.gr"},
	{"fw", "larva_edges.csv"},
};

/* Algorithms that pass through the whole matrix many times: small graphs only.
 */
static const char *const slow[] = {"bf-dense-reduce", "bf-dense-transposed",
	"bf-dense-vertex", "closure-squaring", "minplus-squaring"};

enum {
	SLOW_VERTICES = 1000,
};

/* Figures of the known answers, over reachable pairs off the diagonal. */
struct totals {
	uint64_t n_pairs;
	double largest;
	double sum;
	int64_t largest_hops;
	int64_t sum_of_hops;
};

static struct totals totals_of(const struct solved *s)
{
	uint32_t n = (uint32_t)s->header->n_vertices;
	struct solved_paths paths;
	struct totals t = {0};

	solved_paths_init(s, &paths);
	for (uint32_t i = 0; i < n; i++) {
		solved_walk_all(s, i, &paths);
		for (uint32_t j = 0; j < n; j++) {
			double distance, walked = paths.sums[j];
			int64_t hops, steps = paths.hops[j];

			if (i == j || !solved_cell(s, i, j, &distance, &hops))
				continue;
			assert_true(steps > 0);
			if (hops >= 0) {
				assert_int_equal(steps, hops);
				assert_true(walked == distance);
			} else {
				assert_true((double)(float)walked == distance);
			}
			t.n_pairs++;
			t.sum += walked;
			t.sum_of_hops += steps;
			if (walked > t.largest)
				t.largest = walked;
			if (steps > t.largest_hops)
				t.largest_hops = steps;
		}
	}
	solved_paths_done(&paths);
	return t;
}

/* Distances from s over the table file's arcs, in float64. */
static void dijkstra(const struct solved *s, uint32_t source, double *d,
	struct search_heap *heap)
{
	const uint64_t *offsets = solved_section(s, APSP_SECTION_ARC_OFFSETS);
	const uint32_t *heads = solved_section(s, APSP_SECTION_ARC_HEADS);
	const double *lengths = solved_section(s, APSP_SECTION_ARC_LENGTHS);
	struct search_entry at = {.v = source};

	for (uint64_t v = 0; v < s->header->n_vertices; v++)
		d[v] = INFINITY;
	d[source] = 0;
	search_heap_push(heap, at);
	while (search_heap_pop(heap, &at))
		for (uint64_t e = offsets[at.v];
			at.d == d[at.v] && e < offsets[at.v + 1]; e++) {
			uint32_t head = heads[e];

			if (at.d + lengths[e] >= d[head])
				continue;
			d[head] = at.d + lengths[e];
			search_heap_push(heap,
				(struct search_entry){.d = d[head], .v = head});
		}
}

static void check_real(const struct solved *s)
{
	uint32_t n = (uint32_t)s->header->n_vertices;
	double *d = malloc(n * sizeof(*d));
	struct search_heap heap;

	search_heap_init(&heap, s->header->n_arcs);
	for (uint32_t i = 0; i < n; i++) {
		dijkstra(s, i, d, &heap);
		for (uint32_t j = 0; j < n; j++) {
			double distance;
			int64_t hops;
			bool there = solved_cell(s, i, j, &distance, &hops);

			assert_true(there == !isinf(d[j]));
			if (there)
				assert_true(
					fabs(distance - d[j]) <= 1e-5 * d[j]);
		}
	}
	search_heap_done(&heap);
	free(d);
}

static void graph_write(const struct device_fixture *fixture,
	const struct known_answers *known, enum apsp_transform transform)
{
	struct graph_fixture g;
	struct apsp_err err;
	char path[300];

	data_fixture_init(&g, known->file);
	g.graph.profile.transform = transform;
	g.graph.profile.duplicates = APSP_DUPLICATES_MIN;
	snprintf(path, sizeof(path), "%s/graph", fixture->dir);
	assert_int_equal(apsp_graph_write(path, &g.graph, &err), 0);
	graph_fixture_done(&g);
}

static void compare(const struct device_fixture *fixture,
	const struct known_answers *known, const struct solved *reference,
	const char *algorithm)
{
	struct solved other = {0};
	struct apsp_err err;

	if (solved_run(fixture->dir, &fixture->device, algorithm, &other,
		    &err) < 0)
		fail_msg("%s, %s: %s", known->file, algorithm, err.message);
	if (!solved_same(reference, &other))
		fail_msg("%s, %s: tables differ from the reference's",
			known->file, algorithm);
	solved_done(&other);
}

static bool has_turn(const struct known_answers *known,
	enum apsp_transform transform, size_t a)
{
	for (size_t i = 0; i < sizeof(on_one) / sizeof(*on_one); i++)
		if (known->n_vertices >= SLOW_VERTICES &&
			strcmp(in_turn[a], on_one[i].algorithm) == 0 &&
			strcmp(known->file, on_one[i].file) != 0)
			return false;
	return (a + (size_t)(known - known_answers) + transform) % 3 == 0;
}

static struct totals solve_all(const struct device_fixture *fixture,
	const struct known_answers *known, enum apsp_transform transform)
{
	struct solved reference = {0};
	struct totals totals;
	struct apsp_err err;

	graph_write(fixture, known, transform);
	if (solved_run(fixture->dir, NULL, "reference", &reference, &err) < 0)
		fail_msg("%s: %s", known->file, err.message);
	assert_int_equal(reference.header->n_vertices, known->n_vertices);
	assert_int_equal(reference.header->n_arcs, known->n_arcs);
	for (size_t a = 0; a < sizeof(always) / sizeof(*always); a++)
		if (solved_takes(&reference, always[a]))
			compare(fixture, known, &reference, always[a]);
	for (size_t a = 0; a < sizeof(in_turn) / sizeof(*in_turn); a++)
		if (has_turn(known, transform, a))
			compare(fixture, known, &reference, in_turn[a]);
	for (size_t a = 0; a < sizeof(slow) / sizeof(*slow); a++)
		if (known->n_vertices < SLOW_VERTICES)
			compare(fixture, known, &reference, slow[a]);
	totals = totals_of(&reference);
	assert_int_equal(totals.n_pairs, known->n_pairs);
	if (transform == APSP_TRANSFORM_INV)
		check_real(&reference);
	solved_done(&reference);
	return totals;
}

static void test_none(void **state)
{
	for (size_t k = 0; k < N_KNOWN_ANSWERS; k++) {
		const struct known_answers *known = &known_answers[k];
		struct totals t = solve_all(*state, known, APSP_TRANSFORM_NONE);

		assert_true(t.largest == (double)known->largest);
		assert_true(t.sum == (double)known->sum);
	}
}

static void test_hops(void **state)
{
	for (size_t k = 0; k < N_KNOWN_ANSWERS; k++) {
		const struct known_answers *known = &known_answers[k];
		struct totals t = solve_all(*state, known, APSP_TRANSFORM_HOPS);

		assert_int_equal(t.largest_hops, known->largest_hops);
		assert_int_equal(t.sum_of_hops, known->sum_of_hops);
		assert_true(t.largest == (double)known->largest_hops);
	}
}

static void test_inv(void **state)
{
	for (size_t k = 0; k < N_KNOWN_ANSWERS; k++) {
		const struct known_answers *known = &known_answers[k];
		struct totals t = solve_all(*state, known, APSP_TRANSFORM_INV);

		assert_true(fabs(t.largest - known->largest_inverse) <=
			    1e-5 * known->largest_inverse);
		assert_true(fabs(t.sum - known->sum_of_inverses) <=
			    1e-5 * known->sum_of_inverses);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_hops),
		cmocka_unit_test(test_inv),
	};

	return cmocka_run_group_tests(
		tests, device_fixture_setup, device_fixture_teardown);
}
