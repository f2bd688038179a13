/*
 * Lookups in sound tables of every kind and element, against the program that
 * made them: cells, paths arc by arc, reachability, sets, identity, seals.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "daemon/base/auto.h"
#include "storage/tables/tables.h"
#include "tests/ask_table.h"
#include "tests/reach_search.h"
#include "tests/sample_tables.h"
#include "storage/tables/lookup.h"
#include "storage/tables/reach_set.h"
#include "storage/tables/table_name.h"
#include "storage/tables/table_read.h"
#include "storage/tables/table_seal.h"
#include "daemon/base/clock.h"
#include "storage/tables/open_tables.h"
#include "storage/tables/scrub.h"

static const struct sample_kind kinds[] = {
	{APSP_DISTANCE_SCALED, APSP_ELEMENT_U16, 64, 5, false},
	{APSP_DISTANCE_SCALED, APSP_ELEMENT_I32, SAMPLE_N, 1000, false},
	{APSP_DISTANCE_SCALED, APSP_ELEMENT_F64, SAMPLE_N, 1000000000, false},
	{APSP_DISTANCE_SCALED, APSP_ELEMENT_I32, SAMPLE_N, 100, true},
	{APSP_DISTANCE_SCALED, APSP_ELEMENT_F64, SAMPLE_N, 100, true},
	{APSP_DISTANCE_HOPS, APSP_ELEMENT_U16, 1, 1, false},
	{APSP_DISTANCE_HOPS, APSP_ELEMENT_I32, 1, 1, false},
	{APSP_DISTANCE_HOPS, APSP_ELEMENT_F64, 1, 1, false},
	{APSP_DISTANCE_SUM, APSP_ELEMENT_F32, 1, 1000, false},
	{APSP_DISTANCE_SUM, APSP_ELEMENT_F64, 1, 1000, false},
	{APSP_DISTANCE_SUM, APSP_ELEMENT_F64, 1, 100, true},
	/* predecessors as ranks */
	{APSP_DISTANCE_SCALED, APSP_ELEMENT_U16, 64, 5, false, true},
	{APSP_DISTANCE_HOPS, APSP_ELEMENT_U16, 1, 1, false, true},
	{APSP_DISTANCE_SUM, APSP_ELEMENT_F32, 1, 1000, false, true},
	{APSP_DISTANCE_SUM, APSP_ELEMENT_F64, 1, 100, true, true},
	/* without predecessors */
	{APSP_DISTANCE_SCALED, APSP_ELEMENT_U16, 64, 5, false, false, true},
	{APSP_DISTANCE_SCALED, APSP_ELEMENT_I32, SAMPLE_N, 100, true, false,
		true},
	{APSP_DISTANCE_HOPS, APSP_ELEMENT_F64, 1, 1, false, false, true},
	/* without distances */
	{APSP_DISTANCE_SCALED, APSP_ELEMENT_U16, 64, 5, false, true, true},
	{APSP_DISTANCE_SCALED, APSP_ELEMENT_F64, SAMPLE_N, 100, true, true,
		true},
	{APSP_DISTANCE_HOPS, APSP_ELEMENT_I32, 1, 1, false, true, true},
	{APSP_DISTANCE_SUM, APSP_ELEMENT_F32, 1, 1000, false, true, true},
	{APSP_DISTANCE_SUM, APSP_ELEMENT_F64, 1, 100, true, false, true},
};

static const struct apsp_tables_watch nobody;

static struct apsp_tables *open_sealed(void)
{
	struct apsp_tables *tables = NULL;
	struct apsp_err err;
	uint64_t checksum;

	assert_int_equal(apsp_table_seal(path, SAMPLE_REVISION, SAMPLE_PROFILE,
				 &checksum, &err),
		0);
	assert_int_equal(apsp_tables_open(path, SAMPLE_REVISION, SAMPLE_PROFILE,
				 &nobody, &tables, &err),
		0);
	assert_int_equal(tables->header.blocks_checksum, checksum);
	return tables;
}

/* Relative distance between neighbouring float32 values. */
static double stored(const struct sample *s, int i, int j)
{
	if (s->header.sections[APSP_SECTION_DISTANCE].element ==
		APSP_ELEMENT_F32)
		return (double)(float)s->distance[i][j];
	return s->distance[i][j];
}

static void check_cell(
	struct apsp_tables *tables, const struct sample *s, int i, int j)
{
	bool sums = s->header.distance_kind == APSP_DISTANCE_SUM;
	struct apsp_cell cell;
	bool reachable, reachable_bit;

	reachable = !isinf(s->v[i][j]);
	assert_int_equal(
		apsp_lookup_cell(tables, (uint32_t)i, (uint32_t)j, &cell, NULL),
		0);
	assert_int_equal(cell.reachable, reachable);
	assert_int_equal(apsp_lookup_reachable(tables, (uint32_t)i, (uint32_t)j,
				 &reachable_bit, NULL),
		0);
	assert_int_equal(reachable_bit, reachable);
	if (!reachable)
		return;
	assert_true(cell.distance == stored(s, i, j));
	assert_int_equal(cell.hops, sums && i != j ? -1 : s->hops[i][j]);
}

/* A row tells the same as its cells. */
static void check_row(struct apsp_tables *tables, const struct sample *s, int i)
{
	double distance[SAMPLE_N];
	uint32_t hops[SAMPLE_N];
	struct apsp_cell cell;

	if (!apsp_table_holds(&s->header, APSP_SECTION_DISTANCE))
		return;
	memset(hops, 0xff, sizeof(hops)); /* as of tables without hops */
	assert_int_equal(ask_table_row(tables, (uint32_t)i, distance, hops), 0);
	for (uint32_t j = 0; j < s->header.n_vertices; j++) {
		assert_int_equal(
			ask_table_cell(tables, (uint32_t)i, j, &cell), 0);
		assert_true(distance[j] ==
			    (cell.reachable ? cell.distance : INFINITY));
		if (s->header.distance_kind == APSP_DISTANCE_SUM)
			assert_int_equal(hops[j], UINT32_MAX);
		else
			assert_int_equal(hops[j],
				cell.reachable ? cell.hops : UINT32_MAX);
	}
}

static void check_path(
	struct apsp_tables *tables, const struct sample *s, int i, int j)
{
	APSP_AUTO(apsp_path_done) struct apsp_path p = {0};
	double sum = 0;

	assert_int_equal(
		apsp_lookup_path(tables, (uint32_t)i, (uint32_t)j, &p, NULL),
		0);
	assert_int_equal(p.reachable, !isinf(s->v[i][j]));
	if (!p.reachable) {
		assert_null(p.vertices);
		return;
	}
	assert_int_equal(p.hops, s->hops[i][j]);
	assert_int_equal(p.vertices[0], i);
	assert_int_equal(p.vertices[p.hops], j);
	for (uint32_t k = 0; k < p.hops; k++) {
		uint64_t a = s->offsets[p.vertices[k]];

		assert_int_equal(
			s->predecessor[i][p.vertices[k + 1]], p.vertices[k]);
		while (s->heads[a] != p.vertices[k + 1])
			a++;
		assert_true(a < s->offsets[p.vertices[k] + 1]);
		assert_true(p.weights[k] == s->weights[a]);
		assert_true(p.lengths[k] == s->lengths[a]);
		sum += p.lengths[k];
	}
	assert_true(p.distance == sum);
	assert_true(p.distance == s->distance[i][j]);
}

static bool wanted(
	const struct sample *s, const struct apsp_reach_query *q, int v, int u)
{
	int i = q->direction == APSP_DIRECTION_OUT ? v : u;
	int j = q->direction == APSP_DIRECTION_OUT ? u : v;

	if (isinf(s->v[i][j]))
		return false;
	if (q->has_max_distance && s->distance[i][j] > q->max_distance)
		return false;
	return !q->within || q->within[u / 64] >> u % 64 & 1;
}

static size_t check_set(struct apsp_tables *tables, const struct sample *s,
	const struct apsp_reach_query *query, int v)
{
	APSP_AUTO(apsp_reach_search_done) struct apsp_reach_search search = {0};
	const struct apsp_reach_set *set = &search.set;
	size_t k = 0;

	assert_int_equal(reach_search(tables, (uint32_t)v, query, &search), 0);
	for (int u = 0; u < SAMPLE_N; u++)
		if (wanted(s, query, v, u)) {
			assert_true(k < set->count);
			assert_int_equal(set->vertices[k], u);
			k++;
		}
	assert_int_equal(set->count, k);
	return k;
}

static void check_sets(
	struct apsp_tables *tables, const struct sample *s, int v)
{
	/* every third vertex that v reaches, and that reaches v */
	uint64_t thirds[2][SAMPLE_N / 64 + 1] = {{0}};
	double middle = fabs(s->distance[SAMPLE_N - 1][3]);
	size_t all = 0, some = 0;

	for (int u = 0; u < SAMPLE_N; u += 3) {
		thirds[0][u / 64] |= (uint64_t)!isinf(s->v[v][u]) << u % 64;
		thirds[1][u / 64] |= (uint64_t)!isinf(s->v[u][v]) << u % 64;
	}
	for (int bits = 0; bits < 8; bits++) {
		struct apsp_reach_query query = {
			.direction = bits & 1 ? APSP_DIRECTION_IN
					      : APSP_DIRECTION_OUT,
			.has_max_distance = bits & 2,
			.max_distance = middle,
			.within = bits & 4 ? thirds[bits & 1] : NULL,
		};
		size_t n = check_set(tables, s, &query, v);

		if (bits < 2)
			all += n;
		else if (bits > 5)
			some += n;
	}
	assert_true(some > 0 && some < all);
}

static void test_every_kind(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		APSP_AUTO(apsp_free) struct sample *s = NULL;
		struct apsp_tables *tables;
		bool cycle;

		s = sample_new(&kinds[k], k + 1);
		sample_write(s, path);
		tables = open_sealed();
		for (int i = 0; i < SAMPLE_N; i++)
			for (int j = 0; j < SAMPLE_N; j++) {
				check_cell(tables, s, i, j);
				check_path(tables, s, i, j);
			}
		for (int v = 0; v < SAMPLE_N; v++) {
			check_row(tables, s, v);
			assert_int_equal(apsp_lookup_on_cycle(tables,
						 (uint32_t)v, &cycle, NULL),
				0);
			assert_int_equal(
				cycle, s->on_cycle[v / 64] >> v % 64 & 1);
		}
		for (int v = 0; v < SAMPLE_SOURCES; v += 7)
			check_sets(tables, s, v);
		apsp_tables_unref(tables);
	}
}

static void test_samples_are_worth_it(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		APSP_AUTO(apsp_free) struct sample *s = NULL;
		int unreachable = 0, negative = 0, far = 0;

		s = sample_new(&kinds[k], k + 1);
		for (int i = 0; i < SAMPLE_N; i++)
			for (int j = 0; j < SAMPLE_N; j++) {
				unreachable += isinf(s->v[i][j]) != 0;
				negative += s->distance[i][j] < 0;
				far += s->hops[i][j] > 4;
				assert_true(
					kinds[k].kind != APSP_DISTANCE_SCALED ||
					s->hops[i][j] < kinds[k].scale);
			}
		assert_true(unreachable > SAMPLE_N);
		assert_true(far > SAMPLE_N);
		assert_int_equal(negative > SAMPLE_N, kinds[k].negative);
	}
}

static void test_identity(void **state)
{
	APSP_AUTO(apsp_free) struct sample *s = NULL;
	struct apsp_tables *tables, *again;
	char id[64];

	(void)state;
	s = sample_new(&kinds[0], 1);
	sample_write(s, path);
	tables = open_sealed();
	snprintf(id, sizeof(id), "%s", tables->id);
	assert_int_equal(strlen(id), 32);
	assert_int_equal(strspn(id, "0123456789abcdef"), 32);
	assert_int_equal(tables->header.n_vertices, SAMPLE_N);
	assert_int_equal(tables->header.n_arcs, s->n_arcs);
	assert_string_equal(tables->header.algorithm, "sample");
	assert_false(apsp_tables_damaged(tables));

	/* a reference keeps the tables, also when the file is gone */
	again = apsp_tables_ref(tables);
	assert_int_equal(unlink(path), 0);
	apsp_tables_unref(tables);
	check_path(again, s, 0, 1);
	apsp_tables_unref(again);
	apsp_tables_unref(NULL);

	/* the same file again has the same id, other data has another */
	sample_write(s, path);
	tables = open_sealed();
	assert_string_equal(tables->id, id);
	apsp_tables_unref(tables);
	s->weights[0] += 1;
	sample_write(s, path);
	tables = open_sealed();
	assert_string_not_equal(tables->id, id);
	apsp_tables_unref(tables);
}

static int try_open(const char *revision, const char *profile_hash)
{
	struct apsp_tables *tables = NULL;
	int r;

	r = apsp_tables_open(
		path, revision, profile_hash, &nobody, &tables, NULL);
	assert_int_equal(r == 0, tables != NULL);
	apsp_tables_unref(tables);
	return r;
}

static void test_open_refusals(void **state)
{
	APSP_AUTO(apsp_free) struct sample *s = NULL;
	uint64_t checksum;

	(void)state;
	/* no such file: the tables are lost */
	assert_int_equal(
		try_open(SAMPLE_REVISION, SAMPLE_PROFILE), APSP_EDAMAGED);
	s = sample_new(&kinds[0], 1);
	sample_write(s, path);
	assert_int_equal(
		try_open(SAMPLE_REVISION, SAMPLE_PROFILE), APSP_EDAMAGED);
	assert_int_equal(apsp_table_seal(path, SAMPLE_REVISION, SAMPLE_PROFILE,
				 &checksum, NULL),
		0);
	assert_int_equal(try_open(SAMPLE_REVISION, SAMPLE_PROFILE), 0);
	assert_int_equal(
		try_open(SAMPLE_PROFILE, SAMPLE_PROFILE), APSP_EDAMAGED);
	assert_int_equal(
		try_open(SAMPLE_REVISION, SAMPLE_REVISION), APSP_EDAMAGED);
	assert_int_equal(truncate(path, 100), 0);
	assert_int_equal(
		try_open(SAMPLE_REVISION, SAMPLE_PROFILE), APSP_EDAMAGED);
	assert_int_equal(truncate(path, 0), 0);
	assert_int_equal(
		try_open(SAMPLE_REVISION, SAMPLE_PROFILE), APSP_EDAMAGED);
}

static void test_scrub_to_the_end(void **state)
{
	APSP_AUTO(apsp_free) struct sample *s = NULL;
	struct apsp_tables *tables;
	uint64_t n = 0;
	int r;

	(void)state;
	s = sample_new(&kinds[1], 1);
	sample_write(s, path);
	tables = open_sealed();
	while ((r = apsp_tables_scrub(tables, NULL)) == 1)
		n++;
	assert_int_equal(r, 0);
	assert_int_equal(n, s->header.data_end / APSP_TABLE_BLOCK - 1);
	/* the next round checks blocks again */
	for (n = 0; apsp_tables_scrub(tables, NULL) == 1;)
		n++;
	assert_int_equal(n, s->header.data_end / APSP_TABLE_BLOCK - 1);
	apsp_tables_unref(tables);
}

static void scrub_add(struct apsp_open_tables *all, uint64_t id)
{
	const struct apsp_open_tables_entry entry = {
		.id = id,
		.tables = open_sealed(),
	};

	assert_int_equal(apsp_open_tables_add(all, &entry, NULL), 0);
}

static void scrub_to_pass(struct apsp_open_tables *all, uint64_t n_passes)
{
	while (atomic_load(&all->scrub.n_passes) < n_passes)
		assert_true(apsp_scrub_run(all) > 0);
}

/* A pass checks every block of every file, whatever comes and goes meanwhile.
 */
static void test_scrub_passes(void **state)
{
	APSP_AUTO(apsp_free) struct sample *s = NULL;
	struct apsp_open_tables all = {0};
	int64_t began_ms = apsp_clock_utc_ms();
	uint64_t n;

	(void)state;
	s = sample_new(&kinds[1], 1);
	sample_write(s, path);
	n = s->header.data_end / APSP_TABLE_BLOCK - 1;
	all.dir = strdup("/dev/null");
	assert_non_null(all.dir);
	assert_true(n > 4); /* more than one call checks */
	assert_int_equal(apsp_scrub_run(&all), -1);
	for (uint64_t id = 1; id <= 3; id++)
		scrub_add(&all, id);
	scrub_to_pass(&all, 1);
	assert_int_equal(atomic_load(&all.scrub.n_blocks), 3 * n);
	assert_true(atomic_load(&all.scrub.pass_ended_at_ms) >= began_ms);
	assert_int_equal(atomic_load(&all.n_served), 3);
	assert_int_equal(
		atomic_load(&all.served_bytes), 3 * s->header.file_size);
	/* the first two are checked; one of them goes, another comes last */
	while (all.scrub.n_checked < 2)
		assert_true(apsp_scrub_run(&all) > 0);
	assert_int_equal(atomic_load(&all.scrub.n_passes), 1);
	scrub_add(&all, 4);
	apsp_open_tables_drop(&all, 1);
	scrub_to_pass(&all, 2);
	assert_int_equal(atomic_load(&all.scrub.n_blocks), 7 * n);
	for (uint64_t id = 2; id <= 4; id++)
		apsp_open_tables_drop(&all, id);
	assert_int_equal(atomic_load(&all.n_served), 0);
	assert_int_equal(atomic_load(&all.served_bytes), 0);
	apsp_open_tables_done(&all);
}

/* Whether a removed file still has its data. */
static bool is_kept(struct apsp_open_tables *all, int fd)
{
	struct stat st;

	apsp_open_tables_tend(all);
	assert_int_equal(fstat(fd, &st), 0);
	return st.st_size > 0;
}

/*
 * A removed file keeps its data for a reader that sends the whole file, after
 * the time of other readers has ended; but not for ever.
 */
static void test_held(void **state)
{
	static const int held_grace_ms[] = {1000000, 0};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		APSP_AUTO(apsp_free) struct sample *s = NULL;
		struct apsp_open_tables all = {
			.held_grace_ms = held_grace_ms[i]};
		APSP_AUTO(apsp_free) char *file = NULL;
		struct apsp_tables *tables;
		int fd;

		s = sample_new(&kinds[1], 1);
		sample_write(s, path);
		apsp_tables_unref(open_sealed());
		all.dir = strdup(dir);
		file = apsp_table_name_path(all.dir, 1);
		assert_non_null(all.dir);
		assert_int_equal(rename(path, file), 0);
		assert_int_equal(
			apsp_tables_open(file, SAMPLE_REVISION, SAMPLE_PROFILE,
				&(struct apsp_tables_watch){0}, &tables, NULL),
			0);
		assert_int_equal(
			apsp_open_tables_add(&all,
				&(struct apsp_open_tables_entry){.id = 1,
					.tables = apsp_tables_ref(tables)},
				NULL),
			0);
		fd = open(file, O_RDONLY);
		assert_true(fd >= 0);
		apsp_tables_hold(tables);
		apsp_open_tables_drop(&all, 1);
		assert_int_equal(is_kept(&all, fd), held_grace_ms[i] > 0);
		/* when nobody reads the file, its data goes with the last
		   reference */
		apsp_tables_release(tables);
		assert_false(is_kept(&all, fd));
		close(fd);
		apsp_tables_unref(tables);
		apsp_open_tables_done(&all);
	}
}

/* The whole file can be read from any byte on, and damage anywhere is found. */
static void test_whole_file(void **state)
{
	APSP_AUTO(apsp_free) struct sample *s = NULL;
	APSP_AUTO(apsp_free) unsigned char *expected = NULL;
	const unsigned char *bytes;
	uint64_t size, places[5];
	struct apsp_tables *tables;
	FILE *file;

	(void)state;
	s = sample_new(&kinds[1], 1);
	sample_write(s, path);
	tables = open_sealed();
	size = tables->mapping.size;
	expected = malloc(size);
	file = fopen(path, "r+b");
	assert_non_null(expected);
	assert_non_null(file);
	assert_int_equal(fread(expected, 1, size, file), size);
	for (uint64_t at = 0; at <= size; at += 9973) {
		uint64_t n = size - at < 100000 ? size - at : 100000;

		assert_int_equal(
			apsp_table_bytes_file(tables, at, n, &bytes, NULL), 0);
		assert_memory_equal(bytes, expected + at, n);
	}
	assert_int_equal(apsp_table_bytes_file(tables, size, 1, &bytes, NULL),
		APSP_EBUG);
	apsp_tables_unref(tables);
	/* in the header, behind it, in a block, in a block's padding, in the
	   checksums */
	memcpy(places,
		(uint64_t[]){100, APSP_TABLE_BLOCK - 1, APSP_TABLE_BLOCK,
			s->header.data_end - 1, size - 1},
		sizeof(places));
	for (size_t i = 0; i < 5; i++) {
		tables = open_sealed();
		fseek(file, (long)places[i], SEEK_SET);
		fputc(expected[places[i]] ^ 1, file);
		fflush(file);
		assert_int_equal(
			apsp_table_bytes_file(tables, 0, size, &bytes, NULL),
			APSP_EDAMAGED);
		fseek(file, (long)places[i], SEEK_SET);
		fputc(expected[places[i]], file);
		fflush(file);
		apsp_tables_unref(tables);
	}
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples_are_worth_it),
		cmocka_unit_test_setup_teardown(
			test_every_kind, sample_set_up, sample_tear_down),
		cmocka_unit_test_setup_teardown(
			test_identity, sample_set_up, sample_tear_down),
		cmocka_unit_test_setup_teardown(
			test_open_refusals, sample_set_up, sample_tear_down),
		cmocka_unit_test_setup_teardown(
			test_scrub_to_the_end, sample_set_up, sample_tear_down),
		cmocka_unit_test_setup_teardown(
			test_scrub_passes, sample_set_up, sample_tear_down),
		cmocka_unit_test_setup_teardown(
			test_held, sample_set_up, sample_tear_down),
		cmocka_unit_test_setup_teardown(
			test_whole_file, sample_set_up, sample_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
