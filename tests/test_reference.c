/*
 * The reference against Bellman-Ford in rounds on random graphs, and against
 * the known answers of a real one; real distances against a float64 search.
 * test_real_data.c has the larger ones, whose tables it makes by the reference,
 * too.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compute/graph/components.h"
#include "tests/host_rows.h"
#include "tests/data_fixture.h"
#include "tests/known_answers.h"
#include "tests/tree_fixture.h"

#define NONE UINT32_MAX

enum {
	MOST_VERTICES = 1000, /* of the real graphs that are solved here */
};

/* A graph, its lengths and their reference. */
struct solve {
	struct graph_fixture f;
	struct apsp_lengths lengths;
	struct apsp_integers integers;
	struct host_rows reference;
	struct apsp_integers summed; /* as if lengths were reals */
	struct apsp_sums_config config;
	struct apsp_sums *sums;
	int64_t *v;
	uint32_t *predecessors;
	double *distances;
};

/* s->f is filled. */
static void solve_init(struct solve *s)
{
	size_t n = s->f.graph.n_vertices;
	struct apsp_negative_cycle cycle;

	assert_int_equal(apsp_lengths_build(&s->f.graph, &s->lengths, NULL), 0);
	assert_int_equal(apsp_integers_build(&s->f.graph, &s->lengths, 0,
				 &s->integers, &cycle, NULL),
		0);
	host_rows_open(&s->reference, &s->lengths, &s->integers);
	s->summed = s->integers;
	if (s->integers.kind != APSP_DISTANCE_SUM)
		s->summed = (struct apsp_integers){
			.kind = APSP_DISTANCE_SUM, .scale = 1, .unit = 1};
	s->config = (struct apsp_sums_config){.lengths = &s->lengths,
		.integers = &s->summed,
		.v = APSP_ELEMENT_F64,
		.distance = APSP_ELEMENT_F64,
		.width = 1};
	assert_int_equal(apsp_sums_open(&s->config, &s->sums, NULL), 0);
	s->v = malloc(n * sizeof(*s->v));
	s->predecessors = malloc(n * sizeof(*s->predecessors));
	s->distances = malloc(n * sizeof(*s->distances));
}

static void solve_done(struct solve *s)
{
	apsp_dijkstra_free(s->reference.dijkstra);
	apsp_sums_free(s->sums);
	apsp_integers_done(&s->integers);
	apsp_lengths_done(&s->lengths);
	graph_fixture_done(&s->f);
	free(s->v);
	free(s->predecessors);
	free(s->distances);
}

/* w' by its definition, potentials left out. */
static int64_t true_length(const struct solve *s, uint64_t arc)
{
	double length;

	if (s->integers.kind == APSP_DISTANCE_HOPS)
		return 1;
	length = s->lengths.lengths[arc];
	if (s->integers.kind == APSP_DISTANCE_SCALED)
		return (int64_t)length * s->integers.scale + 1;
	return (int64_t)floor(length / s->integers.unit) + 1;
}

/* Least w' and least length from source, round by round. */
static void bellman_ford(
	const struct solve *s, uint32_t source, int64_t *v, long double *real)
{
	const struct apsp_lengths *l = &s->lengths;
	bool changed = true;

	for (uint32_t u = 0; u < l->n_vertices; u++) {
		v[u] = APSP_DIJKSTRA_INFINITY;
		real[u] = INFINITY;
	}
	v[source] = 0;
	real[source] = 0;
	for (uint32_t round = 0; changed && round <= l->n_vertices; round++) {
		changed = false;
		for (uint32_t u = 0; u < l->n_vertices; u++) {
			if (v[u] == APSP_DIJKSTRA_INFINITY)
				continue;
			for (uint64_t a = l->offsets[u]; a < l->offsets[u + 1];
				a++) {
				uint32_t head = l->heads[a];

				if (v[u] + true_length(s, a) < v[head]) {
					v[head] = v[u] + true_length(s, a);
					changed = true;
				}
				if (real[u] + l->lengths[a] < real[head]) {
					real[head] = real[u] + l->lengths[a];
					changed = true;
				}
			}
		}
	}
}

/* The lowest k whose arc to j is tight. */
static uint32_t lowest_tight(
	const struct solve *s, uint32_t source, uint32_t j, const int64_t *v)
{
	for (uint32_t k = 0; k < s->lengths.n_vertices && j != source; k++) {
		uint64_t arc = apsp_lengths_find(&s->lengths, k, j);

		if (arc != APSP_NO_ARC && v[k] != APSP_DIJKSTRA_INFINITY &&
			v[k] + true_length(s, arc) == v[j])
			return k;
	}
	return NONE;
}

/* Walk from j back to the source: V is distance · scale + hops of the path. */
static void walk(const struct solve *s, uint32_t source, uint32_t j, int64_t v)
{
	int64_t hops = 0;
	double distance = 0;

	while (j != source) {
		uint32_t k = s->predecessors[j];

		assert_int_not_equal(k, NONE);
		distance +=
			s->lengths
				.lengths[apsp_lengths_find(&s->lengths, k, j)];
		hops++;
		assert_true(hops < s->lengths.n_vertices);
		j = k;
	}
	if (s->integers.kind == APSP_DISTANCE_SCALED)
		assert_true(v == (int64_t)distance * s->integers.scale + hops);
	else if (s->integers.kind == APSP_DISTANCE_HOPS)
		assert_true(v == hops);
}

static void check_row(struct solve *s, uint32_t source, bool negative)
{
	uint32_t n = s->lengths.n_vertices;
	const int64_t *h = s->integers.potentials;
	int64_t *v = malloc(n * sizeof(*v));
	long double *real = malloc(n * sizeof(*real));

	bellman_ford(s, source, v, real);
	apsp_dijkstra_run(
		s->reference.dijkstra, source, s->v, NULL, s->predecessors);
	assert_int_equal(tree_sum(s->sums, &s->config, source, s->predecessors,
				 NULL, s->distances),
		0);
	for (uint32_t j = 0; j < n; j++) {
		int64_t got = s->v[j];

		if (got != APSP_DIJKSTRA_INFINITY && h)
			got += h[j] - h[source];
		assert_true(got == v[j]);
		assert_int_equal(
			s->predecessors[j], lowest_tight(s, source, j, v));
		if (v[j] == APSP_DIJKSTRA_INFINITY) {
			assert_true(isinf(s->distances[j]));
			continue;
		}
		walk(s, source, j, v[j]);
		if (s->integers.kind != APSP_DISTANCE_SUM)
			assert_true(s->distances[j] == (double)real[j]);
		else if (!negative)
			assert_true(s->distances[j] >=
					    (double)real[j] * (1 - 1e-12) &&
				    s->distances[j] <=
					    (double)real[j] * (1 + 7.7e-6));
	}
	free(v);
	free(real);
}

enum weights {
	WEIGHTS_SMALL,	  /* zeros and many ties */
	WEIGHTS_ZERO,	  /* nothing but zeros: every cycle is one of 0 */
	WEIGHTS_ONE,	  /* hops */
	WEIGHTS_LARGE,	  /* V far beyond 32 bits */
	WEIGHTS_NEGATIVE, /* with cycles of 0 */
	WEIGHTS_NEGATIVE_REAL,
	WEIGHTS_REAL, /* over nine decades */
	WEIGHTS_REAL_ZEROS,
	N_WEIGHTS,
};

static double make_weight(
	enum weights kind, uint32_t u, uint32_t v, uint64_t *seed)
{
	/* hidden potentials: no cycle is below 0 */
	double drop = (double)(u * 37 % 23) - (double)(v * 37 % 23);

	switch (kind) {
	case WEIGHTS_SMALL:
		return random_below(seed, 4);
	case WEIGHTS_ZERO:
		return 0;
	case WEIGHTS_ONE:
		return 1;
	case WEIGHTS_LARGE:
		return 1e9 + random_below(seed, 1000000);
	case WEIGHTS_NEGATIVE:
		return random_below(seed, 3) + drop;
	case WEIGHTS_NEGATIVE_REAL:
		/* quarters: thirds would round cycles of 0 to below 0 */
		return (random_below(seed, 3) + drop) / 4;
	case WEIGHTS_REAL:
		return (0.1 + random_unit(seed)) *
		       pow(10, 9 * random_unit(seed) - 5);
	case WEIGHTS_REAL_ZEROS:
		if (random_below(seed, 3) == 0)
			return 0;
		return (0.1 + random_unit(seed)) *
		       pow(10, 5 * random_unit(seed) - 2);
	case N_WEIGHTS:
		break;
	}
	return NAN;
}

static void check_random(
	enum weights kind, uint32_t n, unsigned density, uint64_t *seed)
{
	struct solve s = {0};

	graph_fixture_init(&s.f, n);
	s.f.graph.profile.duplicates = APSP_DUPLICATES_MIN;
	for (uint32_t u = 0; u < n; u++)
		for (uint32_t v = 0; v < n; v++)
			if (u != v && random_below(seed, 100) < density)
				graph_fixture_add(&s.f, u, v,
					make_weight(kind, u, v, seed));
	solve_init(&s);
	for (uint32_t source = 0; source < n; source++)
		check_row(&s, source,
			kind == WEIGHTS_NEGATIVE ||
				kind == WEIGHTS_NEGATIVE_REAL);
	solve_done(&s);
}

static void test_random(void **state)
{
	static const unsigned densities[] = {0, 4, 10, 30, 100};
	static const uint32_t sizes[] = {1, 2, 5, 16, 33};
	uint64_t seed = 20;

	(void)state;
	for (enum weights kind = 0; kind < N_WEIGHTS; kind++)
		for (size_t i = 0; i < 5; i++)
			for (size_t k = 0; k < 5; k++)
				for (unsigned round = 0; round < 3; round++)
					check_random(kind, sizes[i],
						densities[k], &seed);
}

static void load(
	struct solve *s, const char *file, enum apsp_transform transform)
{
	*s = (struct solve){0};
	data_fixture_init(&s->f, file);
	s->f.graph.profile.transform = transform;
	s->f.graph.profile.duplicates = APSP_DUPLICATES_MIN;
	solve_init(s);
}

static void check_none(const struct known_answers *known)
{
	struct solve s;
	int64_t largest = 0;
	int64_t sum = 0;
	uint64_t pairs = 0;

	load(&s, known->file, APSP_TRANSFORM_NONE);
	for (uint32_t i = 0; i < known->n_vertices; i++) {
		apsp_dijkstra_run(
			s.reference.dijkstra, i, s.v, NULL, s.predecessors);
		for (uint32_t j = 0; j < known->n_vertices; j++) {
			int64_t distance = s.v[j] / s.integers.scale;

			if (i == j || s.v[j] == APSP_DIJKSTRA_INFINITY)
				continue;
			largest = distance > largest ? distance : largest;
			sum += distance;
			pairs++;
		}
	}
	assert_int_equal(pairs, known->n_pairs);
	assert_int_equal(largest, known->largest);
	assert_int_equal(sum, known->sum);
	solve_done(&s);
}

static void check_hops(const struct known_answers *known)
{
	struct solve s;
	int64_t largest = 0;
	int64_t sum = 0;

	load(&s, known->file, APSP_TRANSFORM_HOPS);
	assert_int_equal(s.integers.kind, APSP_DISTANCE_HOPS);
	for (uint32_t i = 0; i < known->n_vertices; i++) {
		apsp_dijkstra_run(
			s.reference.dijkstra, i, s.v, NULL, s.predecessors);
		for (uint32_t j = 0; j < known->n_vertices; j++) {
			if (s.v[j] == APSP_DIJKSTRA_INFINITY)
				continue;
			largest = s.v[j] > largest ? s.v[j] : largest;
			sum += s.v[j];
		}
	}
	assert_int_equal(largest, known->largest_hops);
	assert_int_equal(sum, known->sum_of_hops);
	solve_done(&s);
}

/* Label correcting in float64: ends at the least sum over all paths. */
static void search_float64(
	const struct apsp_lengths *l, uint32_t source, double *distances)
{
	uint32_t n = l->n_vertices;
	uint32_t *queue = malloc(n * sizeof(*queue));
	bool *queued = calloc(n, sizeof(*queued));
	uint32_t first = 0;
	uint32_t n_queued = 1;

	for (uint32_t v = 0; v < n; v++)
		distances[v] = INFINITY;
	distances[source] = 0;
	queue[0] = source;
	while (n_queued-- != 0) {
		uint32_t v = queue[first];

		first = (first + 1) % n;
		queued[v] = false;
		for (uint64_t a = l->offsets[v]; a < l->offsets[v + 1]; a++) {
			double distance = distances[v] + l->lengths[a];
			uint32_t head = l->heads[a];

			if (distance >= distances[head])
				continue;
			distances[head] = distance;
			if (!queued[head])
				queue[(first + n_queued++) % n] = head;
			queued[head] = true;
		}
	}
	free(queue);
	free(queued);
}

static void check_inv(const struct known_answers *known)
{
	uint32_t n = known->n_vertices;
	double *exact = malloc(n * sizeof(*exact));
	struct solve s;
	double largest = 0;
	double sum = 0;
	uint64_t pairs = 0;

	load(&s, known->file, APSP_TRANSFORM_INV);
	assert_int_equal(s.integers.kind, APSP_DISTANCE_SUM);
	for (uint32_t i = 0; i < n; i++) {
		apsp_dijkstra_run(
			s.reference.dijkstra, i, s.v, NULL, s.predecessors);
		assert_int_equal(tree_sum(s.sums, &s.config, i, s.predecessors,
					 NULL, s.distances),
			0);
		search_float64(&s.lengths, i, exact);
		for (uint32_t j = 0; j < n; j++) {
			double distance = s.distances[j];

			if (!isinf(exact[j]))
				assert_true(
					distance >= exact[j] * (1 - 1e-12) &&
					distance <= exact[j] * (1 + 1e-5));
			if (i == j || isinf(distance))
				continue;
			largest = fmax(largest, distance);
			sum += distance;
			pairs++;
		}
	}
	assert_int_equal(pairs, known->n_pairs);
	assert_true(fabs(largest / known->largest_inverse - 1) < 1e-5);
	assert_true(fabs(sum / known->sum_of_inverses - 1) < 1e-5);
	solve_done(&s);
	free(exact);
}

static void check_components(const struct known_answers *known)
{
	struct apsp_components components;
	struct apsp_lengths lengths;
	struct graph_fixture f;

	data_fixture_init(&f, known->file);
	f.graph.profile.duplicates = APSP_DUPLICATES_MIN;
	assert_int_equal(apsp_lengths_build(&f.graph, &lengths, NULL), 0);
	assert_int_equal(lengths.n_vertices, known->n_vertices);
	assert_int_equal(lengths.n_arcs, known->n_arcs);
	assert_int_equal(apsp_components_build(&lengths, &components, NULL), 0);
	assert_int_equal(components.n_components, known->n_components);
	apsp_components_done(&components);
	apsp_lengths_done(&lengths);
	graph_fixture_done(&f);
}

static void test_known(void **state)
{
	(void)state;
	for (int i = 0; i < N_KNOWN_ANSWERS; i++) {
		check_components(&known_answers[i]);
		if (known_answers[i].n_vertices > MOST_VERTICES)
			continue;
		check_none(&known_answers[i]);
		check_hops(&known_answers[i]);
		check_inv(&known_answers[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
