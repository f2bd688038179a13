/*
 * Whether the planner is right. On each graph, every algorithm that competes is
 * estimated and measured, and the chosen one is compared with the best.
 *
 *	bench_planner [DEVICE [RUNS [all|GRAPH...]]]
 *
 * GRAPH is a word of bench_graph.h. Without one, the graphs are the benchmark
 * set, which is read from $APSP_SOURCE_ROOT or the working directory; `all`
 * also runs the algorithms that do not compete. The device is measured first.
 * Seconds are the least of RUNS, from arcs in memory to tables in a file,
 * without the self-test of the device. The exit status is 1 if a choice is more
 * than 1.3 times slower than the best.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compute/solve/width_attempts.h"
#include "compute/solve/calibration.h"
#include "compute/solve/kept_rates.h"
#include "compute/solve/planner.h"
#include "tests/bench/bench_graph.h"
#include "tests/bench/timing.h"

enum {
	PATH_SIZE = 512,
	CHOICE = APSP_N_ALGORITHMS,
};

#define WORST 1.3

static const char *const benchmark_set[] = {
	"tests/data/rome99.gr",
	"tests/data/larva_edges.csv@inv",
	"tests/data/larva_edges.csv@hops",
	"tests/data/celegans_newman.csv",
	"complete:1000",
	"complete:2048",
	"metric:1500",
	"sparse:4096:400",
	"rmat:12:32",
	"rmat:12:32@hops",
	"grid:64",
};

struct bench {
	struct apsp_device device;
	int runs;
	bool all;
	char dir[64];
	double worst;
};

static void path_of(const struct bench *bench, const char *name, char *out)
{
	snprintf(out, PATH_SIZE, "%s/%s", bench->dir, name);
}

static void problem_make(const struct bench *bench, const char *word,
	struct apsp_prepared_graph *out)
{
	struct apsp_negative_cycle cycle = {0};
	struct apsp_progress silent;
	struct apsp_err err;
	char path[PATH_SIZE];

	apsp_progress_init(&silent, NULL, NULL);
	path_of(bench, "graph", path);
	bench_graph_write(word, "", path);
	memset(out, 0, sizeof(*out));
	if (apsp_prepared_graph_open(path, out, &err) < 0 ||
		apsp_prepared_graph_lengths(out, &cycle, &err) < 0 ||
		apsp_prepared_graph_closure(out, NULL, NULL, &silent, &err) < 0)
		bench_die(&err);
	unlink(path);
}

/* The seconds of one solve; negative: the algorithm refuses the graph. */
static double run(const struct bench *bench,
	struct apsp_prepared_graph *prepared, const char *algorithm)
{
	struct apsp_progress silent;
	char path[PATH_SIZE];
	const struct apsp_width_attempts attempt = {
		.prepared = prepared,
		.device = &bench->device,
		.algorithm = *algorithm
				     ? apsp_distance_algorithm_find(algorithm)
				     : NULL,
		.progress = &silent,
		.path = path,
	};
	struct apsp_err err;
	double start;
	int r;

	apsp_progress_init(&silent, NULL, NULL);
	path_of(bench, "tables", path);
	start = bench_now_s();
	r = apsp_width_attempts_run(&attempt, &err);
	unlink(path);
	if (r == APSP_EDATA || r == APSP_ELIMIT)
		return -1;
	if (r < 0)
		bench_die(&err);
	return bench_now_s() - start -
	       silent.stages.seconds[APSP_STAGE_SELF_TEST];
}

/*
 * Run the algorithms in turns, so that other load on the machine slows down all
 * of them. The last figure is the solver's own choice, including its trials.
 */
static void measure(const struct bench *bench,
	struct apsp_prepared_graph *prepared, double seconds[CHOICE + 1])
{
	for (int i = 0; i <= CHOICE; i++)
		seconds[i] = -1;
	for (int turn = -1; turn < bench->runs; turn++)
		for (int i = 0; i <= CHOICE; i++) {
			double s;

			if (i < CHOICE && !bench->all &&
				!apsp_algorithms[i].competes)
				continue;
			s = run(bench, prepared,
				i < CHOICE ? apsp_algorithms[i].name : "");
			if (s >= 0 && turn >= 0 &&
				(seconds[i] < 0 || s < seconds[i]))
				seconds[i] = s;
		}
}

static void graph_bench(struct bench *bench, const char *word)
{
	double seconds[CHOICE + 1], best = -1, ratio, start, planned;
	struct apsp_prepared_graph prepared;
	struct apsp_plan plan;
	struct apsp_err err;

	problem_make(bench, word, &prepared);
	measure(bench, &prepared, seconds);
	/* in the width of its final attempt */
	start = bench_now_s();
	apsp_planner_make(&prepared, &bench->device, &prepared.widths[0], "", 0,
		0, &plan);
	if (apsp_plan_check(&plan, &err) < 0)
		bench_die(&err);
	planned = bench_now_s() - start;
	printf("\n%s\n  %s\n  planned in %.4f s\n", word, plan.text, planned);
	for (int i = 0; i < APSP_N_ALGORITHMS; i++) {
		const struct apsp_estimate *e = &plan.algorithms[i];

		if (seconds[i] < 0)
			continue;
		if (best < 0 || seconds[i] < best)
			best = seconds[i];
		printf("  %-20s measured %9.4f s, estimated %9.4f s (%.2f)%s\n",
			e->name, seconds[i], e->seconds,
			e->seconds / seconds[i],
			i == plan.choice ? "  <- chosen" : "");
	}
	ratio = seconds[CHOICE] / best;
	printf("  choice measured %9.4f s, / best %.2f\n", seconds[CHOICE],
		ratio);
	if (ratio > bench->worst)
		bench->worst = ratio;
	apsp_prepared_graph_done(&prepared);
	fflush(stdout);
}

static void device_measure(struct bench *bench)
{
	char text[APSP_RATES_TEXT_SIZE];
	struct apsp_rates rates;
	struct apsp_err err;

	if (apsp_calibration_run(&bench->device, NULL, &rates, &err) < 0 ||
		apsp_kept_rates_save(&bench->device, &rates, &err) < 0)
		bench_die(&err);
	apsp_rates_format(&rates, text);
	printf("%s\nrates %s\n", bench->device.info.name, text);
}

int main(int argc, char **argv)
{
	struct bench bench = {.runs = argc > 2 ? atoi(argv[2]) : 5,
		.dir = "/tmp/apsp-bench-XXXXXX"};
	const struct apsp_device_options options = {
		.device = argc > 1 ? argv[1] : "auto",
		.kernel_dir = bench.dir,
	};
	const char *root = getenv("APSP_SOURCE_ROOT");
	char command[128];
	struct apsp_err err;

	if (bench.runs < 1 || !mkdtemp(bench.dir) || (root && chdir(root) < 0))
		return 2;
	if (apsp_device_open(&options, &bench.device, &err) < 0)
		bench_die(&err);
	bench.all = argc > 3 && strcmp(argv[3], "all") == 0;
	device_measure(&bench);
	if (argc > 3 && !bench.all)
		for (int i = 3; i < argc; i++)
			graph_bench(&bench, argv[i]);
	else
		for (size_t i = 0;
			i < sizeof(benchmark_set) / sizeof(*benchmark_set); i++)
			graph_bench(&bench, benchmark_set[i]);
	printf("\nworst choice / best %.2f\n", bench.worst);
	apsp_device_close(&bench.device);
	snprintf(command, sizeof(command), "rm -rf '%s'", bench.dir);
	return system(command) != 0 || bench.worst > WORST;
}
