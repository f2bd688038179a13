/*
 * Seconds of a closure on a device, beside `closure-order` on the host in the
 * same run. The bits of both are compared.
 *
 *	bench_closure [DEVICE [ALGORITHM [GRAPH [RUNS]]]] [KEY=VALUE]...
 *
 * ALGORITHM is a name of closure_algorithm.h, plain-squaring or plain-warshall
 * (plain_closure.h). GRAPH is a word of bench_graph.h, such as dag:32768:8. A
 * KEY is a field of the tuning table's bits: line, wide, tall, spread, square,
 * narrow, host. Two medians of RUNS are printed: seconds on the device from
 * arcs to bits, and seconds in all, with the host's preparation and both
 * transfers but without the search for components.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compute/closure/closure_algorithm.h"
#include "tests/bench/bench_graph.h"
#include "tests/bench/closure_run.h"
#include "tests/bench/plain_closure.h"
#include "tests/bench/timing.h"

enum {
	POSITIONAL = 4,
};

static const char *const plain_names[] = {
	[BENCH_CLOSURE_SQUARING] = "plain-squaring",
	[BENCH_CLOSURE_WARSHALL] = "plain-warshall",
};

struct times {
	double all[BENCH_RUNS_MAX];
	double device[BENCH_RUNS_MAX];
};

static void tuning_set(struct apsp_bits_tuning *bits, const char *setting)
{
	const struct {
		const char *key;
		uint32_t *value;
	} known[] = {
		{"line=", &bits->line},
		{"wide=", &bits->wide},
		{"tall=", &bits->tall},
		{"spread=", &bits->spread_rows},
		{"square=", &bits->square_rows},
		{"narrow=", &bits->narrow},
	};
	const char *value = strchr(setting, '=') + 1;

	if (strncmp(setting, "host=", 5) == 0)
		bits->host_words = strtoull(value, NULL, 10);
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strncmp(setting, known[i].key, strlen(known[i].key)) == 0)
			*known[i].value = (uint32_t)strtoul(value, NULL, 10);
}

/* One run. expected: the bits; NULL: store them in *out. */
static void run(const struct apsp_closure_algorithm *closure,
	const struct apsp_closure_task *task, const struct apsp_bits *expected,
	struct apsp_bits *out, struct times *times, int at)
{
	struct apsp_bits made;
	double start = bench_now_s();

	times->device[at] = bench_closure_make(closure, task, &made);
	times->all[at] = bench_now_s() - start;
	if (expected && memcmp(made.words, expected->words,
				sizeof(*made.words) * made.n_rows *
					made.row_words) != 0) {
		fprintf(stderr, "bench: %s is wrong\n", closure->name);
		exit(1);
	}
	if (out)
		*out = made;
	else
		apsp_bits_done(&made);
}

/* The plain version with this name; -1: there is none. */
static int plain_find(const char *name)
{
	for (int p = 0; p < 2; p++)
		if (strcmp(plain_names[p], name) == 0)
			return p;
	return -1;
}

static void run_plain(const struct apsp_device *device, int method,
	const struct bench_graph *graph, const struct apsp_bits *expected,
	struct times *times, int at)
{
	struct bench_closure plain;
	double start = bench_now_s();

	bench_closure_open(
		device, (enum bench_closure_method)method, graph, &plain);
	times->device[at] = bench_closure_run(&plain, expected);
	bench_closure_close(&plain);
	times->all[at] = bench_now_s() - start;
}

static void compare(const struct apsp_device *device, const char *name,
	const char *word, int runs)
{
	const struct apsp_closure_algorithm *closure =
		apsp_closure_algorithm_find(name);
	enum apsp_element element = APSP_ELEMENT_NONE;
	struct times host = {0}, there = {0};
	struct apsp_bits expected;
	struct bench_graph graph;
	struct apsp_closure_task task;
	double host_s;

	bench_graph_make(word, &element, &graph);
	task = (struct apsp_closure_task){
		.lengths = &graph.prepared.lengths,
		.components = &graph.prepared.components,
	};
	run(apsp_closure_algorithm_find(""), &task, NULL, &expected, &host, 0);
	for (int i = -1; i < runs; i++) {
		int at = i < 0 ? 0 : i;

		task.device = NULL;
		run(apsp_closure_algorithm_find(""), &task, &expected, NULL,
			&host, at);
		task.device = device;
		if (closure)
			run(closure, &task, &expected, NULL, &there, at);
		else
			run_plain(device, plain_find(name), &graph, &expected,
				&there, at);
	}
	host_s = bench_median(host.all, runs);
	printf("%s %s %s n=%u m=%llu c=%u: device %.4f s, all %.4f s, host's "
	       "closure-order %.4f s\n",
		device->info.name, name, word,
		graph.prepared.lengths.n_vertices,
		(unsigned long long)graph.prepared.lengths.n_arcs,
		graph.prepared.components.n_components,
		bench_median(there.device, runs), bench_median(there.all, runs),
		host_s);
	apsp_bits_done(&expected);
	bench_graph_done(&graph);
}

int main(int argc, char **argv)
{
	const char *words[POSITIONAL] = {
		"auto", "closure-warshall", "dag:8192:8", "3"};
	struct apsp_device_options options = {
		.kernel_dir = "/tmp/apsp-bench-kernels"};
	struct apsp_device device;
	struct apsp_tuning tuning;
	struct apsp_err err;
	int n_words = 0, runs;

	for (int i = 1; i < argc; i++)
		if (!strchr(argv[i], '=') && n_words < POSITIONAL)
			words[n_words++] = argv[i];
	options.device = words[0];
	runs = atoi(words[3]);
	if ((!apsp_closure_algorithm_find(words[1]) &&
		    plain_find(words[1]) < 0) ||
		runs < 1 || runs > BENCH_RUNS_MAX)
		return 2;
	if (apsp_device_open(&options, &device, &err) < 0)
		bench_die(&err);
	tuning = *device.tuning;
	device.tuning = &tuning;
	for (int i = 1; i < argc; i++)
		if (strchr(argv[i], '='))
			tuning_set(&tuning.bits, argv[i]);
	compare(&device, words[1], words[2], runs);
	apsp_device_close(&device);
	return 0;
}
