/*
 * The device's own proof of V: one wrong length, in a row that the host does
 * not prove again, fails the job by the kernel's count alone.
 */
#include "tests/footprint_fixture.h"

#include "compute/device/panel_rows.h"

enum {
	N = 300, /* past the vertices whose rows the host proves all */
	NOWHERE = UINT32_MAX,
};

/* The length that is changed, and by how much. */
static uint32_t wrong_row, wrong_column;
static int change;
static unsigned int n_changed;

/* Calls of the one come to the other (tests/meson.build). */
int __real_apsp_panel_rows_read(const struct apsp_panels *panels,
	uint32_t first, uint32_t n_rows, cl_mem out, struct apsp_err *err);
int __wrap_apsp_panel_rows_read(const struct apsp_panels *panels,
	uint32_t first, uint32_t n_rows, cl_mem out, struct apsp_err *err);

int __wrap_apsp_panel_rows_read(const struct apsp_panels *panels,
	uint32_t first, uint32_t n_rows, cl_mem out, struct apsp_err *err)
{
	cl_command_queue queue = panels->device->queue;
	size_t size = apsp_element_size(panels->element);
	uint64_t value = 0;
	size_t at;
	int r;

	r = __real_apsp_panel_rows_read(panels, first, n_rows, out, err);
	/* the self-test's graph is smaller */
	if (r < 0 || panels->n_vertices != N || wrong_row < first ||
		wrong_row >= first + n_rows)
		return r;
	at = ((size_t)(wrong_row - first) * N + wrong_column) * size;
	assert_true(panels->element != APSP_ELEMENT_F64);
	assert_int_equal(clEnqueueReadBuffer(queue, out, CL_TRUE, at, size,
				 &value, 0, NULL, NULL),
		CL_SUCCESS);
	value += (uint64_t)(int64_t)change;
	assert_int_equal(clEnqueueWriteBuffer(queue, out, CL_TRUE, at, size,
				 &value, 0, NULL, NULL),
		CL_SUCCESS);
	n_changed++;
	return r;
}

static int solve(const struct device_fixture *fixture,
	const struct apsp_device *device, const char *algorithm,
	struct apsp_err *err)
{
	struct apsp_progress silent;

	apsp_progress_init(&silent, NULL, NULL);
	n_changed = 0;
	return solved_compute(
		fixture->dir, device, algorithm, &silent, NULL, err);
}

static void test_lengths(void **state)
{
	static const struct {
		const char *algorithm;
		bool gpu;
	} forms[] = {{"multi-source", false}, {"blocked-fw", false},
		{"multi-source", true}};
	const struct shape ring = {.n = N, .degree = 2, .longest = 9};
	struct device_fixture *fixture = *state;

	graph_make(fixture, &ring, true);
	for (size_t f = 0; f < sizeof(forms) / sizeof(*forms); f++) {
		struct limited limited;
		struct apsp_err err;

		limited_init(&limited, fixture, forms[f].gpu);
		wrong_row = NOWHERE;
		assert_int_equal(solve(fixture, &limited.device,
					 forms[f].algorithm, &err),
			0);
		/* rows here and there: few of them are proved by the host */
		for (wrong_row = 7; wrong_row < N; wrong_row += 73)
			for (change = -1; change <= 1; change += 2) {
				wrong_column = (wrong_row + 150) % N;
				assert_int_equal(
					solve(fixture, &limited.device,
						forms[f].algorithm, &err),
					APSP_EPROOF);
				assert_int_equal(n_changed, 1);
				assert_non_null(strstr(
					err.message, "fail their proof"));
			}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_lengths)};

	return cmocka_run_group_tests(
		tests, device_fixture_setup, device_fixture_teardown);
}
