/*
 * The memory of a whole solve on a CPU must be at most 1.25 times the tables,
 * or half of them where the algorithm works in windows of V, and at most what
 * the plan says. The test measures how much it grows from a small graph to a
 * large one, since any OpenCL runtime takes tens of megabytes itself. Each
 * solve is a process, as jobs are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compute/solve/planner.h"
#include "tests/graph_fixture.h"
#include "tests/random.h"
#include "tests/solved.h"

enum {
	LARGE_BYTES = 1 << 20, /* as in apsp-solve */
	LONGEST = 1000000,
	DEGREE = 8, /* of graphs that are not dense */
};

/* What is solved, and how. */
struct kind {
	const char *algorithm;
	enum apsp_transform transform;
	uint32_t small; /* vertices */
	uint32_t large;
	bool dense;
	double most; /* of the tables */
};

/* The figures that a process reports of its solve. */
struct told {
	bool on_cpu;
	double planned; /* host_bytes */
	double tables;
	double peak; /* of the process */
};

static void graph_write(const char *dir, uint32_t n, const struct kind *kind)
{
	struct graph_fixture g;
	struct apsp_err err;
	uint64_t seed = 1;
	char path[300];

	graph_fixture_init(&g, n);
	for (uint32_t u = 0; u < n; u++)
		for (uint32_t i = 1; i < (kind->dense ? n : DEGREE + 1); i++)
			graph_fixture_add(&g, u,
				kind->dense ? (u + i) % n
					    : random_below(&seed, n),
				1 + random_below(&seed, LONGEST));
	g.graph.profile.transform = kind->transform;
	snprintf(path, sizeof(path), "%s/graph", dir);
	assert_int_equal(apsp_graph_write(path, &g.graph, &err), 0);
	graph_fixture_done(&g);
}

static double planned_bytes(const char *dir, const char *algorithm,
	const struct apsp_device *device, struct apsp_progress *silent,
	struct apsp_err *err)
{
	struct apsp_prepared_graph prepared = {0};
	struct apsp_negative_cycle cycle = {0};
	struct apsp_plan plan;
	char path[300];

	snprintf(path, sizeof(path), "%s/graph", dir);
	if (apsp_prepared_graph_open(path, &prepared, err) < 0 ||
		apsp_prepared_graph_lengths(&prepared, &cycle, err) < 0 ||
		apsp_prepared_graph_closure(
			&prepared, NULL, NULL, silent, err) < 0 ||
		apsp_planner_make(&prepared, device, &prepared.widths[0],
			algorithm, &plan, err) < 0)
		return -1;
	apsp_prepared_graph_done(&prepared);
	return (double)apsp_plan_choice(&plan)->host_bytes;
}

/* In the child: a solve and its plan. False: see err. */
static bool solve(const char *dir, const char *algorithm, struct told *out,
	struct apsp_err *err)
{
	const char *wanted = getenv("APSPD_DEVICE");
	const struct apsp_device_options options = {
		.device = wanted ? wanted : "auto", .kernel_dir = dir};
	struct apsp_device device;
	struct apsp_progress silent;
	struct stat tables;
	char path[300];

	mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
	apsp_progress_init(&silent, NULL, NULL);
	snprintf(path, sizeof(path), "%s/tables", dir);
	if (apsp_device_open(&options, &device, err) < 0)
		return false;
	out->on_cpu = device.host_memory;
	if (solved_compute(dir, &device, algorithm, &silent, NULL, err) < 0 ||
		stat(path, &tables) < 0)
		return false;
	out->tables = (double)tables.st_size;
	remove(path);
	out->planned = planned_bytes(dir, algorithm, &device, &silent, err);
	return out->planned >= 0;
}

static struct told solve_apart(const char *dir, const char *algorithm)
{
	struct apsp_err err = {0};
	struct rusage usage;
	struct told told = {0};
	int status, ends[2];
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		bool done = solve(dir, algorithm, &told, &err);

		if (!done)
			fprintf(stderr, "%s\n", err.message);
		_exit(!done ||
			write(ends[1], &told, sizeof(told)) != sizeof(told));
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &told, sizeof(told)), sizeof(told));
	close(ends[0]);
	assert_int_equal(wait4(child, &status, 0, &usage), child);
	assert_int_equal(status, 0);
	/* less the table file, which is mapped: the system's cache of it */
	told.peak = (double)usage.ru_maxrss * 1024 - told.tables;
	return told;
}

/* The second time no kernel is compiled. */
static struct told measure(const char *dir, uint32_t n, const struct kind *kind)
{
	graph_write(dir, n, kind);
	solve_apart(dir, kind->algorithm);
	return solve_apart(dir, kind->algorithm);
}

static void growth_check(const char *dir, const struct kind *kind)
{
	struct told small = measure(dir, kind->small, kind);
	struct told large = measure(dir, kind->large, kind);
	double grown = large.peak - small.peak;
	double planned = large.planned - small.planned;
	double tables = large.tables - small.tables;

	if (!small.on_cpu)
		return;
	if (grown > kind->most * tables)
		fail_msg("%s, transform %d: %.3g MB for tables of %.3g MB",
			kind->algorithm, (int)kind->transform, grown / 1e6,
			tables / 1e6);
	/* the plan takes all arcs for essential; here few are */
	if (planned < 0.9 * grown || planned > 1.5 * grown)
		fail_msg("%s, transform %d: %.3g MB planned, %.3g MB taken",
			kind->algorithm, (int)kind->transform, planned / 1e6,
			grown / 1e6);
}

static void test_growth(void **state)
{
	static const struct kind kinds[] = {
		{"blocked-fw", APSP_TRANSFORM_NONE, 512, 1536, true, 1.25},
		{"blocked-fw", APSP_TRANSFORM_INV, 512, 1536, true, 1.25},
		{"blocked-fw", APSP_TRANSFORM_HOPS, 512, 1536, true, 1.25},
		{"multi-source", APSP_TRANSFORM_INV, 1536, 3072, false, 0.5},
		{"multi-source", APSP_TRANSFORM_NONE, 1536, 3072, false, 0.5},
	};
	const char *tmp = getenv("TMPDIR");
	char dir[256], command[300];

	(void)state;
	snprintf(dir, sizeof(dir), "%s/apsp-memory-XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(dir));
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
		growth_check(dir, &kinds[k]);
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_growth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
