/*
 * The memory of a whole solve on a CPU must be at most 1.25 times the tables,
 * or half of them where the algorithm works in windows of V; what the solver
 * plans, which must be enough; and nearly what a plan tells that is to be
 * likely. The test measures how much it grows from a small graph to a large
 * one, since any OpenCL runtime takes tens of megabytes itself. Pages of files
 * do not count: those of the table file, which is mapped, are a cache. Each
 * solve is a process, as jobs are. On a GPU, whose memory is apart, the bounds
 * say nothing: each kind is passed over there.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compute/plan/host_room.h"
#include "compute/solve/planner.h"
#include "tests/graph_fixture.h"
#include "tests/processors.h"
#include "tests/random.h"
#include "tests/solved.h"

enum {
	LONGEST = 1000000,
	DEGREE = 8, /* of graphs that are not dense */
	LOOK_US = 200,
	RETURNED = 1 << 20, /* bytes of a block that free() gives back */
	TURNS = 3, /* the later ones where another program was in the way */
};

/* What is solved, and how. */
struct kind {
	const char *algorithm;
	enum apsp_transform transform;
	uint32_t small; /* vertices */
	uint32_t large;
	bool dense;  /* with lengths of which all are of use */
	double most; /* of the tables */
};

/* The figures that a process reports of its solve. */
struct told {
	bool on_cpu;	/* false: nothing was solved */
	double planned; /* host_bytes: at most */
	double likely;	/* and as a daemon would say that knew the graph */
	double tables;
	double peak; /* of the process, without pages of files */
};

/* Looks all the time at what its process holds. */
struct watch {
	pthread_t thread;
	atomic_bool stop;
	uint64_t peak;
};

static void *watch_run(void *arg)
{
	struct watch *watch = arg;

	while (!atomic_load(&watch->stop)) {
		uint64_t held = apsp_host_room_held();

		if (held > watch->peak)
			watch->peak = held;
		usleep(LOOK_US);
	}
	return NULL;
}

static void watch_start(struct watch *watch)
{
	*watch = (struct watch){.peak = 0};
	assert_int_equal(
		pthread_create(&watch->thread, NULL, watch_run, watch), 0);
}

static uint64_t watch_stop(struct watch *watch)
{
	atomic_store(&watch->stop, true);
	pthread_join(watch->thread, NULL);
	return watch->peak;
}

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

static double likely_bytes(const struct apsp_prepared_graph *prepared,
	const char *algorithm, const struct apsp_device *device)
{
	bool sums = prepared->integers.kind == APSP_DISTANCE_SUM;
	struct apsp_plan_facts facts = {
		.work = {.n_vertices = prepared->lengths.n_vertices,
			.n_arcs = prepared->lengths.n_arcs,
			.element = prepared->widths[0].element,
			.distance = sums ? APSP_ELEMENT_F32
					 : prepared->widths[0].element,
			.predecessor = prepared->lengths.in.rank,
			.unit_lengths =
				prepared->integers.kind == APSP_DISTANCE_HOPS,
			.transformed = sums,
			.hops = prepared->hops,
			.reachable = 1,
			.likely = true},
		.host_bytes = APSP_PLAN_UNKNOWN,
		.disk_bytes = APSP_PLAN_UNKNOWN,
	};
	struct apsp_plan plan;

	apsp_rates_default(false, &facts.rates);
	apsp_plan_device_init(&device->info, device->tuning,
		device->memory_bytes, &facts.device);
	apsp_plan_make(&facts, algorithm, &plan);
	return (double)apsp_plan_choice(&plan)->host_bytes;
}

/* Leave both in out. */
static int planned_bytes(const char *dir, const char *algorithm,
	const struct apsp_device *device, struct apsp_progress *silent,
	struct told *out, struct apsp_err *err)
{
	struct apsp_prepared_graph prepared = {0};
	struct apsp_negative_cycle cycle = {0};
	struct apsp_plan plan;
	char path[300];

	snprintf(path, sizeof(path), "%s/graph", dir);
	if (apsp_prepared_graph_open(path, &prepared, err) < 0 ||
		apsp_prepared_graph_lengths(&prepared, &cycle, err) < 0 ||
		apsp_prepared_graph_closure(
			&prepared, NULL, NULL, silent, err) < 0)
		return -1;
	if (apsp_prepared_graph_useful(&prepared, NULL, INFINITY, err) < 0)
		return -1;
	apsp_planner_make(
		&prepared, device, &prepared.widths[0], algorithm, 0, 0, &plan);
	out->planned = (double)apsp_plan_choice(&plan)->host_bytes;
	out->likely = likely_bytes(&prepared, algorithm, device);
	apsp_prepared_graph_done(&prepared);
	return 0;
}

/* In the child: a solve and its plan, on a CPU. False: see err. */
static bool solve(const char *dir, const char *algorithm, struct told *out,
	struct apsp_err *err)
{
	const char *wanted = getenv("APSPD_DEVICE");
	const struct apsp_device_options options = {
		.device = wanted ? wanted : "auto", .kernel_dir = dir};
	struct apsp_device device;
	struct apsp_progress silent;
	struct watch watch;
	struct stat tables;
	char path[300];

	/* count no freed memory, which a solver keeps (compute/solve/heap.h) */
	mallopt(M_MMAP_THRESHOLD, RETURNED);
	/* MALLOC_PERTURB_ would fill what a solve never touches */
	mallopt(M_PERTURB, 0);
	apsp_progress_init(&silent, NULL, NULL);
	snprintf(path, sizeof(path), "%s/tables", dir);
	if (apsp_device_open(&options, &device, err) < 0)
		return false;
	out->on_cpu = device.host_memory;
	if (!out->on_cpu)
		return true;
	watch_start(&watch);
	if (solved_compute(dir, &device, algorithm, &silent, NULL, err) < 0 ||
		stat(path, &tables) < 0)
		return false;
	out->peak = (double)watch_stop(&watch);
	out->tables = (double)tables.st_size;
	remove(path);
	return planned_bytes(dir, algorithm, &device, &silent, out, err) == 0;
}

static struct told solve_apart(const char *dir, const char *algorithm)
{
	struct apsp_err err = {0};
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
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	return told;
}

/* The first time kernels may be compiled. Of the second run and those of turns
   before, the most counts, since on a busy machine the watch may sleep through
   a peak. */
static void measure(
	const char *dir, uint32_t n, const struct kind *kind, struct told *most)
{
	struct told told;

	graph_write(dir, n, kind);
	told = solve_apart(dir, kind->algorithm);
	most->on_cpu = told.on_cpu;
	if (told.on_cpu) {
		told = solve_apart(dir, kind->algorithm);
		if (told.peak > most->peak)
			*most = told;
	}
}

/* Whether it is within the bounds; is_last: it has to be. */
static bool growth_check(const struct kind *kind, const struct told *small,
	const struct told *large, bool is_last)
{
	double grown = large->peak - small->peak;
	double planned = large->planned - small->planned;
	double likely = large->likely - small->likely;
	double tables = large->tables - small->tables;

	/* the plan takes all arcs for essential; here few are. Where other
	   programs run, the watch misses up to 7 % of the peak */
	if (grown <= kind->most * tables && planned >= 0.9 * grown &&
		planned <= 1.5 * grown && likely >= 0.9 * grown &&
		likely <= 1.15 * grown)
		return true;
	if (is_last)
		fail_msg("%s, transform %d: %.3g MB likely, %.3g MB at most, "
			 "%.3g MB taken, tables of %.3g MB",
			kind->algorithm, (int)kind->transform, likely / 1e6,
			planned / 1e6, grown / 1e6, tables / 1e6);
	return false;
}

static void kind_run(const char *dir, const struct kind *kind)
{
	struct told small = {0}, large = {0};
	int turn = 1;

	do {
		measure(dir, kind->small, kind, &small);
		if (!small.on_cpu) {
			puts("passed over: a CPU");
			return;
		}
		measure(dir, kind->large, kind, &large);
	} while (!growth_check(kind, &small, &large, turn == TURNS) &&
		 turn++ < TURNS);
}

static void test_growth(void **state)
{
	static const struct kind kinds[] = {
		{"blocked-fw", APSP_TRANSFORM_NONE, 512, 1536, true, 1.25},
		{"blocked-fw", APSP_TRANSFORM_INV, 512, 1536, true, 1.25},
		{"blocked-fw", APSP_TRANSFORM_HOPS, 512, 1536, true, 1.25},
		{"multi-source", APSP_TRANSFORM_INV, 2048, 6144, false, 0.5},
		{"multi-source", APSP_TRANSFORM_NONE, 2048, 6144, false, 0.5},
	};
	const char *tmp = getenv("TMPDIR");
	cpu_set_t all = processors_pin(2);
	char dir[256], command[300];

	(void)state;
	snprintf(dir, sizeof(dir), "%s/apsp-memory-XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(dir));
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
		kind_run(dir, &kinds[k]);
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	assert_int_equal(system(command), 0);
	processors_free(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_growth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
