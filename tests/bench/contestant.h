/*
 * One version of a method, made ready to run on a graph: an algorithm of the
 * product, perhaps with some of its tuning taken away, or a plain version of
 * the benchmarks' own. What fails ends the program.
 */
#ifndef APSP_TESTS_BENCH_CONTESTANT_H
#define APSP_TESTS_BENCH_CONTESTANT_H

#include <stdbool.h>

#include "compute/bits.h"
#include "compute/closure/closure_algorithm.h"
#include "tests/bench/algorithm_run.h"
#include "tests/bench/plain_closure.h"
#include "tests/bench/plain_squaring.h"

enum bench_kind {
	BENCH_ALGORITHM,	/* as tuned */
	BENCH_ALGORITHM_SOURCE, /* bf-dense from one vertex a launch */
	BENCH_ALGORITHM_ARCS,	/* arcs as uploaded: each for itself */
	BENCH_CLOSURE,		/* as tuned */
	BENCH_PLAIN_SQUARING,	/* plain_squaring.h */
	BENCH_PLAIN_BOOLEAN,	/* plain_closure.h, by squaring */
	BENCH_PLAIN_WARSHALL,	/* plain_closure.h */
};

struct bench_version {
	const char *name; /* of the algorithm, or for people */
	enum bench_kind kind;
};

struct bench_contestant {
	enum bench_kind kind;
	struct apsp_device device; /* borrowed, with a tuning of its own */
	struct apsp_tuning tuning;
	const struct bench_graph *graph; /* borrowed */
	struct apsp_bits expected;	 /* of closures */
	/* one of these, by kind */
	struct bench_algorithm algorithm;
	const struct apsp_closure_algorithm *closure;
	struct bench_squaring plain_squaring;
	struct bench_closure plain_closure;
};

/* The caller ends *out, which must stay in place, with _close(). */
void bench_contestant_open(const struct apsp_device *device,
	const struct bench_version *version, const struct bench_graph *graph,
	enum apsp_element element, struct bench_contestant *out);
void bench_contestant_close(struct bench_contestant *contestant);

/*
 * Seconds of one run on the device. With check, what came of it is compared
 * with Dijkstra's rows or the host's closure.
 */
double bench_contestant_run(
	const struct bench_contestant *contestant, bool check);

#endif
