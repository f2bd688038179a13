/*
 * For tests that solve many graphs in one process: of the self-tests that each
 * solve begins with, each kind is made once for each tuning of the device.
 * test_self_test.c and test_device.c prove the self-tests themselves; made by
 * each of thousands of small solves, they would be most of the time.
 *
 * tests/meson.build sends the solver's calls here (wrapped).
 */
#ifndef APSP_TESTS_TESTED_ONCE_H
#define APSP_TESTS_TESTED_ONCE_H

#include <stdbool.h>
#include <string.h>

#include "compute/solve/closure_test.h"
#include "compute/solve/self_test.h"

typedef int tested_closure(const struct apsp_closure_task *task,
	struct apsp_progress *progress, struct apsp_bits *out,
	struct apsp_err *err);

int __real_apsp_self_test_run(const struct apsp_device *device,
	const struct apsp_self_test *test, struct apsp_err *err);
int __wrap_apsp_self_test_run(const struct apsp_device *device,
	const struct apsp_self_test *test, struct apsp_err *err);
int __real_apsp_closure_test_run(const struct apsp_device *device,
	tested_closure *run, struct apsp_err *err);
int __wrap_apsp_closure_test_run(const struct apsp_device *device,
	tested_closure *run, struct apsp_err *err);

enum {
	TESTED_MOST = 512, /* more kinds are tested each time */
};

/* One kind: a test of distances, or a closure. */
struct tested {
	cl_context context;
	struct apsp_tuning tuning;
	char fast[APSP_FAST_SIZE];
	struct apsp_self_test test;
	tested_closure *closure;
};

static struct tested tested[TESTED_MOST];
static size_t n_tested;

static inline bool tested_same(const struct tested *a, const struct tested *b)
{
	return a->context == b->context &&
	       memcmp(&a->tuning, &b->tuning, sizeof(a->tuning)) == 0 &&
	       strcmp(a->fast, b->fast) == 0 &&
	       a->test.algorithm == b->test.algorithm &&
	       a->test.element == b->test.element &&
	       a->test.sums == b->test.sums && a->test.hops == b->test.hops &&
	       a->test.lane_bytes == b->test.lane_bytes &&
	       a->closure == b->closure;
}

static inline struct tested tested_kind(const struct apsp_device *device)
{
	struct tested kind;

	/* the tuning's padding, too, which is compared */
	memset(&kind, 0, sizeof(kind));
	kind.context = device->context;
	memcpy(&kind.tuning, device->tuning, sizeof(kind.tuning));
	strcpy(kind.fast, device->fast);
	return kind;
}

static inline bool tested_before(const struct tested *kind)
{
	for (size_t i = 0; i < n_tested; i++)
		if (tested_same(&tested[i], kind))
			return true;
	return false;
}

/* r is what the test returned. */
static inline int tested_keep(const struct tested *kind, int r)
{
	if (r >= 0 && n_tested < TESTED_MOST)
		tested[n_tested++] = *kind;
	return r;
}

int __wrap_apsp_self_test_run(const struct apsp_device *device,
	const struct apsp_self_test *test, struct apsp_err *err)
{
	struct tested kind = tested_kind(device);

	kind.test = *test;
	if (tested_before(&kind))
		return 0;
	return tested_keep(&kind, __real_apsp_self_test_run(device, test, err));
}

int __wrap_apsp_closure_test_run(const struct apsp_device *device,
	tested_closure *run, struct apsp_err *err)
{
	struct tested kind = tested_kind(device);

	kind.closure = run;
	if (tested_before(&kind))
		return 0;
	return tested_keep(
		&kind, __real_apsp_closure_test_run(device, run, err));
}

#endif
