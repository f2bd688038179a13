/*
 * One solve of a graph file by the product, from the file's pages in memory to
 * a table file, which is on a file system in memory if there is one. The result
 * is a JSON object on stdout. As in a job, nothing waits until the file is
 * unmapped.
 *
 *	bench_solve DEVICE ALGORITHM GRAPHFILE [RUNS [LIMIT_S [KERNEL_DIR]]]
 *	bench_solve --algorithms
 *	bench_solve --calibrate DEVICE KERNEL_DIR [again]
 *
 * With ALGORITHM "" the product chooses. The device is opened once. A first run
 * warms everything up. The results are medians of up to RUNS more runs: of
 * three, of fewer if they exceed half of LIMIT_S, of more if they need less
 * than a tenth of it. In one more run the memory is sampled. In another one the
 * program waits for the device at the end of each stage, so that each stage's
 * own time is known. A first run that has not ended after LIMIT_S is stopped,
 * and its time is estimated from the progress of the algorithm; if it was still
 * compiling, it is repeated.
 */
#include <jansson.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "compute/solve/calibration.h"
#include "compute/solve/heap.h"
#include "compute/solve/kept_rates.h"
#include "compute/plan/algorithm.h"
#include "daemon/base/auto.h"
#include "tests/bench/ceiling.h"
#include "tests/bench/settle.h"
#include "tests/bench/timing.h"
#include "tests/solved.h"

enum {
	DIR_SIZE = 64,
	RUNS_LEAST = 3,
	FIRST_RUNS = 4, /* at most */
};

/* set by SIGALRM: the first run takes too long */
static struct apsp_stop limit;

static void limit_reach(int signal)
{
	(void)signal;
	apsp_stop_ask(&limit, APSP_STOP_CANCEL);
}

struct bench {
	struct apsp_device device;
	const char *algorithm;
	int runs;
	double limit_s;
	char dir[DIR_SIZE]; /* has a link `graph`; the solve writes `tables`
			       there */
	FILE *nowhere;
};

/* One solve. */
struct run {
	double seconds;
	double processor_s; /* of all processors together */
	struct apsp_job_stages stages;
	enum apsp_element element; /* of V */
	double share; /* fraction of the algorithm's own work that was done */
};

static int solve(
	struct bench *bench, bool settle, struct run *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_file_map_close) struct apsp_file_map left = {0};
	struct apsp_progress progress;
	char tables[DIR_SIZE + sizeof("/tables")];
	clock_t processors;
	double start;
	int r;

	/* as for a job, the directory is empty at first */
	snprintf(tables, sizeof(tables), "%s/tables", bench->dir);
	unlink(tables);
	start = bench_now_s();
	processors = clock();
	apsp_progress_init(&progress, bench->nowhere, &limit);
	for (int p = 0; p < APSP_N_STAGES; p++)
		progress.weights[p] = p == APSP_STAGE_DISTANCE;
	bench_settle(settle ? &bench->device : NULL);
	r = solved_compute(bench->dir, &bench->device, bench->algorithm,
		&progress, &left, err);
	out->seconds = bench_now_s() - start;
	out->processor_s = (double)(clock() - processors) / CLOCKS_PER_SEC;
	/* a stopped run is still in this stage */
	apsp_job_stages_end(&progress.stages, progress.stage);
	out->stages = progress.stages;
	out->element = progress.element;
	out->share = progress.reported;
	return r;
}

/* A line "VmHWM:   1234 kB" of /proc/self/status in bytes; 0: unknown. */
static uint64_t memory_of(const char *field)
{
	FILE *file = fopen("/proc/self/status", "r");
	unsigned long long kib = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, field, strlen(field)) == 0)
			sscanf(line + strlen(field), ": %llu", &kib);
	if (file)
		fclose(file);
	return kib * 1024;
}

/* Seconds since this process was started. */
static double process_age_s(void)
{
	FILE *file = fopen("/proc/self/stat", "r");
	unsigned long long ticks = 0;
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	/* 21 fields precede it, none of which has a blank */
	if (!file || fscanf(file,
			     "%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
			     "%*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
			     &ticks) != 1)
		ticks = 0;
	if (file)
		fclose(file);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9 -
	       (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

/*
 * The peak of this process's own memory. Pages of the table file do not count,
 * because they may be mapped or not.
 */
struct memory_watch {
	pthread_t thread;
	atomic_bool end;
	uint64_t most;
};

static void *memory_watched(void *arg)
{
	static const struct timespec pause = {.tv_nsec = 1000000};
	struct memory_watch *watch = arg;

	while (!atomic_load(&watch->end)) {
		uint64_t now = memory_of("RssAnon");

		if (now > watch->most)
			watch->most = now;
		nanosleep(&pause, NULL);
	}
	return NULL;
}

/* One more solve, which is not timed, because sampling takes time. */
static int solve_watched(struct bench *bench, struct run *out,
	uint64_t *out_most, struct apsp_err *err)
{
	struct memory_watch watch = {.most = memory_of("RssAnon")};
	int r;

	if (pthread_create(&watch.thread, NULL, memory_watched, &watch) != 0)
		return apsp_fail(err, APSP_ENOMEM, "watch the memory");
	r = solve(bench, false, out, err);
	atomic_store(&watch.end, true);
	pthread_join(watch.thread, NULL);
	*out_most = watch.most;
	return r;
}

static json_t *stages_json(const struct apsp_job_stages *stages)
{
	json_t *all = json_object();

	for (int s = APSP_STAGE_OPEN; s <= APSP_STAGE_MEASURE; s++)
		json_object_set_new(all, apsp_stage_names[s],
			json_real(stages->seconds[s]));
	return all;
}

/* Sums with which runs and other programs are compared. */
static void tables_tell(const struct solved *s, json_t *out)
{
	uint32_t n = (uint32_t)s->header->n_vertices;
	uint64_t n_pairs = 0;
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < n; j++) {
			double distance;
			int64_t hops;

			if (i == j || !solved_cell(s, i, j, &distance, &hops))
				continue;
			n_pairs++;
			sum += distance;
		}
	json_object_set_new(out, "vertices", json_integer(n));
	json_object_set_new(
		out, "arcs", json_integer((json_int_t)s->header->n_arcs));
	json_object_set_new(out, "pairs", json_integer((json_int_t)n_pairs));
	json_object_set_new(out, "sum", json_real(sum));
	json_object_set_new(
		out, "table_bytes", json_integer((json_int_t)s->size));
}

/*
 * The first run was stopped, or the product refused the graph. The estimate
 * lacks the stages after the distances.
 */
static void failure_tell(
	int r, const struct run *run, const struct apsp_err *err, json_t *out)
{
	double spent = run->stages.seconds[APSP_STAGE_DISTANCE];

	if (r != APSP_ECANCELLED) {
		json_object_set_new(
			out, "code", json_string(apsp_code_name(r)));
		json_object_set_new(out, "refused", json_string(err->message));
		return;
	}
	json_object_set_new(out, "stopped_after_s", json_real(run->seconds));
	json_object_set_new(out, "share", json_real(run->share));
	if (run->share > 0)
		json_object_set_new(out, "estimated_s",
			json_real(run->seconds - spent + spent / run->share));
}

static json_t *numbers_json(const double *numbers, int n)
{
	json_t *all = json_array();

	for (int i = 0; i < n; i++)
		json_array_append_new(all, json_real(numbers[i]));
	return all;
}

/*
 * The measured runs. Other programs may slow down a run, so the ceiling is
 * measured right before each run.
 */
static void runs_tell(
	struct bench *bench, const struct bench_ceiling *ceiling, json_t *out)
{
	double started = bench_now_s(), times[BENCH_RUNS_MAX];
	double distances[BENCH_RUNS_MAX], ceilings[BENCH_RUNS_MAX];
	double processors[BENCH_RUNS_MAX];
	uint64_t idle, files, most = 0;
	struct apsp_err err;
	struct run run;
	int n = 0;

	malloc_trim(0);
	idle = memory_of("VmRSS");
	files = idle - memory_of("RssAnon");
	while (n == 0 ||
		(n < bench->runs &&
			bench_now_s() - started <
				(n < RUNS_LEAST ? bench->limit_s / 2
						: bench->limit_s / 10))) {
		ceilings[n] = bench_ceiling_run(ceiling);
		if (solve(bench, false, &run, &err) < 0)
			bench_die(&err);
		distances[n] = run.stages.seconds[APSP_STAGE_DISTANCE];
		processors[n] = run.processor_s;
		times[n++] = run.seconds;
	}
	json_object_set_new(out, "runs", numbers_json(times, n));
	json_object_set_new(out, "processor_runs", numbers_json(processors, n));
	json_object_set_new(out, "distance_runs", numbers_json(distances, n));
	json_object_set_new(out, "ceiling_runs", numbers_json(ceilings, n));
	json_object_set_new(out, "seconds", json_real(bench_median(times, n)));
	json_object_set_new(out, "idle_bytes", json_integer((json_int_t)idle));
	if (solve_watched(bench, &run, &most, &err) < 0)
		bench_die(&err);
	json_object_set_new(
		out, "peak_bytes", json_integer((json_int_t)(files + most)));
	if (solve(bench, true, &run, &err) < 0)
		bench_die(&err);
	json_object_set_new(out, "stages", stages_json(&run.stages));
}

/*
 * The first run also compiles, which takes long on a busy machine. The limit is
 * meant for the algorithm. If the run was stopped before the algorithm had half
 * of that time, run again with the compiled kernels and twice the time.
 */
static int first_run(struct bench *bench, struct run *out, struct apsp_err *err)
{
	unsigned int limit_s = (unsigned int)bench->limit_s + 1;
	int r = APSP_ECANCELLED;

	for (int i = 0; i < FIRST_RUNS; i++) {
		apsp_stop_reset(&limit);
		alarm(limit_s);
		r = solve(bench, false, out, err);
		alarm(0);
		if (r != APSP_ECANCELLED ||
			out->stages.seconds[APSP_STAGE_DISTANCE] > limit_s / 2.)
			break;
		limit_s *= 2;
	}
	apsp_stop_reset(&limit);
	return r;
}

static void bench_tell(struct bench *bench, json_t *out)
{
	struct solved tables = {0};
	struct apsp_err err;
	struct run first;
	char path[DIR_SIZE + 8];
	struct bench_ceiling ceiling;
	int r = first_run(bench, &first, &err);

	if (r < 0) {
		failure_tell(r, &first, &err, out);
		return;
	}
	json_object_set_new(out, "first_s", json_real(first.seconds));
	snprintf(path, sizeof(path), "%s/tables", bench->dir);
	if (!solved_read(path, &tables)) {
		fprintf(stderr, "bench: no table file\n");
		exit(1);
	}
	tables_tell(&tables, out);
	json_object_set_new(
		out, "element", json_string(apsp_element_name(first.element)));
	json_object_set_new(out, "used", json_string(tables.header->algorithm));
	bench_ceiling_open(&bench->device, first.element, &ceiling);
	solved_done(&tables);
	runs_tell(bench, &ceiling, out);
	bench_ceiling_close(&ceiling);
}

/* The directory to remove, "" if there is none; global for signals. */
static struct {
	char dir[DIR_SIZE];
	char graph[DIR_SIZE + 8];
	char tables[DIR_SIZE + 8];
} scratch;

static void dir_remove(void)
{
	if (!scratch.dir[0])
		return;
	unlink(scratch.tables);
	unlink(scratch.graph);
	rmdir(scratch.dir);
}

static void on_end(int signal)
{
	dir_remove();
	_exit(128 + signal);
}

/* A job's directory, in memory if possible; it is removed at the end. */
static bool dir_make(struct bench *bench, const char *graph)
{
	char *real = realpath(graph, NULL);
	bool made = false;

	strcpy(bench->dir, "/dev/shm/apsp-bench-XXXXXX");
	if (!mkdtemp(bench->dir)) {
		strcpy(bench->dir, "/tmp/apsp-bench-XXXXXX");
		if (!mkdtemp(bench->dir))
			strcpy(bench->dir, "");
	}
	if (bench->dir[0]) {
		snprintf(scratch.graph, sizeof(scratch.graph), "%s/graph",
			bench->dir);
		snprintf(scratch.tables, sizeof(scratch.tables), "%s/tables",
			bench->dir);
		strcpy(scratch.dir, bench->dir);
		atexit(dir_remove);
		signal(SIGHUP, on_end);
		signal(SIGINT, on_end);
		signal(SIGTERM, on_end);
	}
	made = real && bench->dir[0] && symlink(real, scratch.graph) == 0;
	free(real);
	return made;
}

static int algorithms_list(void)
{
	for (const char *const *name = apsp_algorithm_names; *name; name++)
		puts(*name);
	return 0;
}

/*
 * Measure the rates from which plans are computed, and keep them in the
 * directory of kernels: once, or again.
 */
static int calibrate(const char *name, const char *kernel_dir, bool again)
{
	const struct apsp_device_options options = {
		.device = name,
		.kernel_dir = kernel_dir,
	};
	struct apsp_device device;
	struct apsp_rates rates;
	struct apsp_err err;

	if (apsp_device_open(&options, &device, &err) < 0)
		bench_die(&err);
	apsp_kept_rates_load(&device, &rates);
	if ((again || !rates.measured) &&
		(apsp_calibration_run(&device, NULL, &rates, &err) < 0 ||
			apsp_kept_rates_save(&device, &rates, &err) < 0))
		bench_die(&err);
	apsp_device_close(&device);
	return 0;
}

int main(int argc, char **argv)
{
	struct apsp_device_options options = {
		.device = argc > 1 ? argv[1] : "",
		.kernel_dir = argc > 6 ? argv[6] : "/tmp/apsp-bench-kernels",
	};
	struct bench bench = {0};
	json_t *out = json_object();
	struct apsp_err err;

	if (argc == 2 && strcmp(argv[1], "--algorithms") == 0)
		return algorithms_list();
	if (argc >= 4 && strcmp(argv[1], "--calibrate") == 0)
		return calibrate(argv[2], argv[3], argc > 4);
	if (argc < 4)
		return 2;
	bench.algorithm = argv[2];
	bench.runs = argc > 4 ? atoi(argv[4]) : 5;
	bench.limit_s = argc > 5 ? atof(argv[5]) : 60;
	if (bench.runs < 1 || bench.runs > BENCH_RUNS_MAX)
		return 2;
	bench.nowhere = fopen("/dev/null", "w");
	signal(SIGALRM, limit_reach);
	apsp_heap_prepare();
	if (apsp_device_open(&options, &bench.device, &err) < 0)
		bench_die(&err);
	json_object_set_new(out, "start_s", json_real(process_age_s()));
	json_object_set_new(out, "device", json_string(bench.device.info.name));
	json_object_set_new(out, "algorithm", json_string(bench.algorithm));
	if (!dir_make(&bench, argv[3])) {
		fprintf(stderr, "bench: cannot make a job of '%s'\n", argv[3]);
		return 1;
	}
	json_object_set_new(out, "in_memory",
		json_boolean(strncmp(bench.dir, "/dev/shm", 8) == 0));
	bench_tell(&bench, out);
	json_dumpf(out, stdout, JSON_COMPACT | JSON_REAL_PRECISION(12));
	putchar('\n');
	json_decref(out);
	fclose(bench.nowhere);
	apsp_device_close(&bench.device);
	return 0;
}
