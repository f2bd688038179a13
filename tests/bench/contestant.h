/*
 * One version of a method, prepared for runs on a graph: an algorithm of the
 * product, perhaps without some of its tuning, or a plain version that only the
 * benchmarks have. A failure ends the program.
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
	BENCH_ALGORITHM_SOURCE, /* bf-dense with one source in each launch */
	BENCH_ALGORITHM_ARCS,	/* arcs as uploaded, not merged */
	BENCH_CLOSURE,		/* as tuned */
	BENCH_PLAIN_SQUARING,	/* plain_squaring.h */
	BENCH_PLAIN_BOOLEAN,	/* plain_closure.h, by squaring */
	BENCH_PLAIN_WARSHALL,	/* plain_closure.h */
};

struct bench_version {
	const char *name; /* name of the algorithm, or words for people */
	enum bench_kind kind;
};

struct bench_contestant {
	enum bench_kind kind;
	struct apsp_device
		device; /* borrowed; the tuning is the contestant's own */
	struct apsp_tuning tuning;
	const struct bench_graph *graph; /* borrowed */
	struct apsp_bits expected;	 /* of closures */
	/* one of these, by kind */
	struct bench_algorithm algorithm;
	const struct apsp_closure_algorithm *closure;
	struct bench_squaring plain_squaring;
	struct bench_closure plain_closure;
};

/* The caller must not move *out, and ends it with _close(). */
void bench_contestant_open(const struct apsp_device *device,
	const struct bench_version *version, const struct bench_graph *graph,
	enum apsp_element element, struct bench_contestant *out);
void bench_contestant_close(struct bench_contestant *contestant);

/*
 * Seconds of one run on the device. With check, the result is compared with
 * Dijkstra's rows or the host's closure.
 */
double bench_contestant_run(
	const struct bench_contestant *contestant, bool check);

#endif
