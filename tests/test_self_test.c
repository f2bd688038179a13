/*
 * A device that is wrong in one number of the self-test's graph is refused: V,
 * a predecessor, a count, a mark, a path sum, a statistic, a bit of the
 * closure. What a kernel has made is changed before it is looked at. A device
 * that has passed is tested no more.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compute/closure/closure_algorithm.h"
#include "compute/device/panel_rows.h"
#include "compute/distance/distance_algorithm.h"
#include "compute/solve/closure_test.h"
#include "compute/solve/self_test.h"
#include "compute/tables/predecessors.h"
#include "compute/statistics/stats_device.h"
#include "compute/tables/sums_device.h"
#include "tests/device_fixture.h"
#include "tests/passed_over.h"

enum fault {
	FAULT_NONE,
	FAULT_V,
	FAULT_PREDECESSOR,
	FAULT_COUNT,
	FAULT_MARK_OF_V,
	FAULT_MARK_OF_PREDECESSORS,
	FAULT_SUM,
	FAULT_MARK_OF_SUMS,
	FAULT_STATISTICS,
	N_FAULTS,
};

static enum fault fault;
static unsigned int n_changed;

static void word_flip(
	const struct apsp_device *device, cl_mem buffer, size_t at, size_t size)
{
	uint64_t word = 0;

	assert_int_equal(clEnqueueReadBuffer(device->queue, buffer, CL_TRUE,
				 at * size, size, &word, 0, NULL, NULL),
		CL_SUCCESS);
	word ^= 1;
	assert_int_equal(clEnqueueWriteBuffer(device->queue, buffer, CL_TRUE,
				 at * size, size, &word, 0, NULL, NULL),
		CL_SUCCESS);
	n_changed++;
}

/* Calls of apsp_… come to __wrap_apsp_… (tests/meson.build). */
int __real_apsp_panel_rows_read(const struct apsp_panels *panels,
	uint32_t first, uint32_t n_rows, cl_mem out, struct apsp_err *err);
int __wrap_apsp_panel_rows_read(const struct apsp_panels *panels,
	uint32_t first, uint32_t n_rows, cl_mem out, struct apsp_err *err);
int __real_apsp_predecessors_rows(const struct apsp_predecessors *predecessors,
	cl_mem v, uint32_t first, uint32_t n_rows, cl_mem out, cl_mem checks,
	struct apsp_marks_at marks, struct apsp_err *err);
int __wrap_apsp_predecessors_rows(const struct apsp_predecessors *predecessors,
	cl_mem v, uint32_t first, uint32_t n_rows, cl_mem out, cl_mem checks,
	struct apsp_marks_at marks, struct apsp_err *err);
int __real_apsp_sums_device_rows(const struct apsp_sums_device *sums,
	cl_mem predecessors, cl_mem v, uint32_t first, uint32_t n_rows,
	cl_mem out, cl_mem words, const struct apsp_sums_at *at,
	struct apsp_err *err);
int __wrap_apsp_sums_device_rows(const struct apsp_sums_device *sums,
	cl_mem predecessors, cl_mem v, uint32_t first, uint32_t n_rows,
	cl_mem out, cl_mem words, const struct apsp_sums_at *at,
	struct apsp_err *err);

int __real_apsp_stats_device_rows(struct apsp_stats_device *stats,
	uint32_t slot, cl_mem cells, uint32_t first, uint32_t n_rows,
	cl_mem summed, uint32_t summed_at, struct apsp_err *err);
int __wrap_apsp_stats_device_rows(struct apsp_stats_device *stats,
	uint32_t slot, cl_mem cells, uint32_t first, uint32_t n_rows,
	cl_mem summed, uint32_t summed_at, struct apsp_err *err);

int __wrap_apsp_panel_rows_read(const struct apsp_panels *panels,
	uint32_t first, uint32_t n_rows, cl_mem out, struct apsp_err *err)
{
	int r = __real_apsp_panel_rows_read(panels, first, n_rows, out, err);

	if (r >= 0 && fault == FAULT_V)
		word_flip(panels->device, out, n_rows + 3,
			apsp_element_size(panels->element));
	return r;
}

int __wrap_apsp_predecessors_rows(const struct apsp_predecessors *predecessors,
	cl_mem v, uint32_t first, uint32_t n_rows, cl_mem out, cl_mem checks,
	struct apsp_marks_at marks, struct apsp_err *err)
{
	const struct apsp_device *device = predecessors->device;
	int r = __real_apsp_predecessors_rows(
		predecessors, v, first, n_rows, out, checks, marks, err);

	if (r >= 0 && fault == FAULT_PREDECESSOR)
		word_flip(device, out, n_rows + 3, sizeof(uint16_t));
	if (r >= 0 && fault == FAULT_COUNT)
		word_flip(device, checks,
			offsetof(struct apsp_checks, finite) / 4, 4);
	if (r >= 0 && fault == FAULT_MARK_OF_V)
		word_flip(device, checks, marks.distances + 2, 4);
	if (r >= 0 && fault == FAULT_MARK_OF_PREDECESSORS)
		word_flip(device, checks, marks.predecessors + 2, 4);
	return r;
}

int __wrap_apsp_sums_device_rows(const struct apsp_sums_device *sums,
	cl_mem predecessors, cl_mem v, uint32_t first, uint32_t n_rows,
	cl_mem out, cl_mem words, const struct apsp_sums_at *at,
	struct apsp_err *err)
{
	const struct apsp_device *device = sums->predecessors->device;
	int r = __real_apsp_sums_device_rows(
		sums, predecessors, v, first, n_rows, out, words, at, err);

	if (r >= 0 && fault == FAULT_SUM)
		word_flip(device, out, n_rows + 3, sizeof(float));
	if (r >= 0 && fault == FAULT_MARK_OF_SUMS)
		word_flip(device, words, at->marks + 2, 4);
	return r;
}

int __wrap_apsp_stats_device_rows(struct apsp_stats_device *stats,
	uint32_t slot, cl_mem cells, uint32_t first, uint32_t n_rows,
	cl_mem summed, uint32_t summed_at, struct apsp_err *err)
{
	int r = __real_apsp_stats_device_rows(
		stats, slot, cells, first, n_rows, summed, summed_at, err);

	/* Change the low bits of a column's sum. The sum is stored twice, and
	   both copies are read later. */
	if (r >= 0 && fault == FAULT_STATISTICS) {
		size_t at = APSP_MADE_SUM * n_rows + 3;

		word_flip(stats->device, stats->columns, at, sizeof(double));
		word_flip(stats->device, stats->columns,
			APSP_N_MADE_COLUMN * n_rows + at, sizeof(double));
		n_changed = 1;
	}
	return r;
}

static void test_distances(void **state)
{
	static const char *const told[N_FAULTS] = {
		[FAULT_V] = "V(1,3)",
		[FAULT_PREDECESSOR] = "the predecessor(1,3)",
		[FAULT_COUNT] = "it counts",
		[FAULT_MARK_OF_V] = "the mark(2,0)",
		[FAULT_MARK_OF_PREDECESSORS] = "the mark(2,0)",
		[FAULT_SUM] = "the sum(1,3)",
		[FAULT_MARK_OF_SUMS] = "the mark(2,0)",
		[FAULT_STATISTICS] = "the statistics",
	};
	struct device_fixture *fixture = *state;
	struct apsp_device device = fixture->device;
	const struct apsp_self_test test = {
		apsp_distance_algorithm_find("multi-source"), APSP_ELEMENT_I32,
		APSP_ELEMENT_F32, false};
	struct apsp_err err = {0};

	device.fast[0] = '\0'; /* there are no other forms to fall back on */
	/* on GPUs a kernel makes the sums */
	device.tuning = apsp_tuning_find("", true, NULL);
	/* FAULT_NONE comes last, because a test that has passed does not run
	   again */
	for (int i = N_FAULTS - 1; i >= 0; i--) {
		int r;

		fault = (enum fault)i;
		/* sums and statistics are the host's then */
		if ((fault == FAULT_SUM || fault == FAULT_MARK_OF_SUMS ||
			    fault == FAULT_STATISTICS) &&
			passed_over_row_kernels(&device))
			continue;
		n_changed = 0;
		r = apsp_self_test_run(&device, &test, &err);
		if (fault == FAULT_NONE && r < 0)
			fail_msg("%s", err.message);
		if (fault == FAULT_NONE)
			continue;
		assert_int_equal(n_changed, 1);
		assert_int_equal(r, APSP_EDEVICE);
		if (!strstr(err.message, told[fault]))
			fail_msg("%s", err.message);
	}
}

static unsigned int n_closures;

static int closure_right(const struct apsp_closure_task *task,
	struct apsp_progress *progress, struct apsp_bits *out,
	struct apsp_err *err)
{
	n_closures++;
	return apsp_closure_algorithm_find("closure-order")
		->run(task, progress, out, err);
}

static int closure_wrong(const struct apsp_closure_task *task,
	struct apsp_progress *progress, struct apsp_bits *out,
	struct apsp_err *err)
{
	int r = closure_right(task, progress, out, err);

	if (r >= 0)
		apsp_bits_row(out, 5)[0] ^= 1;
	return r;
}

static void test_closure(void **state)
{
	static const struct apsp_closure_algorithm wrong = {
		"wrong", closure_wrong};
	struct device_fixture *fixture = *state;
	struct apsp_err err;

	assert_int_equal(apsp_closure_test_run(&fixture->device, &wrong, &err),
		APSP_EDEVICE);
	assert_non_null(strstr(
		err.message, "vertices that vertex 5 of the test graph"));
}

/* What has passed is not tested again; what has not, and other kinds, are. */
static void test_passed(void **state)
{
	struct device_fixture *fixture = *state;
	struct apsp_device device = fixture->device;
	struct apsp_tuning tuning = *device.tuning;
	struct apsp_self_test test = {
		apsp_distance_algorithm_find("blocked-fw"), APSP_ELEMENT_I32,
		APSP_ELEMENT_NONE, false};
	const struct apsp_closure_algorithm wrong = {"wrong", closure_wrong};
	const struct apsp_closure_algorithm right = {"right", closure_right};
	struct apsp_err err;

	device.fast[0] = '\0';
	device.tuning = &tuning;
	fault = FAULT_V;
	assert_int_equal(
		apsp_self_test_run(&device, &test, &err), APSP_EDEVICE);
	fault = FAULT_NONE;
	assert_int_equal(apsp_self_test_run(&device, &test, &err), 0);
	fault = FAULT_V;
	n_changed = 0;
	assert_int_equal(apsp_self_test_run(&device, &test, &err), 0);
	assert_int_equal(n_changed, 0);
	test.element = APSP_ELEMENT_U16;
	assert_int_equal(
		apsp_self_test_run(&device, &test, &err), APSP_EDEVICE);
	test.element = APSP_ELEMENT_I32;
	tuning.lanes_bytes /= 2;
	assert_int_equal(
		apsp_self_test_run(&device, &test, &err), APSP_EDEVICE);
	fault = FAULT_NONE;

	n_closures = 0;
	for (int turn = 0; turn < 2; turn++)
		assert_int_equal(apsp_closure_test_run(&device, &wrong, &err),
			APSP_EDEVICE);
	assert_int_equal(n_closures, 2);
	for (int turn = 0; turn < 2; turn++)
		assert_int_equal(
			apsp_closure_test_run(&device, &right, &err), 0);
	assert_int_equal(n_closures, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_distances),
		cmocka_unit_test(test_closure),
		cmocka_unit_test(test_passed),
	};

	return cmocka_run_group_tests(
		tests, device_fixture_setup, device_fixture_teardown);
}
