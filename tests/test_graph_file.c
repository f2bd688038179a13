/*
 * The graph file: what is written is read back; everything that a reader relies
 * on is checked before it is used; labels are cut between characters.
 */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/base/auto.h"
#include "daemon/job/graph_file.h"

enum {
	N = 4,
	M = 3,
	MANY = 1000003, /* arcs: 16 MB */
	FEW_BYTES = 6 << 20,
	PATH_SIZE = 256,
	ARCS_AT = sizeof(struct apsp_graph_header),
	OFFSETS_AT = ARCS_AT + M * sizeof(struct apsp_arc),
	LABELS_AT = OFFSETS_AT + (N + 1) * sizeof(uint64_t),
};

static char dir[PATH_SIZE];
static char path[PATH_SIZE + 16];

static const struct apsp_arc arcs[M] = {
	{0, 1, 2.5},
	{1, 3, -1},
	{3, 3, 0},
};
/* "a", an empty one, "häß", "€€" */
static const uint64_t offsets[N + 1] = {0, 1, 1, 6, 12};
static const char labels[] = "ah\xc3\xa4\xc3\x9f\xe2\x82\xac\xe2\x82\xac";

static int set_up(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(dir, sizeof(dir), "%s/apsp-graph-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/graph", dir);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);
}

static void write_example(void)
{
	struct apsp_graph graph = {
		.n_vertices = N,
		.n_arcs = M,
		.arcs = arcs,
		.label_offsets = offsets,
		.label_bytes = labels,
		.profile = {.transform = APSP_TRANSFORM_INV,
			.duplicates = APSP_DUPLICATES_SUM,
			.has_min_weight = true,
			.min_weight = 0.1},
	};

	assert_int_equal(apsp_graph_write(path, &graph, NULL), 0);
}

static int try_open(void)
{
	APSP_AUTO(apsp_graph_done) struct apsp_graph graph = {0};
	struct apsp_err err;

	return apsp_graph_open(path, &graph, &err);
}

/* Open with some bytes changed, then put the old ones back. */
static int open_with(size_t at, const void *bytes, size_t size)
{
	APSP_AUTO(apsp_close) int fd = -1;
	char old[sizeof(struct apsp_graph_header)];
	int r;

	fd = open(path, O_RDWR);
	assert_int_equal(pread(fd, old, size, (off_t)at), size);
	assert_int_equal(pwrite(fd, bytes, size, (off_t)at), size);
	r = try_open();
	assert_int_equal(pwrite(fd, old, size, (off_t)at), size);
	assert_int_equal(try_open(), 0);
	return r;
}

static int open_with_u64(size_t at, uint64_t value)
{
	return open_with(at, &value, sizeof(value));
}

static void test_round_trip(void **state)
{
	APSP_AUTO(apsp_graph_done) struct apsp_graph graph = {0};

	(void)state;
	write_example();
	assert_int_equal(apsp_graph_open(path, &graph, NULL), 0);
	assert_int_equal(graph.n_vertices, N);
	assert_int_equal(graph.n_arcs, M);
	assert_memory_equal(graph.arcs, arcs, sizeof(arcs));
	assert_memory_equal(graph.label_offsets, offsets, sizeof(offsets));
	assert_memory_equal(graph.label_bytes, labels, offsets[N]);
	assert_int_equal(graph.profile.transform, APSP_TRANSFORM_INV);
	assert_true(graph.profile.has_min_weight);
	assert_true(graph.profile.min_weight == 0.1);
}

/* The totals and the vertices that are left out stand before the labels. */
static void test_choice(void **state)
{
	static const double totals[N] = {1.5, 2, NAN, -1};
	static const uint64_t left_out[] = {5};

	(void)state;
	for (int parts = 0; parts < 4; parts++) {
		APSP_AUTO(apsp_graph_done) struct apsp_graph graph = {0};
		struct apsp_graph written = {
			.n_vertices = N,
			.n_arcs = M,
			.arcs = arcs,
			.label_offsets = offsets,
			.label_bytes = labels,
			.totals = parts & 1 ? totals : NULL,
			.left_out = parts & 2 ? left_out : NULL,
		};

		assert_int_equal(apsp_graph_write(path, &written, NULL), 0);
		assert_int_equal(apsp_graph_open(path, &graph, NULL), 0);
		assert_memory_equal(graph.label_bytes, labels, offsets[N]);
		assert_int_equal(graph.totals != NULL, parts & 1);
		assert_int_equal(graph.left_out != NULL, parts >> 1);
		if (graph.totals)
			assert_memory_equal(
				graph.totals, totals, sizeof(totals));
		if (graph.left_out)
			assert_memory_equal(
				graph.left_out, left_out, sizeof(left_out));
		assert_int_equal(open_with(offsetof(struct apsp_graph_header,
						   has_totals),
					 &(uint32_t){2}, sizeof(uint32_t)),
			APSP_EDATA);
		assert_int_equal(open_with(offsetof(struct apsp_graph_header,
						   has_left_out),
					 &(uint32_t){1 - (parts >> 1)},
					 sizeof(uint32_t)),
			APSP_EDATA);
	}
}

static void test_sizes(void **state)
{
	struct apsp_graph_header header;
	struct stat st;

	(void)state;
	assert_int_equal(try_open(), APSP_EIO);
	write_example();
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, LABELS_AT + (off_t)offsets[N]);
	for (off_t size = 0; size < st.st_size; size++) {
		write_example();
		assert_int_equal(truncate(path, size), 0);
		assert_int_equal(try_open(), APSP_EDATA);
	}
	write_example();
	assert_int_equal(truncate(path, st.st_size + 1), 0);
	assert_int_equal(try_open(), APSP_EDATA);

	write_example();
	for (size_t at = offsetof(struct apsp_graph_header, n_vertices);
		at < offsetof(struct apsp_graph_header, has_totals); at += 8) {
		assert_int_equal(open_with_u64(at, 0), APSP_EDATA);
		assert_int_equal(open_with_u64(at, 5), APSP_EDATA);
		assert_int_equal(open_with_u64(at, UINT64_MAX), APSP_EDATA);
		/* sizes that come round again to what the file has */
		assert_int_equal(
			open_with_u64(at, (UINT64_C(1) << 61) + 4), APSP_EDATA);
		assert_int_equal(
			open_with_u64(at, (UINT64_C(1) << 60) + 3), APSP_EDATA);
	}
	assert_int_equal(open_with(0, "apspgr1\n", 8), APSP_EDATA);
	memset(&header, 'x', sizeof(header));
	assert_int_equal(open_with(offsetof(struct apsp_graph_header, profile),
				 header.profile, sizeof(header.profile)),
		APSP_EDATA);
	assert_int_equal(open_with(offsetof(struct apsp_graph_header, profile),
				 "transform=odd", 14),
		APSP_EDATA);
}

static void write_many(void)
{
	APSP_AUTO(apsp_free) struct apsp_arc *many = NULL;
	struct apsp_graph graph = {
		.n_vertices = N,
		.n_arcs = MANY,
		.label_offsets = offsets,
		.label_bytes = labels,
	};

	many = malloc(MANY * sizeof(*many));
	assert_non_null(many);
	for (uint32_t a = 0; a < MANY; a++)
		many[a] = (struct apsp_arc){a % N, a / N % N, a};
	graph.arcs = many;
	assert_int_equal(apsp_graph_write(path, &graph, NULL), 0);
}

/* Bytes of files that this process has in memory. */
static long mapped_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long pages = -1;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%*d %*d %ld", &pages), 1);
	fclose(file);
	return pages * sysconf(_SC_PAGESIZE);
}

/* Every arc is in one window, and what was seen of them has left the memory. */
static void test_windows(void **state)
{
	APSP_AUTO(apsp_graph_done) struct apsp_graph graph = {0};
	struct apsp_arc_window window = {.last = MANY};
	uint64_t seen = 0;
	long before, most = 0;

	(void)state;
	write_many();
	before = mapped_bytes();
	assert_int_equal(apsp_graph_open(path, &graph, NULL), 0);
	assert_true(mapped_bytes() - before < FEW_BYTES);
	while (apsp_graph_window_next(&graph, &window)) {
		long taken;

		assert_true(window.first == seen && window.end > seen);
		for (; seen < window.end; seen++)
			assert_true(graph.arcs[seen].weight == (double)seen);
		taken = mapped_bytes() - before;
		most = taken > most ? taken : most;
	}
	assert_int_equal(seen, MANY);
	assert_true(most < FEW_BYTES);
	/* what was given back is still there */
	assert_true(graph.arcs[1].weight == 1);
}

static void test_labels(void **state)
{
	(void)state;
	write_example();
	assert_int_equal(open_with_u64(OFFSETS_AT, 1), APSP_EDATA);
	assert_int_equal(open_with_u64(OFFSETS_AT + 8, 2), APSP_EDATA);
	assert_int_equal(open_with_u64(OFFSETS_AT + 24, 13), APSP_EDATA);
	assert_int_equal(open_with_u64(OFFSETS_AT + 24, 0), APSP_EDATA);
	assert_int_equal(open_with_u64(OFFSETS_AT + 32, 11), APSP_EDATA);
	assert_int_equal(
		open_with_u64(OFFSETS_AT + 32, UINT64_MAX), APSP_EDATA);
	assert_int_equal(open_with(LABELS_AT + 3, "", 1), APSP_EDATA);
}

static void test_label_cut(void **state)
{
	static const struct {
		uint32_t v;
		size_t size;
		const char *expected;
	} cuts[] = {
		{0, 2, "a"},
		{0, 1, ""},
		{1, 5, ""},
		{2, 6, "h\xc3\xa4\xc3\x9f"},
		{2, 5, "h\xc3\xa4"},
		{2, 4, "h\xc3\xa4"},
		{2, 3, "h"},
		{3, 7, "\xe2\x82\xac\xe2\x82\xac"},
		{3, 6, "\xe2\x82\xac"},
		{3, 4, "\xe2\x82\xac"},
		{3, 3, ""},
	};
	APSP_AUTO(apsp_graph_done) struct apsp_graph graph = {0};

	(void)state;
	write_example();
	assert_int_equal(apsp_graph_open(path, &graph, NULL), 0);
	for (size_t i = 0; i < sizeof(cuts) / sizeof(*cuts); i++) {
		char out[16];

		memset(out, 'x', sizeof(out));
		apsp_graph_label(&graph, cuts[i].v, out, cuts[i].size);
		assert_string_equal(out, cuts[i].expected);
	}
}

/* The rows process has a graph, but no labels. */
static void test_no_labels(void **state)
{
	const struct apsp_graph graph = {.n_vertices = 8};
	char out[16];

	(void)state;
	apsp_graph_label(&graph, 7, out, sizeof(out));
	assert_string_equal(out, "7");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_round_trip, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_choice, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_sizes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_windows, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_labels, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_label_cut, set_up, tear_down),
		cmocka_unit_test(test_no_labels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
