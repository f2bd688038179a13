/*
 * Circuits of small random graphs against a count over all arcs and pairs with
 * distances from Bellman-Ford in 113 bits, and against all walks listed one by
 * one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <pthread.h>

#include "compute/parallel.h"
#include "daemon/base/exact_sum.h"
#include "storage/circuits/circuit.h"
#include "storage/search/avoided.h"
#include "tests/search_oracle.h"

enum {
	ROUNDS = 150, /* graphs of each kind */
	N_GROUPS = 3,
};

/* One question, and which arcs and vertices each pair uses. */
struct trial {
	const struct oracle *o;
	struct apsp_circuit_question question;
	uint32_t sources[ORACLE_N], targets[ORACLE_N], groups[ORACLE_N];
	oracle_sum distance[ORACLE_N][ORACLE_N];
	bool reached[ORACLE_N][ORACLE_N];
	uint32_t n_used[ORACLE_N][ORACLE_N]; /* pairs that use an arc; by group
						if there are groups */
	uint32_t n_used_node[ORACLE_N];
	uint32_t n_pairs, n_skipped;
};

static void distances_find(struct trial *t)
{
	const struct oracle *o = t->o;

	for (uint32_t s = 0; s < o->n; s++) {
		t->distance[s][s] = 0;
		t->reached[s][s] = true;
		for (uint32_t pass = 0; pass < o->n; pass++)
			for (uint32_t u = 0; u < o->n; u++)
				for (uint32_t v = 0; v < o->n; v++) {
					oracle_sum sum = t->distance[s][u] +
							 o->length[u][v];

					if (!o->arc[u][v] ||
						!t->reached[s][u] ||
						(t->reached[s][v] &&
							t->distance[s][v] <=
								sum))
						continue;
					t->reached[s][v] = true;
					t->distance[s][v] = sum;
				}
	}
}

/* Choose every vertex with a chance of one half. */
static uint32_t choose(uint64_t *seed, uint32_t n, uint32_t *out)
{
	uint32_t n_chosen = 0;

	for (uint32_t v = 0; v < n; v++)
		if (random_below(seed, 2))
			out[n_chosen++] = v;
	return n_chosen;
}

static bool has_real_lengths(const struct oracle *o)
{
	return o->kind >= ORACLE_REAL;
}

static bool may_be_negative(const struct oracle *o)
{
	return o->kind == ORACLE_NEGATIVE || o->kind == ORACLE_REAL_NEGATIVE;
}

static void question_make(struct trial *t, uint64_t *seed)
{
	struct apsp_circuit_question *q = &t->question;

	q->sources = t->sources;
	q->targets = t->targets;
	q->n_sources = choose(seed, t->o->n, t->sources);
	q->n_targets = choose(seed, t->o->n, t->targets);
	q->max_arcs = 1000;
	q->max_batch = random_below(seed, 3);
	q->bound = random_below(seed, 4);
	q->tolerance = random_below(seed, 2) ? 1e-12 : 0;
	if (q->bound == APSP_CIRCUIT_SLACK && !may_be_negative(t->o))
		q->value = random_below(seed, 4) * 0.25;
	if (q->bound == APSP_CIRCUIT_SLACK && q->value == 0 &&
		!has_real_lengths(t->o))
		q->tolerance = 0;
	if (q->bound == APSP_CIRCUIT_WITHIN)
		q->value = random_below(seed, 40) * 0.1 - 1;
	q->n_arcs = random_below(seed, 5);
	for (uint32_t v = 0; v < t->o->n; v++)
		t->groups[v] = random_below(seed, N_GROUPS);
	if (random_below(seed, 2)) {
		q->groups = t->groups;
		q->n_groups = N_GROUPS;
	}
}

static uint32_t node_of(const struct trial *t, uint32_t v)
{
	return t->question.groups ? t->groups[v] : v;
}

/* Mark what the pair uses, by the definition. Returns whether it has a walk
   within its bound. */
static bool sums_mark(const struct trial *t, uint32_t from, uint32_t to,
	bool used[ORACLE_N][ORACLE_N], bool nodes[ORACLE_N])
{
	const struct apsp_circuit_question *q = &t->question;
	const struct oracle *o = t->o;
	oracle_sum d = t->distance[from][to], bound, tolerance = q->tolerance;

	if (!t->reached[from][to])
		return false;
	bound = q->bound == APSP_CIRCUIT_SLACK
			? d + (d < 0 ? -d : d) * (q->value + tolerance +
							 q->value * tolerance)
			: q->value + fabs(q->value) * tolerance;
	if (d > bound)
		return false;
	for (uint32_t u = 0; u < o->n; u++) {
		if (t->reached[from][u] && t->reached[u][to] &&
			t->distance[from][u] + t->distance[u][to] <= bound)
			nodes[node_of(t, u)] = true;
		for (uint32_t v = 0; v < o->n; v++)
			if (o->arc[u][v] && t->reached[from][u] &&
				t->reached[v][to] &&
				t->distance[from][u] + o->length[u][v] +
						t->distance[v][to] <=
					bound)
				used[node_of(t, u)][node_of(t, v)] = true;
	}
	return true;
}

/* As sums_mark(), by listing walks. */
static bool walks_mark(struct trial *t, uint32_t from, uint32_t to,
	bool used[ORACLE_N][ORACLE_N], bool nodes[ORACLE_N])
{
	static struct oracle listed;
	uint32_t n = t->question.n_arcs;
	bool any = false;

	listed = *t->o;
	listed.from = from;
	listed.to = to;
	oracle_list(&listed, n, false);
	for (size_t p = 0; p < listed.n_paths; p++) {
		const struct oracle_path *walk = &listed.paths[p];

		if (t->question.bound == APSP_CIRCUIT_HOPS_EXACTLY &&
			walk->n_arcs != n)
			continue;
		any = true;
		for (uint32_t i = 0; i <= walk->n_arcs; i++) {
			uint32_t v = walk->vertices[i];

			nodes[node_of(t, v)] = true;
			if (i < walk->n_arcs)
				used[node_of(t, v)]
				    [node_of(t, walk->vertices[i + 1])] = true;
		}
	}
	return any;
}

static void right_find(struct trial *t)
{
	const struct apsp_circuit_question *q = &t->question;

	for (uint32_t i = 0; i < q->n_sources; i++)
		for (uint32_t j = 0; j < q->n_targets; j++) {
			bool used[ORACLE_N][ORACLE_N] = {{false}};
			bool nodes[ORACLE_N] = {false};
			uint32_t s = t->sources[i], to = t->targets[j];
			bool walks = s != to &&
				     (q->bound >= APSP_CIRCUIT_HOPS_MOST
						     ? walks_mark(t, s, to,
							       used, nodes)
						     : sums_mark(t, s, to, used,
							       nodes));

			t->n_pairs += walks;
			t->n_skipped += !walks;
			for (uint32_t u = 0; u < ORACLE_N; u++) {
				t->n_used_node[u] += nodes[u];
				for (uint32_t v = 0; v < ORACLE_N; v++)
					t->n_used[u][v] += used[u][v];
			}
		}
}

struct parts {
	struct apsp_circuit *circuit;
	/* lets all parts begin at the same time; NULL: one thread does all
	   parts */
	pthread_barrier_t *begin;
};

static void part_do(void *ctx, unsigned int thread, size_t i)
{
	struct parts *parts = ctx;
	struct apsp_err err;

	(void)thread;
	if (parts->begin)
		pthread_barrier_wait(parts->begin);
	assert_true(
		apsp_circuit_part_step(&parts->circuit->parts[i], &err) >= 0);
}

/* Do a turn of each part: of the last part first or, with `threads`, of all
   parts at the same time. */
static void parts_do(struct apsp_circuit *c, bool threads)
{
	pthread_barrier_t begin;
	struct parts parts = {.circuit = c};

	for (int i = APSP_CIRCUIT_PARTS; !threads && i-- > 0;)
		part_do(&parts, 0, (size_t)i);
	if (!threads)
		return;
	pthread_barrier_init(&begin, NULL, APSP_CIRCUIT_PARTS);
	parts.begin = &begin;
	apsp_parallel_for(
		APSP_CIRCUIT_PARTS, APSP_CIRCUIT_PARTS, part_do, &parts);
	pthread_barrier_destroy(&begin);
}

/* Do all turns of a circuit, every other circuit on two threads. Returns the
   result of the last turn. */
static int turns_do(struct apsp_circuit *c, struct apsp_err *err)
{
	static bool threads;
	int r;

	threads = !threads;
	do {
		parts_do(c, threads);
		r = apsp_circuit_step(c, err);
	} while (r > 0);
	return r;
}

static void find(const struct search_fixture *f,
	const struct apsp_circuit_question *question, struct apsp_circuit *out)
{
	struct apsp_err err;

	assert_int_equal(apsp_circuit_begin(question, f->tables, f->arcs,
				 100000000, out, &err),
		0);
	assert_int_equal(turns_do(out, &err), 0);
}

/* The layers of the answer, by relaxing its arcs until nothing changes. */
static void layers_check(const struct trial *t, const struct apsp_circuit *c)
{
	uint32_t layers[ORACLE_N];

	for (uint32_t i = 0; i < c->answer.n_vertices; i++) {
		layers[i] = UINT32_MAX;
		for (uint32_t s = 0; s < t->question.n_sources; s++) {
			uint32_t v = t->sources[s];
			bool in = false;

			/* a source that no pair uses has no layer */
			for (uint32_t j = 0; j < t->o->n && !t->question.groups;
				j++)
				in |= t->n_used[v][j] > 0 ||
				      t->n_used[j][v] > 0;
			if (c->answer.vertices[i].vertex == node_of(t, v) &&
				(in || t->question.groups))
				layers[i] = 0;
		}
	}
	for (uint32_t pass = 0; pass < c->answer.n_vertices; pass++)
		for (uint64_t a = 0; a < c->n_arcs; a++)
			if (layers[c->answer.arcs[a].from] != UINT32_MAX &&
				layers[c->answer.arcs[a].from] + 1 <
					layers[c->answer.arcs[a].to])
				layers[c->answer.arcs[a].to] =
					layers[c->answer.arcs[a].from] + 1;
	for (uint32_t i = 0; i < c->answer.n_vertices; i++) {
		if (!t->question.groups)
			assert_int_equal(
				c->answer.vertices[i].layer, layers[i]);
		assert_int_not_equal(c->answer.vertices[i].layer, UINT32_MAX);
		assert_true(i == 0 || c->answer.vertices[i - 1].layer <=
					      c->answer.vertices[i].layer);
	}
}

/* Check weights, lengths and numbers of a roll's arcs. */
static void roll_check(const struct trial *t, const struct apsp_circuit *c,
	const struct apsp_circuit_arc *arc)
{
	uint32_t from = c->answer.vertices[arc->from].vertex,
		 to = c->answer.vertices[arc->to].vertex, n = 0;
	double weights[ORACLE_N * ORACLE_N], length = INFINITY;

	for (uint32_t u = 0; u < t->o->n; u++)
		for (uint32_t v = 0; v < t->o->n; v++) {
			if (node_of(t, u) != from || node_of(t, v) != to ||
				!t->o->arc[u][v])
				continue;
			weights[n++] = t->o->length[u][v];
			length = fmin(length, t->o->length[u][v]);
		}
	assert_true(arc->n_arcs >= 1 && arc->n_arcs <= n);
	if (arc->n_arcs < n || t->o->kind == ORACLE_HOPS)
		return;
	assert_true(arc->weight == apsp_exact_sum_of(weights, n));
	assert_true(arc->length == length);
}

static void answer_check(const struct trial *t, const struct apsp_circuit *c)
{
	uint32_t n_arcs = 0, n_vertices = 0;

	assert_int_equal(c->n_pairs, t->n_pairs);
	assert_int_equal(c->n_skipped, t->n_skipped);
	assert_false(c->truncated);
	for (uint32_t u = 0; u < ORACLE_N; u++) {
		n_vertices += t->n_used_node[u] > 0;
		for (uint32_t v = 0; v < ORACLE_N; v++)
			n_arcs += t->n_used[u][v] > 0;
	}
	assert_int_equal(c->answer.n_vertices, n_vertices);
	assert_int_equal(c->n_arcs, n_arcs);
	for (uint32_t i = 0; i < n_vertices; i++)
		assert_int_equal(c->answer.vertices[i].pairs,
			t->n_used_node[c->answer.vertices[i].vertex]);
	for (uint32_t a = 0; a < n_arcs; a++) {
		const struct apsp_circuit_arc *arc = &c->answer.arcs[a];

		assert_int_equal(arc->pairs,
			t->n_used[c->answer.vertices[arc->from].vertex]
				 [c->answer.vertices[arc->to].vertex]);
		assert_true(
			a == 0 || arc[-1].from < arc->from ||
			(arc[-1].from == arc->from && arc[-1].to < arc->to));
		roll_check(t, c, arc);
	}
	layers_check(t, c);
}

/* If one arc less is allowed, the answer is only the number of arcs. */
static void truncation_check(
	struct trial *t, const struct search_fixture *f, uint64_t n_arcs)
{
	struct apsp_circuit c;

	if (n_arcs == 0)
		return;
	t->question.max_arcs = n_arcs - 1;
	find(f, &t->question, &c);
	assert_true(c.truncated);
	assert_int_equal(c.n_arcs, n_arcs);
	assert_int_equal(c.n_pairs, t->n_pairs);
	assert_int_equal(c.answer.n_vertices, 0);
	apsp_circuit_done(&c);
}

static void check(struct oracle *o, const struct search_fixture *f, void *ctx)
{
	struct trial t = {.o = o};
	struct apsp_circuit c;

	distances_find(&t);
	question_make(&t, o->seed);
	right_find(&t);
	find(f, &t.question, &c);
	answer_check(&t, &c);
	*(uint64_t *)ctx += c.n_arcs;
	truncation_check(&t, f, c.n_arcs);
	apsp_circuit_done(&c);
}

static void test_random_circuits(void **state)
{
	uint64_t n_arcs = 0;

	(void)state;
	oracle_pairs(20261129, ROUNDS, check, &n_arcs);
	assert_true(n_arcs > 10 * ROUNDS);
}

/*
 * Distances from and to each vertex, in whatever order the table has the
 * vertices.
 */
static void check_rows(
	struct oracle *o, const struct search_fixture *f, void *ctx)
{
	struct apsp_circuit_work work = {0};
	struct trial t = {.o = o};
	struct apsp_exact_row row;
	struct apsp_err err;

	distances_find(&t);
	for (int backward = 0; backward < 2; backward++) {
		assert_int_equal(
			apsp_exact_row_init(f->arcs, APSP_ROW_KIND_EXACT,
				backward, 0, &row, &err),
			0);
		for (uint32_t v = 0; v < o->n; v++)
			row.value[v] = (backward ? t.reached[v][o->from]
						 : t.reached[o->from][v])
					       ? random_below(o->seed, 9)
					       : INFINITY;
		apsp_exact_row_start(&row, o->from);
		apsp_circuit_work_turn(&work);
		while (apsp_exact_row_step(&row, &work))
			apsp_circuit_work_turn(&work);
		for (uint32_t v = 0; v < o->n; v++) {
			uint32_t from = backward ? v : o->from;
			uint32_t to = backward ? o->from : v;
			oracle_sum unit = ldexp(1, row.unit.exponent);

			if (!t.reached[from][to]) {
				assert_true(row.value[v] == INFINITY);
				continue;
			}
			assert_true(
				row.exact[v] * unit == t.distance[from][to]);
			assert_true(
				row.value[v] == (double)t.distance[from][to]);
			++*(uint64_t *)ctx;
		}
		apsp_exact_row_done(&row);
	}
}

static void test_rows(void **state)
{
	uint64_t n = 0;

	(void)state;
	oracle_pairs(26112029, ROUNDS, check_rows, &n);
	assert_true(n > 10 * ROUNDS);
}

/* A circuit stops at its limit of steps, and says so. */
static void test_limit(void **state)
{
	struct search_fixture f;
	uint32_t ends[2] = {0, 2};
	struct apsp_circuit_question question = {
		.sources = ends,
		.n_sources = 1,
		.targets = ends + 1,
		.n_targets = 1,
		.max_arcs = 10,
	};
	struct apsp_circuit c;
	struct apsp_err err;

	(void)state;
	search_fixture_init(&f, 3);
	graph_fixture_add(&f.graph, 0, 1, 1);
	graph_fixture_add(&f.graph, 1, 2, 1);
	assert_true(search_fixture_open(
		&f, APSP_TRANSFORM_NONE, APSP_PRECISION_FLOAT64));
	assert_int_equal(
		apsp_circuit_begin(&question, f.tables, f.arcs, 5, &c, &err),
		0);
	assert_int_equal(turns_do(&c, &err), APSP_ESEARCH);
	assert_non_null(strstr(err.message, "circuit_steps"));
	apsp_circuit_done(&c);
	search_fixture_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_circuits),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
