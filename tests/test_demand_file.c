/*
 * The file of arcs from which rows on demand are computed: a file with wrong
 * components is not written, and a damaged file is not loaded.
 */
#include "tests/rows_fixture.h"

static void test_wrong_components(void **state)
{
	struct fixture *f = *state;
	struct graph_fixture graph;
	struct apsp_components *c = &f->prepared.components;
	uint32_t kept, n_wrong = 0;

	random_make(&graph, N, 2, whole);
	load(f, &graph);
	for (uint32_t v = 0; v < N; v++) {
		/* a vertex more in its own component, or one less */
		bool alone =
			c->offsets[c->of[v] + 1] - c->offsets[c->of[v]] == 1;
		uint32_t next = (c->of[v] + 1) % c->n_components;

		if (alone && c->offsets[next + 1] - c->offsets[next] == 1)
			continue; /* the vertices may be numbered anyhow */
		kept = c->of[v];
		c->of[v] = next;
		assert_int_equal(file_write(f), APSP_EPROOF);
		c->of[v] = kept;
		n_wrong++;
	}
	assert_true(n_wrong > N / 4);
	assert_int_equal(file_write(f), 0);
	unload(f);
	graph_fixture_done(&graph);
}

/* Arcs that have changed in memory are not written. */
static void test_changed_arcs(void **state)
{
	struct fixture *f = *state;
	struct apsp_lengths *lengths = &f->prepared.lengths;
	struct graph_fixture graph;

	random_make(&graph, N, 2, whole);
	load(f, &graph);
	lengths->weights[20]++;
	assert_int_equal(file_write(f), APSP_EPROOF);
	lengths->weights[20]--;
	lengths->heads[20] ^= 1;
	assert_int_equal(file_write(f), APSP_EPROOF);
	lengths->heads[20] ^= 1;
	assert_int_equal(file_write(f), 0);
	unload(f);
	graph_fixture_done(&graph);
}

static void test_damaged_file(void **state)
{
	struct fixture *f = *state;
	struct apsp_row_graph again = {0};
	struct graph_fixture graph;
	struct apsp_err err;
	FILE *file;

	random_make(&graph, N, 2, whole);
	load(f, &graph);
	file = fopen(f->path, "r+");
	assert_non_null(file);
	fseek(file,
		(long)f->graph.header.sections[APSP_SECTION_ARC_LENGTHS].offset,
		SEEK_SET);
	fputc(1, file);
	fclose(file);
	assert_int_equal(
		apsp_row_graph_open(f->path, &again, &err), APSP_EDAMAGED);
	unload(f);
	graph_fixture_done(&graph);
}

/* A file whose lengths no job accepts, as an older apspd may have written it.
 */
static void test_refused_lengths(void **state)
{
	struct fixture *f = *state;
	struct apsp_row_graph again = {0};
	struct graph_fixture graph;
	struct apsp_err err;

	graph_fixture_init(&graph, 4);
	graph_fixture_add(&graph, 0, 1, 0.5);
	graph_fixture_add(&graph, 1, 2, 0);
	graph_fixture_add(&graph, 2, 3, 4);
	load(f, &graph);
	f->prepared.lengths.lengths[2] = 0x1p40;
	f->prepared.lengths.checksum =
		apsp_lengths_checksum(&f->prepared.lengths);
	assert_int_equal(file_write(f), 0);
	seal(f->path);
	assert_int_equal(
		apsp_row_graph_open(f->path, &again, &err), APSP_EDAMAGED);
	unload(f);
	graph_fixture_done(&graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrong_components),
		cmocka_unit_test(test_changed_arcs),
		cmocka_unit_test(test_damaged_file),
		cmocka_unit_test(test_refused_lengths),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
