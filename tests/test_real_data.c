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
#include "tests/solved.h"

static const char *const algorithms[] = {"bf-edges", "bfs-levels", "blocked-fw",
	"fw", "multi-source", "streamed-fw", "closure-warshall"};

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
	uint32_t *stack = malloc((n + 1) * sizeof(*stack));
	struct totals t = {0};

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < n; j++) {
			double distance, walked;
			int64_t hops, steps;

			if (i == j || !solved_cell(s, i, j, &distance, &hops))
				continue;
			steps = solved_walk(s, i, j, stack, &walked);
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
	free(stack);
	return t;
}

/* A binary heap of (distance, vertex) with stale entries, for the oracle. */
struct heap {
	struct {
		double d;
		uint32_t v;
	} * entries;
	size_t n;
};

static void heap_push(struct heap *h, double d, uint32_t v)
{
	size_t at = h->n++;

	for (; at > 0 && h->entries[(at - 1) / 2].d > d; at = (at - 1) / 2)
		h->entries[at] = h->entries[(at - 1) / 2];
	h->entries[at].d = d;
	h->entries[at].v = v;
}

static uint32_t heap_pop(struct heap *h, double *d)
{
	uint32_t v = h->entries[0].v;
	size_t at = 0, last = --h->n;

	*d = h->entries[0].d;
	for (;;) {
		size_t child = 2 * at + 1;

		if (child + 1 < last &&
			h->entries[child + 1].d < h->entries[child].d)
			child++;
		if (child >= last || h->entries[child].d >= h->entries[last].d)
			break;
		h->entries[at] = h->entries[child];
		at = child;
	}
	h->entries[at] = h->entries[last];
	return v;
}

/* Distances from s over the table file's arcs, in float64. */
static void dijkstra(
	const struct solved *s, uint32_t source, double *d, struct heap *heap)
{
	const uint64_t *offsets = solved_section(s, APSP_SECTION_ARC_OFFSETS);
	const uint32_t *heads = solved_section(s, APSP_SECTION_ARC_HEADS);
	const double *lengths = solved_section(s, APSP_SECTION_ARC_LENGTHS);

	for (uint64_t v = 0; v < s->header->n_vertices; v++)
		d[v] = INFINITY;
	d[source] = 0;
	heap->n = 0;
	heap_push(heap, 0, source);
	while (heap->n > 0) {
		double at;
		uint32_t u = heap_pop(heap, &at);

		for (uint64_t e = offsets[u]; at == d[u] && e < offsets[u + 1];
			e++)
			if (at + lengths[e] < d[heads[e]]) {
				d[heads[e]] = at + lengths[e];
				heap_push(heap, d[heads[e]], heads[e]);
			}
	}
}

static void check_real(const struct solved *s)
{
	uint32_t n = (uint32_t)s->header->n_vertices;
	double *d = malloc(n * sizeof(*d));
	struct heap heap = {0};

	heap.entries =
		malloc((s->header->n_arcs + n + 1) * sizeof(*heap.entries));
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
	free(heap.entries);
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
	for (size_t a = 0; a < sizeof(algorithms) / sizeof(*algorithms); a++)
		if (solved_takes(&reference, algorithms[a]))
			compare(fixture, known, &reference, algorithms[a]);
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
