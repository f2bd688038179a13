/*
 * What the methods of 2007 to 2015 gained, here: each algorithm against its own
 * plain version, as a markdown table.
 *
 *	bench_history [DEVICE [RUNS [N]...]]
 *
 * N is the number of vertices, a power of two; 1024 if none is given. Runs
 * alternate between the two versions; seconds are medians of RUNS, upload
 *apart; a run of each before them is checked: rows against Dijkstra's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/algorithm_run.h"
#include "tests/bench/plain_squaring.h"
#include "tests/bench/timing.h"

enum {
	WORD_MAX = 32,
	RUNS = 3,
	N = 1024,
};

/* How a version differs from the product's own tuning. */
enum twist {
	TWIST_NONE,
	TWIST_ONE_SOURCE, /* bf-dense from one vertex a launch, as published */
	TWIST_ARCS,	  /* arcs as uploaded: unordered, each for itself */
	TWIST_SQUARING,	  /* plain_squaring.h, whatever the algorithm */
};

struct version {
	const char *algorithm;
	enum twist twist;
};

enum shape {
	SHAPE_DENSE, /* all arcs */
	SHAPE_PAIRS, /* power-law degrees, 32 each way */
	SHAPE_PAIRS_HOPS,
};

struct comparison {
	const char *origin;
	const char *what; /* the two differ in */
	struct version plain;
	struct version better;
	enum shape shape;
};

static const struct comparison comparisons[] = {
	{"Harish & Narayanan 2007 → Katz & Kider 2008, Xing et al.",
		"tiles in three phases", {"fw", TWIST_NONE},
		{"blocked-fw", TWIST_NONE}, SHAPE_DENSE},
	{"Xing et al., section 2.1", "tiles, in place",
		{"an item a cell", TWIST_SQUARING},
		{"minplus-squaring", TWIST_NONE}, SHAPE_DENSE},
	{"Liu et al. 2015, a source a launch", "items share a vertex",
		{"bf-dense-vertex", TWIST_ONE_SOURCE},
		{"bf-dense-reduce", TWIST_ONE_SOURCE}, SHAPE_DENSE},
	{"Liu et al. 2015, a source a launch", "and read neighbours",
		{"bf-dense-vertex", TWIST_ONE_SOURCE},
		{"bf-dense-transposed", TWIST_ONE_SOURCE}, SHAPE_DENSE},
	{"Liu et al. 2015, as tuned", "items share a vertex",
		{"bf-dense-vertex", TWIST_NONE},
		{"bf-dense-reduce", TWIST_NONE}, SHAPE_DENSE},
	{"Liu et al. 2015, as tuned", "and read neighbours",
		{"bf-dense-vertex", TWIST_NONE},
		{"bf-dense-transposed", TWIST_NONE}, SHAPE_DENSE},
	{"SSSP and BFS on Kepler, 2014", "pairs once, by segment",
		{"bf-edges", TWIST_ARCS}, {"bf-edges", TWIST_NONE},
		SHAPE_PAIRS},
	{"SSSP and BFS on Kepler, 2014", "pairs once, by segment",
		{"bfs-levels", TWIST_ARCS}, {"bfs-levels", TWIST_NONE},
		SHAPE_PAIRS_HOPS},
};

/* A version made ready to run. */
struct contestant {
	bool squaring;
	struct apsp_device device;
	struct apsp_tuning tuning;
	struct bench_algorithm algorithm;
	struct bench_squaring plain;
};

static void tuning_twist(
	struct apsp_tuning *tuning, enum twist twist, uint32_t n)
{
	uint64_t side = ((uint64_t)n + APSP_TILE - 1) / APSP_TILE * APSP_TILE;

	if (twist == TWIST_ONE_SOURCE) {
		tuning->bf_sources = 1;
		tuning->bf_vertices = 1;
		tuning->bf_relaxations = side * side;
	} else if (twist == TWIST_ARCS) {
		tuning->segment = 0;
	}
}

static void contestant_open(const struct apsp_device *device,
	const struct version *version, const struct bench_graph *graph,
	enum apsp_element element, struct contestant *out)
{
	memset(out, 0, sizeof(*out));
	out->squaring = version->twist == TWIST_SQUARING;
	if (out->squaring) {
		bench_squaring_open(device, graph, element, &out->plain);
		return;
	}
	out->tuning = *device->tuning;
	tuning_twist(&out->tuning, version->twist,
		graph->problem.lengths.n_vertices);
	out->device = *device;
	out->device.tuning = &out->tuning;
	bench_algorithm_open(&out->device,
		apsp_algorithm_find(version->algorithm), graph, element,
		&out->algorithm);
}

static void contestant_close(struct contestant *c)
{
	if (c->squaring)
		bench_squaring_close(&c->plain);
	else
		bench_algorithm_close(&c->algorithm);
}

static double contestant_run(const struct contestant *c, bool check)
{
	return c->squaring ? bench_squaring_run(&c->plain, check)
			   : bench_algorithm_run(&c->algorithm, check);
}

static void word_make(enum shape shape, uint32_t n, char word[WORD_MAX])
{
	int scale = 31 - __builtin_clz(n);

	if (shape == SHAPE_DENSE)
		snprintf(word, WORD_MAX, "%u", n);
	else
		snprintf(word, WORD_MAX, "pairs:%d:32%s", scale,
			shape == SHAPE_PAIRS_HOPS ? "@hops" : "");
}

static void compare(const struct apsp_device *device,
	const struct comparison *comparison, uint32_t n, int runs)
{
	double plain_s[BENCH_RUNS_MAX], better_s[BENCH_RUNS_MAX];
	enum apsp_element element = APSP_ELEMENT_NONE;
	struct contestant plain, better;
	struct bench_graph graph;
	double ratio;
	char word[WORD_MAX];

	word_make(comparison->shape, n, word);
	bench_graph_make(word, &element, &graph);
	contestant_open(device, &comparison->plain, &graph, element, &plain);
	contestant_open(device, &comparison->better, &graph, element, &better);
	contestant_run(&plain, true);
	contestant_run(&better, true);
	for (int i = 0; i < runs; i++) {
		plain_s[i] = contestant_run(&plain, false);
		better_s[i] = contestant_run(&better, false);
	}
	contestant_close(&plain);
	contestant_close(&better);
	bench_graph_done(&graph);
	ratio = bench_median(plain_s, runs) / bench_median(better_s, runs);
	printf("| %s | %s | %s | %s | %s | %s | %.4g | %.4g | %.2f |\n",
		comparison->origin, comparison->better.algorithm,
		comparison->plain.algorithm, comparison->what, word,
		apsp_element_name(element), bench_median(plain_s, runs),
		bench_median(better_s, runs), ratio);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const struct apsp_device_options options = {
		.device = argc > 1 ? argv[1] : "auto",
		.kernel_dir = "/tmp/apsp-bench-kernels",
	};
	int runs = argc > 2 ? atoi(argv[2]) : RUNS;
	struct apsp_device device;
	struct apsp_err err;

	if (runs < 1 || runs > BENCH_RUNS_MAX)
		return 2;
	if (apsp_device_open(&options, &device, &err) < 0)
		bench_die(&err);
	printf("%s, medians of %d runs\n\n", device.info.name, runs);
	printf("| method | algorithm | plain version | what is better | graph "
	       "| V | plain, s | better, s | speed-up |\n"
	       "|---|---|---|---|---|---|---|---|---|\n");
	for (size_t c = 0; c < sizeof(comparisons) / sizeof(*comparisons); c++)
		for (int a = 3; a == 3 || a < argc; a++) {
			uint32_t n = argc > a ? (uint32_t)atoi(argv[a]) : N;

			if (n < 2 || n > 1 << 16)
				return 2;
			compare(&device, &comparisons[c], n, runs);
		}
	apsp_device_close(&device);
	return 0;
}
