/*
 * The graphs of tests/data without storage's readers, for tests of compute:
 * every vertex there is a number.
 */
#ifndef APSP_TESTS_DATA_FIXTURE_H
#define APSP_TESTS_DATA_FIXTURE_H

#include "tests/graph_fixture.h"

enum {
	DATA_FIXTURE_ARCS = 200000, /* more than any file has */
};

struct data_line {
	uint64_t from;
	uint64_t to;
	double weight;
};

static inline int data_fixture_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static inline size_t data_fixture_read(
	const char *name, struct data_line *lines)
{
	const char *root = getenv("APSP_SOURCE_ROOT");
	char path[4096];
	char line[256];
	size_t n = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/tests/data/%s", root ? root : ".",
		name);
	file = fopen(path, "r");
	if (!file) {
		fprintf(stderr, "cannot open %s\n", path);
		abort();
	}
	while (fgets(line, sizeof(line), file)) {
		struct data_line *l = &lines[n];
		unsigned long long from;
		unsigned long long to;

		/* anything else is a header */
		if (sscanf(line, "a %llu %llu %lf", &from, &to, &l->weight) !=
				3 &&
			sscanf(line, "%llu,%llu,%lf", &from, &to, &l->weight) !=
				3)
			continue;
		assert(n + 1 < DATA_FIXTURE_ARCS);
		l->from = from;
		l->to = to;
		n++;
	}
	fclose(file);
	return n;
}

/* Vertices are the file's numbers in ascending order. */
static inline void data_fixture_init(struct graph_fixture *f, const char *name)
{
	struct data_line *lines = malloc(DATA_FIXTURE_ARCS * sizeof(*lines));
	uint64_t *ids = malloc(2 * DATA_FIXTURE_ARCS * sizeof(*ids));
	size_t n_lines;
	size_t n = 0;

	assert(lines && ids);
	n_lines = data_fixture_read(name, lines);
	for (size_t i = 0; i < n_lines; i++) {
		ids[2 * i] = lines[i].from;
		ids[2 * i + 1] = lines[i].to;
	}
	qsort(ids, 2 * n_lines, sizeof(*ids), data_fixture_compare);
	for (size_t i = 0; i < 2 * n_lines; i++)
		if (n == 0 || ids[i] != ids[n - 1])
			ids[n++] = ids[i];

	graph_fixture_init(f, (uint32_t)n);
	for (size_t i = 0; i < n_lines; i++) {
		uint64_t *from = bsearch(&lines[i].from, ids, n, sizeof(*ids),
			data_fixture_compare);
		uint64_t *to = bsearch(&lines[i].to, ids, n, sizeof(*ids),
			data_fixture_compare);

		graph_fixture_add(f, (uint32_t)(from - ids),
			(uint32_t)(to - ids), lines[i].weight);
	}
	free(lines);
	free(ids);
}

#endif
