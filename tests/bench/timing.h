/*
 * Clock and median of the benchmarks.
 */
#ifndef APSP_TESTS_BENCH_TIMING_H
#define APSP_TESTS_BENCH_TIMING_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "daemon/base/err.h"

enum {
	BENCH_RUNS_MAX = 101,
};

static inline double bench_now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static inline int bench_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* times is sorted. */
static inline double bench_median(double *times, int n)
{
	qsort(times, (size_t)n, sizeof(*times), bench_compare);
	return times[n / 2];
}

_Noreturn static inline void bench_die(const struct apsp_err *err)
{
	fprintf(stderr, "bench: %s\n", err->message);
	exit(1);
}

#endif
