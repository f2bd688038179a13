/*
 * Search the best parameters for the device at hand, and print a row for
 * compute/plan/tuning.c.
 *
 *	search_tuning [SECONDS]
 *
 * The device is the one that APSPD_DEVICE names (default: auto). The search is
 * coordinate descent: for each parameter in turn, it tries the neighbouring
 * values and continues in a direction that helps. It repeats the round while a
 * round finds improvements and SECONDS (150) have not passed. For each
 * parameter, it measures the stages that the parameter affects, in a solve of
 * the product, which proves its answer. The best row and its challenger run in
 * turns, since other programs may slow down either.
 */
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "compute/device/device.h"
#include "tests/bench/bench_graph.h"
#include "tests/bench/settle.h"
#include "tests/bench/timing.h"
#include "tests/solved.h"
#include "tests/tuning_rules.h"

enum {
	VALUES_MAX = 10,
	MISSES_MAX =
		2, /* failures in a row after which a direction is given up */
	DIR_SIZE = 64,
	TURNS = 5,
	ENOUGH_S = 2, /* seconds for the turns of long solves */
};

/* A challenger must twice take less than this fraction of the best's time. */
#define BETTER 0.97
/* If it takes more than this fraction, its remaining turns are skipped. */
#define HOPELESS 1.3
/* The longest launch in seconds: half of the limit. */
#define LAUNCH_S 0.1

#define STAGE(name) (1U << APSP_STAGE_##name)
#define ROW_STAGES (STAGE(PREDECESSOR) | STAGE(DOWNLOAD) | STAGE(WRITE))

/* Random graphs, by gpu; the large one is for stages of n³ steps. */
enum graph {
	GRAPH_LARGE,
	GRAPH_SMALL,
	GRAPH_SPARSE,
	GRAPH_HOPS,
	GRAPH_DAG,
	N_GRAPHS,
};

static const struct {
	const char *shape; /* words of bench_graph.h */
	uint32_t n_vertices;
	uint32_t degree;
	const char *transform;
} graphs[2][N_GRAPHS] = {
	{{"sparse", 2048, 16, ""}, {"sparse", 640, 64, ""},
		{"sparse", 2048, 8, ""}, {"sparse", 2048, 8, "@hops"},
		{"dag", 2048, 8, ""}},
	{{"sparse", 8192, 16, ""}, {"sparse", 4096, 64, ""},
		{"sparse", 8192, 8, ""}, {"sparse", 8192, 8, "@hops"},
		{"dag", 8192, 8, ""}},
};

/*
 * A parameter: its place in the table, the stages that measure it, and its
 * values. If it limits a launch, also the stage of these launches.
 */
struct knob {
	const char *name;
	size_t offset;
	bool wide; /* uint64_t; else uint32_t */
	const char *algorithm;
	enum graph graph;
	unsigned stages;
	enum apsp_stage launches;    /* APSP_N_STAGES: it bounds none */
	uint64_t values[VALUES_MAX]; /* ascending, then a 0; if empty, the
					parameter is not changed */
};

#define NARROW(field) #field, offsetof(struct apsp_tuning, field), false
#define WIDE(field) #field, offsetof(struct apsp_tuning, field), true
#define MIB(n) ((uint64_t)(n) << 20)
#define G(n) ((uint64_t)((n)*1e9))
#define NO_LAUNCHES APSP_N_STAGES

static const struct knob knobs[] = {
	{NARROW(relax_chunk), "blocked-fw", GRAPH_LARGE, STAGE(DISTANCE),
		NO_LAUNCHES, {8, 16}},
	{NARROW(pivot_tiles), "blocked-fw", GRAPH_LARGE, STAGE(DISTANCE),
		NO_LAUNCHES, {1, 2, 3, 4, 6, 8}},
	{WIDE(launch_relaxations), "blocked-fw", GRAPH_LARGE, STAGE(DISTANCE),
		APSP_STAGE_DISTANCE,
		{G(0.5), G(1), G(2), G(4), G(8), G(50), G(100), G(200),
			G(400)}},
	{NARROW(span), "fw", GRAPH_SMALL, STAGE(DISTANCE) | ROW_STAGES,
		NO_LAUNCHES, {1, 2, 4, 8, 16, 32, 64, 128}},
	{NARROW(row_group), "fw", GRAPH_SMALL, STAGE(DISTANCE) | ROW_STAGES,
		NO_LAUNCHES, {1, 2, 4, 8, 16, 32, 64, 128}},
	{NARROW(bf_items), "bf-dense-reduce", GRAPH_SMALL, STAGE(DISTANCE),
		NO_LAUNCHES, {1, 2, 4, 8, 16, 32, 64, 128}},
	{NARROW(bf_sources), "bf-dense-reduce", GRAPH_SMALL, STAGE(DISTANCE),
		NO_LAUNCHES, {1, 2, 4, 8, 16, 32}},
	{NARROW(bf_vertices), "bf-dense-transposed", GRAPH_SMALL,
		STAGE(DISTANCE), NO_LAUNCHES, {1, 2, 4, 8, 16, 32}},
	{WIDE(bf_relaxations), "bf-dense-reduce", GRAPH_SMALL, STAGE(DISTANCE),
		APSP_STAGE_DISTANCE,
		{G(0.2), G(0.5), G(1), G(2), G(4), G(20), G(50), G(100),
			G(200)}},
	{NARROW(segment), "bf-edges", GRAPH_SPARSE, STAGE(DISTANCE),
		NO_LAUNCHES,
		{512, 1024, 2048, 4096, 8192, 16384, 32768, 65536}},
	{NARROW(edge_rows), "bf-edges", GRAPH_SPARSE, STAGE(DISTANCE),
		NO_LAUNCHES, {1, 2, 4, 8, 16}},
	{WIDE(launch_edges), "bf-edges", GRAPH_SPARSE, STAGE(DISTANCE),
		APSP_STAGE_DISTANCE,
		{G(0.02), G(0.05), G(0.1), G(0.2), G(0.5), G(1), G(2), G(5)}},
	{NARROW(level_lanes), "bfs-levels", GRAPH_HOPS, STAGE(DISTANCE),
		NO_LAUNCHES, {4, 8, 16, 32, 64}},
	{NARROW(lane_bytes), "multi-source", GRAPH_SPARSE, STAGE(DISTANCE),
		NO_LAUNCHES, {64, 128, 256, 512, 1024}},
	{NARROW(launch_pushes), "multi-source", GRAPH_SPARSE, STAGE(DISTANCE),
		NO_LAUNCHES, {100000, 300000, 1000000, 3000000}},
	{WIDE(lanes_bytes), "multi-source", GRAPH_SPARSE, STAGE(DISTANCE),
		NO_LAUNCHES,
		{MIB(1), MIB(2), MIB(9), MIB(18), MIB(36), MIB(72), MIB(144)}},
	{NARROW(bits.line), "closure-warshall", GRAPH_DAG, STAGE(CLOSURE),
		NO_LAUNCHES, {1, 2, 4, 8, 16, 32}},
	{NARROW(bits.wide), "closure-warshall", GRAPH_DAG, STAGE(CLOSURE),
		NO_LAUNCHES, {1, 8, 16, 32, 64}},
	{NARROW(bits.tall), "closure-warshall", GRAPH_DAG, STAGE(CLOSURE),
		NO_LAUNCHES, {1, 2, 4, 8, 16}},
	{NARROW(bits.spread_rows), "closure-warshall", GRAPH_DAG,
		STAGE(CLOSURE), NO_LAUNCHES,
		{8, 16, 32, 64, 128, 256, 512, 1024, 2048}},
	{NARROW(bits.square_rows), "closure-squaring", GRAPH_DAG,
		STAGE(CLOSURE), NO_LAUNCHES, {1, 2, 4, 8, 16, 32}},
	{.name = "bits.narrow",
		.offset = offsetof(struct apsp_tuning, bits.narrow)},
	{.name = "bits.host_words",
		.offset = offsetof(struct apsp_tuning, bits.host_words),
		.wide = true},
	{WIDE(launch_arcs), "blocked-fw", GRAPH_LARGE, ROW_STAGES,
		APSP_STAGE_PREDECESSOR,
		{G(0.02), G(0.05), G(0.1), G(0.2), G(1), G(5), G(10), G(20)}},
	{WIDE(batch_bytes), "bf-edges", GRAPH_SPARSE, STAGE(DISTANCE),
		NO_LAUNCHES,
		{MIB(1), MIB(2), MIB(4), MIB(16), MIB(64), MIB(256)}},
	{WIDE(staging_bytes), "blocked-fw", GRAPH_LARGE, ROW_STAGES,
		NO_LAUNCHES,
		{MIB(2), MIB(4), MIB(8), MIB(16), MIB(32), MIB(64), MIB(128),
			MIB(256), MIB(512)}},
	{.name = "calibration_vertices",
		.offset = offsetof(struct apsp_tuning, calibration_vertices)},
};

struct tune {
	struct apsp_device device; /* tuning points to the row being run */
	struct apsp_tuning best;
	char dirs[N_GRAPHS][DIR_SIZE];
	double ends_s;
};

static uint64_t value_get(
	const struct apsp_tuning *row, const struct knob *knob)
{
	const char *at = (const char *)row + knob->offset;
	uint32_t narrow;
	uint64_t wide;

	if (knob->wide) {
		memcpy(&wide, at, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, at, sizeof(narrow));
	return narrow;
}

static void value_set(
	struct apsp_tuning *row, const struct knob *knob, uint64_t value)
{
	char *at = (char *)row + knob->offset;
	uint32_t narrow = (uint32_t)value;

	if (knob->wide)
		memcpy(at, &value, sizeof(value));
	else
		memcpy(at, &narrow, sizeof(narrow));
}

/* The stages of a knob's solve with a row of the table. */
static int row_solve(struct tune *tune, const struct apsp_tuning *row,
	const struct knob *knob, bool settle, struct apsp_job_stages *out,
	struct apsp_err *err)
{
	struct apsp_progress silent;
	int r;

	apsp_progress_init(&silent, NULL, NULL);
	bench_settle(settle ? &tune->device : NULL);
	tune->device.tuning = row;
	r = solved_compute(tune->dirs[knob->graph], &tune->device,
		knob->algorithm, &silent, NULL, err);
	tune->device.tuning = &tune->best;
	*out = silent.stages;
	return r;
}

/* Seconds of the knob's own stages; infinite if the solve is refused. */
static double row_seconds(struct tune *tune, const struct apsp_tuning *row,
	const struct knob *knob)
{
	struct apsp_job_stages stages;
	struct apsp_err err;
	double seconds = 0;

	if (row_solve(tune, row, knob, false, &stages, &err) < 0) {
		fprintf(stderr, "%s = %llu: %s\n", knob->name,
			(unsigned long long)value_get(row, knob), err.message);
		return INFINITY;
	}
	for (int s = 0; s < APSP_N_STAGES; s++)
		if (knob->stages >> s & 1)
			seconds += stages.seconds[s];
	return seconds;
}

/* The least time of the challenger divided by the least time of the best. */
static double challenge(struct tune *tune, const struct apsp_tuning *challenger,
	const struct knob *knob)
{
	double best = INFINITY, other = INFINITY, begun;

	/* a first run compiles kernels */
	if (isinf(row_seconds(tune, challenger, knob)))
		return INFINITY;
	begun = bench_now_s();
	for (int t = 0; t < TURNS; t++) {
		best = fmin(best, row_seconds(tune, &tune->best, knob));
		other = fmin(other, row_seconds(tune, challenger, knob));
		if (other > HOPELESS * best ||
			(t > 0 && bench_now_s() - begun > ENOUGH_S))
			break;
	}
	return other / best;
}

/* The largest value with which a launch takes less than LAUNCH_S. */
static double launch_limit(struct tune *tune, const struct knob *knob)
{
	double n = graphs[tune->best.gpu][knob->graph].n_vertices;
	double degree = graphs[tune->best.gpu][knob->graph].degree;
	double work = knob->launches == APSP_STAGE_DISTANCE ? n * n * n
							    : n * n * degree;
	struct apsp_job_stages stages;
	struct apsp_err err;

	if (knob->launches == NO_LAUNCHES)
		return INFINITY;
	if (row_solve(tune, &tune->best, knob, true, &stages, &err) < 0)
		return 0; /* the device cannot run the algorithm */
	return LAUNCH_S * work / stages.seconds[knob->launches];
}

/* Whether the value was better in both of two comparisons. */
static bool value_wins(
	struct tune *tune, const struct knob *knob, uint64_t value)
{
	struct apsp_tuning challenger = tune->best;
	double part;

	value_set(&challenger, knob, value);
	if (value == value_get(&tune->best, knob) ||
		!tuning_fits(&challenger, &tune->device.info.limits))
		return false;
	part = challenge(tune, &challenger, knob);
	if (part < BETTER)
		part = fmax(part, challenge(tune, &challenger, knob));
	fprintf(stderr, "%s: %llu takes %.3f of the time of %llu\n", knob->name,
		(unsigned long long)value, part,
		(unsigned long long)value_get(&tune->best, knob));
	return part < BETTER;
}

/*
 * Try the values beyond the present one in one direction, as long as they help.
 */
static void knob_climb(
	struct tune *tune, const struct knob *knob, double limit, int step)
{
	uint64_t from = value_get(&tune->best, knob);
	int misses = 0, v = step > 0 ? 0 : VALUES_MAX - 1;

	for (; v >= 0 && v < VALUES_MAX && misses < MISSES_MAX; v += step) {
		uint64_t value = knob->values[v];

		if (value == 0 || (step > 0 ? value <= from : value >= from) ||
			(double)value > limit)
			continue;
		if (bench_now_s() > tune->ends_s)
			return;
		if (value_wins(tune, knob, value)) {
			value_set(&tune->best, knob, value);
			misses = 0;
		} else {
			misses++;
		}
	}
}

/* Returns whether a better value was found. */
static bool knob_turn(struct tune *tune, const struct knob *knob)
{
	uint64_t before = value_get(&tune->best, knob);
	double limit;

	if (before == 0)
		return false; /* not used on this kind of device */
	limit = knob->values[0] ? launch_limit(tune, knob) : 0;
	knob_climb(tune, knob, limit, +1);
	knob_climb(tune, knob, limit, -1);
	return value_get(&tune->best, knob) != before;
}

static void search(struct tune *tune)
{
	bool found = true;

	while (found && bench_now_s() < tune->ends_s) {
		found = false;
		for (size_t k = 0; k < sizeof(knobs) / sizeof(*knobs); k++)
			found |= knob_turn(tune, &knobs[k]);
	}
}

static void row_print(const struct tune *tune)
{
	char driver[APSP_DEVICE_NAME_SIZE] = "", date[16];
	const struct apsp_tuning *row = &tune->best;
	time_t now = time(NULL);

	clGetDeviceInfo(tune->device.id, CL_DRIVER_VERSION, sizeof(driver),
		driver, NULL);
	strftime(date, sizeof(date), "%Y-%m-%d", gmtime(&now));
	printf("\t{\n\t\t/* %s, driver %s, %s, by tune */\n",
		tune->device.info.name, driver, date);
	printf("\t\t.device = \"%s\",\n", tune->device.info.name);
	printf("\t\t.gpu = %s,\n", row->gpu ? "true" : "false");
	printf("\t\t.relax = \"%s\",\n", row->relax);
	for (size_t k = 0; k < sizeof(knobs) / sizeof(*knobs); k++) {
		unsigned long long value = value_get(row, &knobs[k]);

		printf(knobs[k].wide ? "\t\t.%s = UINT64_C(%llu),\n"
				     : "\t\t.%s = %llu,\n",
			knobs[k].name, value);
	}
	printf("\t},\n");
}

static void open_all(struct tune *tune)
{
	const char *wanted = getenv("APSPD_DEVICE");
	struct apsp_device_options options = {
		.device = wanted ? wanted : "auto"};
	struct apsp_err err;
	char path[DIR_SIZE + 8], word[64];

	for (int g = 0; g < N_GRAPHS; g++) {
		strcpy(tune->dirs[g], "/dev/shm/apsp-tune-XXXXXX");
		if (mkdtemp(tune->dirs[g]))
			continue;
		strcpy(tune->dirs[g], "/tmp/apsp-tune-XXXXXX");
		if (!mkdtemp(tune->dirs[g])) {
			perror("search_tuning: make a directory");
			exit(1);
		}
	}
	options.kernel_dir = tune->dirs[0];
	if (apsp_device_open(&options, &tune->device, &err) < 0)
		bench_die(&err);
	tune->best = *tune->device.tuning;
	tune->device.tuning = &tune->best;
	for (int g = 0; g < N_GRAPHS; g++) {
		snprintf(path, sizeof(path), "%s/graph", tune->dirs[g]);
		snprintf(word, sizeof(word), "%s:%u:%u%s",
			graphs[tune->best.gpu][g].shape,
			graphs[tune->best.gpu][g].n_vertices,
			graphs[tune->best.gpu][g].degree,
			graphs[tune->best.gpu][g].transform);
		bench_graph_write(word, "", path);
	}
}

static void close_all(struct tune *tune)
{
	char command[DIR_SIZE + 16];

	apsp_device_close(&tune->device);
	for (int g = 0; g < N_GRAPHS; g++) {
		snprintf(
			command, sizeof(command), "rm -rf '%s'", tune->dirs[g]);
		if (system(command) != 0)
			fprintf(stderr, "%s is left\n", tune->dirs[g]);
	}
}

int main(int argc, char **argv)
{
	struct tune tune = {0};

	open_all(&tune);
	tune.ends_s = bench_now_s() + (argc > 1 ? atof(argv[1]) : 150);
	search(&tune);
	row_print(&tune);
	close_all(&tune);
	return 0;
}
