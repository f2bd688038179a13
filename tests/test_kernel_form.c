/*
 * The fast form of a kernel that does not compile, or computes wrongly, is
 * given up for the plain one: the job is done, which is told and remembered.
 * Faults are put into the options of the fast form.
 */
#include <CL/cl.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/device_fixture.h"
#include "tests/graph_fixture.h"
#include "tests/solved.h"

enum {
	SAID_SIZE = 1 << 16,
};

/* What a fast form has whose next build fails, and how many did not. */
static const char passing[] = "-DPTX=0 -DPASSING=1";
static bool fails_next;
static unsigned int n_passed;

/* In place of the loader's. */
cl_int clBuildProgram(cl_program program, cl_uint n_devices,
	const cl_device_id *devices, const char *options,
	void (*notify)(cl_program, void *), void *ctx)
{
	static cl_int (*real)(cl_program, cl_uint, const cl_device_id *,
		const char *, void (*)(cl_program, void *), void *);
	bool is_passing = options && strstr(options, passing);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "clBuildProgram");
	if (is_passing && fails_next) {
		fails_next = false;
		return CL_BUILD_PROGRAM_FAILURE;
	}
	n_passed += is_passing;
	return real(program, n_devices, devices, options, notify, ctx);
}

/* A star, whose distances fit 16 bits. */
static void graph_write(const struct device_fixture *fixture)
{
	struct graph_fixture g;
	struct apsp_err err;
	char path[300];

	graph_fixture_init(&g, 40);
	for (uint32_t v = 1; v < g.graph.n_vertices; v++) {
		graph_fixture_add(&g, 0, v, 1 + v % 3);
		graph_fixture_add(&g, v, 0, 1);
	}
	snprintf(path, sizeof(path), "%s/graph", fixture->dir);
	assert_int_equal(apsp_graph_write(path, &g.graph, &err), 0);
	graph_fixture_done(&g);
}

static size_t marks_count(const struct device_fixture *fixture)
{
	char pattern[300];
	glob_t found;
	size_t n;

	snprintf(pattern, sizeof(pattern), "%s/*.plain", fixture->dir);
	n = glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
	globfree(&found);
	return n;
}

/* Solve as a process of its own would: with a device that is opened for it.
   `said` gets what went to stderr. */
static void solve(const struct device_fixture *fixture, const char *fast,
	struct solved *out, char said[SAID_SIZE])
{
	const char *wanted = getenv("APSPD_DEVICE");
	const struct apsp_device_options options = {
		.device = wanted ? wanted : "auto",
		.kernel_dir = fixture->dir,
	};
	int kept = dup(STDERR_FILENO), file, r;
	struct apsp_device device;
	char path[300];
	struct apsp_err err;
	ssize_t size;

	snprintf(path, sizeof(path), "%s/said", fixture->dir);
	file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(kept >= 0 && file >= 0);
	assert_int_equal(apsp_device_open(&options, &device, &err), 0);
	/* the kernels that have two forms */
	device.tuning = apsp_tuning_find("", true, NULL);
	snprintf(device.fast, sizeof(device.fast), "%s", fast);
	dup2(file, STDERR_FILENO);
	r = solved_run(fixture->dir, &device, "multi-source", out, &err);
	dup2(kept, STDERR_FILENO);
	close(kept);
	size = pread(file, said, SAID_SIZE - 1, 0);
	assert_true(size >= 0);
	said[size] = '\0';
	close(file);
	apsp_device_close(&device);
	if (r < 0)
		fail_msg("%s", err.message);
}

static size_t warnings_count(const char *said)
{
	size_t n = 0;

	for (const char *at = said; (at = strstr(at, "<4>")); at++)
		n++;
	return n;
}

/* The job is done by the plain form, twice; only the first run says so. */
static void check(
	const struct device_fixture *fixture, const char *fast, const char *why)
{
	struct solved plain = {0}, other = {0};
	size_t n_marks = marks_count(fixture);
	char said[SAID_SIZE];

	graph_write(fixture);
	solve(fixture, "", &plain, said);
	for (int i = 0; i < 2; i++) {
		solve(fixture, fast, &other, said);
		assert_true(solved_same(&plain, &other));
		solved_done(&other);
		assert_int_equal(marks_count(fixture), n_marks + 1);
		assert_int_equal(warnings_count(said), i == 0);
		if (i == 0)
			assert_non_null(strstr(said, why));
	}
	solved_done(&plain);
}

static void test_does_not_compile(void **state)
{
	struct device_fixture *fixture = *state;

	/* only NVIDIA's compiler takes inline PTX */
	check(fixture,
		fixture->device.capability > 0 ? "-DPTX=1 -DTILE=nonsense("
					       : "-DPTX=1 -DCAPABILITY=90",
		"multi_source_gpu.cl: its fast form does not compile on");
}

static void test_computes_wrongly(void **state)
{
	/* values go to other places than those where they are read */
	check(*state, "-DPTX=0 -DTILE=64",
		"multi_source_gpu.cl: its fast form fails the self-test on");
}

/* What passes, such as a full disk, does not give a fast form up. */
static void test_fails_once(void **state)
{
	struct device_fixture *fixture = *state;
	struct solved plain = {0}, out = {0};
	size_t n_marks = marks_count(fixture);
	char said[SAID_SIZE];

	graph_write(fixture);
	solve(fixture, "", &plain, said);
	fails_next = true;
	solve(fixture, passing, &out, said);
	assert_false(fails_next);
	assert_true(n_passed > 0);
	assert_int_equal(marks_count(fixture), n_marks);
	assert_int_equal(warnings_count(said), 0);
	assert_true(solved_same(&plain, &out));
	solved_done(&plain);
	solved_done(&out);
}

/* Pairs are plain C where ptxas would refuse them, and the same bits. */
static void test_pairs_need_capability(void **state)
{
	struct device_fixture *fixture = *state;
	struct solved plain = {0}, out = {0};
	char said[SAID_SIZE];

	/* so 16 bits compile even where no PTX does */
	solve(fixture, "", &plain, said);
	solve(fixture, "-DPTX=1 -DCAPABILITY=89", &out, said);
	assert_int_equal(warnings_count(said), 0);
	assert_true(solved_same(&plain, &out));
	solved_done(&plain);
	solved_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_does_not_compile),
		cmocka_unit_test(test_computes_wrongly),
		cmocka_unit_test(test_fails_once),
		cmocka_unit_test(test_pairs_need_capability),
	};

	return cmocka_run_group_tests(
		tests, device_fixture_setup_keeping, device_fixture_teardown);
}
