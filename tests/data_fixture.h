/*
 * Edge files without storage's readers, for tests and benchmarks of compute:
 * every vertex there is a number.
 */
#ifndef APSP_TESTS_DATA_FIXTURE_H
#define APSP_TESTS_DATA_FIXTURE_H

#include "tests/graph_fixture.h"

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

/* All of a file's arcs; the caller frees them. */
static inline struct data_line *data_fixture_read(const char *path, size_t *out)
{
	struct data_line *lines = NULL;
	size_t capacity = 0, n = 0;
	char line[256];
	FILE *file;

	file = fopen(path, "r");
	if (!file) {
		fprintf(stderr, "cannot open %s\n", path);
		abort();
	}
	while (fgets(line, sizeof(line), file)) {
		unsigned long long from;
		unsigned long long to;
		double weight;

		/* anything else is a header */
		if (sscanf(line, "a %llu %llu %lf", &from, &to, &weight) != 3 &&
			sscanf(line, "%llu,%llu,%lf", &from, &to, &weight) != 3)
			continue;
		if (n == capacity) {
			capacity = 2 * capacity + 1024;
			lines = realloc(lines, capacity * sizeof(*lines));
			assert(lines);
		}
		lines[n++] = (struct data_line){from, to, weight};
	}
	fclose(file);
	*out = n;
	return lines;
}

/* Vertices are the file's numbers in ascending order. */
static inline void data_fixture_open(struct graph_fixture *f, const char *path)
{
	size_t n_lines, n = 0;
	struct data_line *lines = data_fixture_read(path, &n_lines);
	uint64_t *ids = malloc((2 * n_lines + 1) * sizeof(*ids));

	assert(ids);
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

/* A file of tests/data. */
static inline void data_fixture_init(struct graph_fixture *f, const char *name)
{
	const char *root = getenv("APSP_SOURCE_ROOT");
	char path[4096];

	snprintf(path, sizeof(path), "%s/tests/data/%s", root ? root : ".",
		name);
	data_fixture_open(f, path);
}

#endif
