/*
 * Versions of methods; see contestant.h.
 */
#include "tests/bench/contestant.h"

#include <string.h>

#include "tests/bench/closure_run.h"
#include "tests/bench/timing.h"

static void tuning_change(
	struct apsp_tuning *tuning, enum bench_kind kind, uint32_t n)
{
	uint64_t side = ((uint64_t)n + APSP_TILE - 1) / APSP_TILE * APSP_TILE;

	if (kind == BENCH_ALGORITHM_SOURCE) {
		tuning->bf_sources = 1;
		tuning->bf_vertices = 1;
		tuning->bf_relaxations = side * side;
	} else if (kind == BENCH_ALGORITHM_ARCS) {
		tuning->segment = 0;
	}
}

/*
 * Compute the closure on the host, or on the given device; returns its seconds.
 */
static double closure_make(const struct apsp_closure_algorithm *closure,
	const struct bench_graph *graph, const struct apsp_device *device,
	struct apsp_bits *out)
{
	const struct apsp_closure_task task = {
		.lengths = &graph->prepared.lengths,
		.components = &graph->prepared.components,
		.device = device,
	};

	return bench_closure_make(closure, &task, out);
}

static double closure_run(const struct bench_contestant *c, bool check)
{
	struct apsp_bits bits;
	double seconds = closure_make(c->closure, c->graph, &c->device, &bits);
	size_t size = bits.n_rows * bits.row_words * sizeof(*bits.words);

	if (check && memcmp(bits.words, c->expected.words, size) != 0) {
		fprintf(stderr, "bench: %s: wrong closure\n", c->closure->name);
		exit(1);
	}
	apsp_bits_done(&bits);
	return seconds;
}

static void plain_open(struct bench_contestant *c, enum apsp_element element)
{
	enum bench_closure_method method = c->kind == BENCH_PLAIN_BOOLEAN
						   ? BENCH_CLOSURE_SQUARING
						   : BENCH_CLOSURE_WARSHALL;

	if (c->kind == BENCH_PLAIN_SQUARING)
		bench_squaring_open(
			&c->device, c->graph, element, &c->plain_squaring);
	else
		bench_closure_open(
			&c->device, method, c->graph, &c->plain_closure);
}

void bench_contestant_open(const struct apsp_device *device,
	const struct bench_version *version, const struct bench_graph *graph,
	enum apsp_element element, struct bench_contestant *out)
{
	memset(out, 0, sizeof(*out));
	out->kind = version->kind;
	out->graph = graph;
	out->tuning = *device->tuning;
	tuning_change(&out->tuning, version->kind,
		graph->prepared.lengths.n_vertices);
	out->device = *device;
	out->device.tuning = &out->tuning;
	if (version->kind >= BENCH_PLAIN_SQUARING)
		plain_open(out, element);
	else if (version->kind == BENCH_CLOSURE)
		out->closure = apsp_closure_algorithm_find(version->name);
	else
		bench_algorithm_open(&out->device,
			apsp_distance_algorithm_find(version->name), graph,
			element, &out->algorithm);
	if (version->kind >= BENCH_CLOSURE &&
		version->kind != BENCH_PLAIN_SQUARING)
		closure_make(apsp_closure_algorithm_find("closure-order"),
			graph, NULL, &out->expected);
}

void bench_contestant_close(struct bench_contestant *c)
{
	if (c->kind == BENCH_PLAIN_SQUARING)
		bench_squaring_close(&c->plain_squaring);
	else if (c->kind > BENCH_PLAIN_SQUARING)
		bench_closure_close(&c->plain_closure);
	else if (c->kind != BENCH_CLOSURE)
		bench_algorithm_close(&c->algorithm);
	apsp_bits_done(&c->expected);
}

double bench_contestant_run(const struct bench_contestant *c, bool check)
{
	if (c->kind == BENCH_CLOSURE)
		return closure_run(c, check);
	if (c->kind == BENCH_PLAIN_SQUARING)
		return bench_squaring_run(&c->plain_squaring, check);
	if (c->kind > BENCH_PLAIN_SQUARING)
		return bench_closure_run(
			&c->plain_closure, check ? &c->expected : NULL);
	return bench_algorithm_run(&c->algorithm, check, NULL);
}
