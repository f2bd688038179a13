/*
 * Statistics compared bit by bit; see stats_test.h.
 */
#include "compute/solve/stats_test.h"

#include "compute/device/opencl.h"
#include "compute/statistics/row_stats.h"
#include "compute/statistics/stats_device.h"
#include "daemon/base/auto.h"

enum {
	SCALE = 3, /* which parts any V into two numbers */
};

APSP_AUTO_DEFINE(row_stats_free, struct apsp_row_stats, apsp_row_stats_free);

static int device_make(const struct apsp_stats_test *test,
	struct apsp_stats_device *device, const struct apsp_made_stats **out,
	struct apsp_err *err)
{
	uint32_t n = test->lengths->n_vertices;
	const struct apsp_made_hops hops =
		apsp_sums_device_hops(test->word_values, &test->at);
	int r = apsp_stats_device_rows(
		device, 0, test->rows, 0, n, test->words, test->at.summed, err);

	apsp_opencl_finish(test->predecessors->device->queue);
	return r < 0 ? r : apsp_stats_device_made(device, 0, &hops, out, err);
}

int apsp_stats_test_run(
	const struct apsp_stats_test *test, struct apsp_err *err)
{
	APSP_AUTO(row_stats_free) struct apsp_row_stats *own = NULL;
	APSP_AUTO(row_stats_free) struct apsp_row_stats *made = NULL;
	APSP_AUTO(apsp_stats_device_done) struct apsp_stats_device device = {0};
	const struct apsp_integers integers = {
		.kind = test->kind, .scale = SCALE};
	const struct apsp_stats_rows rows = {
		.device = test->predecessors->device,
		.v = test->predecessors->element,
		.has_sums = test->sums->kernel != NULL,
		.n_vertices = test->lengths->n_vertices,
		.n_rows = test->lengths->n_vertices};
	struct apsp_row_strip strip = {.n_rows = test->lengths->n_vertices,
		.distances = test->row_values,
		.predecessors = test->tails};
	int r = apsp_row_stats_new(
		test->lengths, &integers, test->element, NULL, &own, err);

	if (r >= 0)
		r = apsp_row_stats_new(test->lengths, &integers, test->element,
			NULL, &made, err);
	if (r >= 0)
		r = apsp_stats_device_open(&rows, made, &device, err);
	if (r < 0 || !device.begin)
		return r;
	r = apsp_row_stats_rows(own, &strip, err);
	if (r >= 0)
		r = device_make(test, &device, &strip.made, err);
	if (r < 0)
		return r;
	if (apsp_row_stats_made(made, &strip, err) >= 0 &&
		apsp_row_stats_same(own, made))
		return 0;
	return apsp_fail(err, APSP_EDEVICE,
		"'%s' computes wrongly: the statistics of the test graph",
		test->predecessors->device->info.name);
}
