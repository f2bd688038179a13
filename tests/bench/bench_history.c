/*
 * The gain of the methods of 2007 to 2015 on this device: each algorithm beside
 * its own plain version, as a markdown table.
 *
 *	bench_history [DEVICE [RUNS [N|ALGORITHM]...]]
 *
 * N is the number of vertices, a power of two; 1024 if none is given. ALGORITHM
 * is an improved algorithm that is to be compared; all if none is given. Runs
 * alternate between the two versions, and seconds are medians of RUNS without
 * the upload. One more run of each comes first and is checked: rows against
 * Dijkstra's, closures against the host's.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/contestant.h"
#include "tests/bench/timing.h"

enum {
	WORD_MAX = 32,
	WORDS_MAX = 32, /* on the command line */
	RUNS = 3,
	N = 1024,
};

enum shape {
	SHAPE_DENSE, /* all arcs */
	SHAPE_PAIRS, /* degrees by a power law, 32 arcs out and in on average */
	SHAPE_PAIRS_HOPS,
	SHAPE_DAG,
};

struct comparison {
	const char *origin;
	const char *what; /* is better in it */
	struct bench_version plain;
	struct bench_version better;
	enum shape shape;
};

static const struct comparison comparisons[] = {
	{"Harish & Narayanan 2007 → Katz & Kider 2008, Xing et al.",
		"tiles in three phases", {"fw", BENCH_ALGORITHM},
		{"blocked-fw", BENCH_ALGORITHM}, SHAPE_DENSE},
	{"Xing et al., section 2.1", "tiles, in place",
		{"an item a cell", BENCH_PLAIN_SQUARING},
		{"minplus-squaring", BENCH_ALGORITHM}, SHAPE_DENSE},
	{"Liu et al. 2015, a source a launch", "items share a vertex",
		{"bf-dense-vertex", BENCH_ALGORITHM_SOURCE},
		{"bf-dense-reduce", BENCH_ALGORITHM_SOURCE}, SHAPE_DENSE},
	{"Liu et al. 2015, a source a launch", "and read neighbours",
		{"bf-dense-vertex", BENCH_ALGORITHM_SOURCE},
		{"bf-dense-transposed", BENCH_ALGORITHM_SOURCE}, SHAPE_DENSE},
	{"Liu et al. 2015, as tuned", "items share a vertex",
		{"bf-dense-vertex", BENCH_ALGORITHM},
		{"bf-dense-reduce", BENCH_ALGORITHM}, SHAPE_DENSE},
	{"Liu et al. 2015, as tuned", "and read neighbours",
		{"bf-dense-vertex", BENCH_ALGORITHM},
		{"bf-dense-transposed", BENCH_ALGORITHM}, SHAPE_DENSE},
	{"SSSP and BFS on Kepler, 2014", "pairs once, by segment",
		{"bf-edges", BENCH_ALGORITHM_ARCS},
		{"bf-edges", BENCH_ALGORITHM}, SHAPE_PAIRS},
	{"SSSP and BFS on Kepler, 2014", "pairs once, by segment",
		{"bfs-levels", BENCH_ALGORITHM_ARCS},
		{"bfs-levels", BENCH_ALGORITHM}, SHAPE_PAIRS_HOPS},
	{"Xiao et al.", "local tiles, bits",
		{"an item a byte", BENCH_PLAIN_BOOLEAN},
		{"closure-squaring", BENCH_CLOSURE}, SHAPE_DAG},
	{"Warshall 1962 → Xiao et al.", "blocks of pivots, bits, components",
		{"an item a byte", BENCH_PLAIN_WARSHALL},
		{"closure-warshall", BENCH_CLOSURE}, SHAPE_DAG},
};

static void word_make(enum shape shape, uint32_t n, char word[WORD_MAX])
{
	int scale = 31 - __builtin_clz(n);

	if (shape == SHAPE_DENSE)
		snprintf(word, WORD_MAX, "%u", n);
	else if (shape == SHAPE_DAG)
		snprintf(word, WORD_MAX, "dag:%u:8", n);
	else
		snprintf(word, WORD_MAX, "pairs:%d:32%s", scale,
			shape == SHAPE_PAIRS_HOPS ? "@hops" : "");
}

static void compare(const struct apsp_device *device,
	const struct comparison *comparison, uint32_t n, int runs)
{
	double plain_s[BENCH_RUNS_MAX], better_s[BENCH_RUNS_MAX];
	enum apsp_element element = APSP_ELEMENT_NONE;
	struct bench_contestant plain, better;
	struct bench_graph graph;
	double plain_median, better_median;
	char word[WORD_MAX];

	word_make(comparison->shape, n, word);
	bench_graph_make(word, &element, &graph);
	bench_contestant_open(
		device, &comparison->plain, &graph, element, &plain);
	bench_contestant_open(
		device, &comparison->better, &graph, element, &better);
	bench_contestant_run(&plain, true);
	bench_contestant_run(&better, true);
	for (int i = 0; i < runs; i++) {
		plain_s[i] = bench_contestant_run(&plain, false);
		better_s[i] = bench_contestant_run(&better, false);
	}
	bench_contestant_close(&plain);
	bench_contestant_close(&better);
	bench_graph_done(&graph);
	plain_median = bench_median(plain_s, runs);
	better_median = bench_median(better_s, runs);
	printf("| %s | %s | %s | %s | %s | %s | %.4g | %.4g | %.2f |\n",
		comparison->origin, comparison->better.name,
		comparison->plain.name, comparison->what, word,
		comparison->shape == SHAPE_DAG ? "bits"
					       : apsp_element_name(element),
		plain_median, better_median, plain_median / better_median);
	fflush(stdout);
}

/* Whether the name is one of the words, or no word is a name. */
static bool is_wanted(const char *name, char *const *words, int n_words)
{
	bool any = false;

	for (int w = 0; w < n_words; w++) {
		if (strcmp(words[w], name) == 0)
			return true;
		any = any || !isdigit((unsigned char)words[w][0]);
	}
	return !any;
}

/*
 * Store the numbers among the words, at most n_words of them; if there are
 * none, store N.
 */
static int sizes_of(char *const *words, int n_words, uint32_t *out)
{
	int n = 0;

	for (int w = 0; w < n_words; w++)
		if (isdigit((unsigned char)words[w][0]))
			out[n++] = (uint32_t)atoi(words[w]);
	if (n == 0)
		out[n++] = N;
	for (int i = 0; i < n; i++)
		if (out[i] < 2 || out[i] > 1 << 16)
			exit(2);
	return n;
}

int main(int argc, char **argv)
{
	const struct apsp_device_options options = {
		.device = argc > 1 ? argv[1] : "auto",
		.kernel_dir = "/tmp/apsp-bench-kernels",
	};
	int runs = argc > 2 ? atoi(argv[2]) : RUNS;
	int n_words = argc > 3 ? argc - 3 : 0, n_sizes;
	uint32_t sizes[WORDS_MAX];
	struct apsp_device device;
	struct apsp_err err;

	if (runs < 1 || runs > BENCH_RUNS_MAX || n_words > WORDS_MAX)
		return 2;
	n_sizes = sizes_of(argv + 3, n_words, sizes);
	if (apsp_device_open(&options, &device, &err) < 0)
		bench_die(&err);
	printf("%s, medians of %d runs\n\n", device.info.name, runs);
	printf("| method | algorithm | plain version | what is better | graph "
	       "| V | plain, s | better, s | speed-up |\n"
	       "|---|---|---|---|---|---|---|---|---|\n");
	for (size_t c = 0; c < sizeof(comparisons) / sizeof(*comparisons); c++)
		for (int s = 0; s < n_sizes; s++)
			if (is_wanted(comparisons[c].better.name, argv + 3,
				    n_words))
				compare(&device, &comparisons[c], sizes[s],
					runs);
	apsp_device_close(&device);
	return 0;
}
