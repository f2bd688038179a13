/*
 * What no algorithm can do is refused with a sentence: a device without room, a
 * distance that no width holds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compute/panels.h"
#include "daemon/base/graph_file.h"
#include "tests/device_fixture.h"
#include "tests/graph_fixture.h"
#include "tests/solved.h"

/* A device without room for a job says so, with both sizes. */
static void test_too_small(void **state)
{
	struct device_fixture *fixture = *state;
	struct apsp_tuning tuning = *fixture->device.tuning;
	struct apsp_device device = fixture->device;
	const uint32_t n = 257 * APSP_TILE, panel = 257 * APSP_TILE * APSP_TILE;
	const struct apsp_order order = {.n_vertices = n};
	struct apsp_panels panels;
	struct graph_fixture g;
	struct solved solved;
	struct apsp_err err;
	char path[300];

	graph_fixture_init(&g, APSP_TILE + 1);
	graph_fixture_add(&g, 0, APSP_TILE, 1);
	snprintf(path, sizeof(path), "%s/graph", fixture->dir);
	assert_int_equal(apsp_graph_write(path, &g.graph, &err), 0);
	graph_fixture_done(&g);
	/* the matrix alone would fit, the rows on their way do not */
	device.memory_bytes =
		apsp_panels_bytes(APSP_TILE + 1, APSP_ELEMENT_U16);
	assert_int_equal(solved_run(fixture->dir, &device, "fw", &solved, &err),
		APSP_ELIMIT);
	assert_non_null(strstr(err.message, "129 vertices and 1 arcs in u16"));

	/* 257 panels in buffers of two are fine, a buffer each is one more
	   buffer than there may be */
	tuning.pivot_tiles = 1;
	device.tuning = &tuning;
	device.info.largest_buffer_bytes = 2 * (uint64_t)panel;
	assert_int_equal(apsp_panels_open(&device, &order, APSP_ELEMENT_U16,
				 &panels, &err),
		APSP_ELIMIT);
	assert_non_null(strstr(err.message,
		"32896 vertices need buffers of 0.0168 GB at least; the device "
		"allows 0.00842 GB"));
	device.info.largest_buffer_bytes = panel;
	assert_int_equal(apsp_panels_open(&device, &order, APSP_ELEMENT_U16,
				 &panels, &err),
		APSP_ELIMIT);
}

/* A distance that no width holds is refused, not rounded. */
static void test_overflow(void **state)
{
	struct device_fixture *fixture = *state;
	struct graph_fixture g;
	struct solved solved;
	struct apsp_err err;
	char path[300];

	graph_fixture_init(&g, 300);
	for (uint32_t v = 0; v + 1 < 300; v++)
		graph_fixture_add(&g, v, v + 1, 1e12);
	snprintf(path, sizeof(path), "%s/graph", fixture->dir);
	assert_int_equal(apsp_graph_write(path, &g.graph, &err), 0);
	assert_int_equal(
		solved_run(fixture->dir, NULL, "reference", &solved, &err),
		APSP_EOVERFLOW);
	assert_int_equal(solved_run(fixture->dir, &fixture->device,
				 "blocked-fw", &solved, &err),
		APSP_EOVERFLOW);
	graph_fixture_done(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_too_small),
		cmocka_unit_test(test_overflow),
	};

	return cmocka_run_group_tests(
		tests, device_fixture_setup, device_fixture_teardown);
}
