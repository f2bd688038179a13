/*
 * Tables of 131,072 vertices: a file of 107 GB, almost all of it a hole. They
 * need 32-bit predecessors and offsets past 2^32.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "daemon/base/auto.h"
#include "daemon/base/checksum.h"
#include "storage/tables/tables.h"
#include "tests/ask_table.h"
#include "tests/reach_search.h"
#include "tests/sample_tables.h"
#include "storage/tables/lookup.h"
#include "storage/tables/reach_set.h"
#include "storage/tables/table_seal.h"

enum {
	N = 131072,
	/* the chain FIRST → FIRST + 1 → … → LAST, with 65535 among them */
	FIRST = 65500,
	LAST = 65900,
};

struct large {
	int fd;
	struct apsp_table_header header;
	uint64_t *checksums;
};

/* Write whole blocks of a section; the row must start a block. */
static void put(struct large *f, enum apsp_section section, uint64_t offset,
	const void *data, size_t size)
{
	unsigned char *block = calloc(1, APSP_TABLE_BLOCK);
	uint64_t at = f->header.sections[section].offset + offset;

	if (!block)
		abort();
	assert_int_equal(at % APSP_TABLE_BLOCK, 0);
	for (size_t i = 0; i < size; i += APSP_TABLE_BLOCK) {
		size_t n = size - i < APSP_TABLE_BLOCK ? size - i
						       : APSP_TABLE_BLOCK;

		memset(block, 0, APSP_TABLE_BLOCK);
		memcpy(block, (const char *)data + i, n);
		assert_int_equal(
			pwrite(f->fd, block, APSP_TABLE_BLOCK, (off_t)(at + i)),
			APSP_TABLE_BLOCK);
		f->checksums[(at + i) / APSP_TABLE_BLOCK] =
			apsp_checksum(block, APSP_TABLE_BLOCK);
	}
	free(block);
}

/*
 * Row FIRST: hops to each vertex of the chain. The predecessor of `liar` is
 * wrong.
 */
static void put_row(struct large *f, uint32_t liar, uint32_t lie)
{
	static uint16_t distances[N];
	static uint32_t predecessors[N];
	static uint64_t closure[N / 64];

	memset(closure, 0, sizeof(closure));
	for (uint32_t j = 0; j < N; j++) {
		bool on = j >= FIRST && j <= LAST;

		distances[j] = on ? (uint16_t)(j - FIRST) : APSP_V_INFINITY_U16;
		predecessors[j] = on && j > FIRST ? j - 1 : UINT32_MAX;
		closure[j / 64] |= (uint64_t)on << j % 64;
	}
	predecessors[liar] = lie;
	put(f, APSP_SECTION_DISTANCE, FIRST * (uint64_t)sizeof(distances),
		distances, sizeof(distances));
	put(f, APSP_SECTION_PREDECESSOR, FIRST * (uint64_t)sizeof(predecessors),
		predecessors, sizeof(predecessors));
	put(f, APSP_SECTION_CLOSURE, FIRST * (uint64_t)sizeof(closure), closure,
		sizeof(closure));
}

static void put_arcs(struct large *f)
{
	static uint64_t offsets[N + 1];
	static uint32_t heads[LAST - FIRST];
	static double ones[LAST - FIRST];

	for (uint32_t v = 0; v <= N; v++)
		offsets[v] = v < FIRST	? 0
			     : v > LAST ? LAST - FIRST
					: v - FIRST;
	for (uint32_t a = 0; a < LAST - FIRST; a++) {
		heads[a] = FIRST + a + 1;
		ones[a] = 1;
	}
	put(f, APSP_SECTION_ARC_OFFSETS, 0, offsets, sizeof(offsets));
	put(f, APSP_SECTION_ARC_HEADS, 0, heads, sizeof(heads));
	put(f, APSP_SECTION_ARC_WEIGHTS, 0, ones, sizeof(ones));
	put(f, APSP_SECTION_ARC_LENGTHS, 0, ones, sizeof(ones));
}

static struct apsp_tables *serve(uint32_t liar, uint32_t lie)
{
	static const struct apsp_tables_watch nobody;
	struct large f = {
		.header = {.n_vertices = N,
			.n_arcs = LAST - FIRST,
			.distance_kind = APSP_DISTANCE_HOPS,
			.scale = 1},
	};
	struct apsp_tables *tables = NULL;
	uint64_t n_blocks, zeros, checksum;
	void *block;

	assert_int_equal(
		apsp_table_header_layout(&f.header, APSP_ELEMENT_U16, NULL), 0);
	n_blocks = f.header.data_end / APSP_TABLE_BLOCK;
	f.checksums = calloc(n_blocks, sizeof(*f.checksums));
	block = calloc(1, APSP_TABLE_BLOCK);
	assert_true(f.checksums && block);
	zeros = apsp_checksum(block, APSP_TABLE_BLOCK);
	free(block);
	for (uint64_t b = 1; b < n_blocks; b++)
		f.checksums[b] = zeros;
	f.fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_true(f.fd >= 0);
	assert_int_equal(ftruncate(f.fd, (off_t)f.header.file_size), 0);
	put_row(&f, liar, lie);
	put_arcs(&f);
	assert_int_equal(pwrite(f.fd, f.checksums, n_blocks * 8,
				 (off_t)f.header.data_end),
		n_blocks * 8);
	f.header.blocks_checksum = apsp_checksum(f.checksums, n_blocks * 8);
	assert_int_equal(
		pwrite(f.fd, &f.header, sizeof(f.header), 0), sizeof(f.header));
	free(f.checksums);
	close(f.fd);
	assert_int_equal(apsp_table_seal(path, SAMPLE_REVISION, SAMPLE_PROFILE,
				 &checksum, NULL),
		0);
	assert_int_equal(apsp_tables_open(path, SAMPLE_REVISION, SAMPLE_PROFILE,
				 &nobody, &tables, NULL),
		0);
	return tables;
}

static void test_answers(void **state)
{
	APSP_AUTO(apsp_path_done) struct apsp_path p = {0};
	APSP_AUTO(apsp_reach_search_done) struct apsp_reach_search search = {0};
	struct apsp_reach_query query = {
		.has_max_distance = true, .max_distance = 7};
	struct apsp_tables *t = serve(0, UINT32_MAX);
	struct apsp_cell cell;

	(void)state;
	assert_int_equal(apsp_lookup_path(t, FIRST, LAST, &p, NULL), 0);
	assert_int_equal(p.hops, LAST - FIRST);
	assert_true(p.distance == LAST - FIRST);
	for (uint32_t k = 0; k <= p.hops; k++)
		assert_int_equal(p.vertices[k], FIRST + k);
	assert_int_equal(ask_table_cell(t, FIRST, LAST + 1, &cell), 0);
	assert_false(cell.reachable);
	assert_int_equal(reach_search(t, FIRST, &query, &search), 0);
	assert_int_equal(search.set.count, 8);
	assert_int_equal(search.set.vertices[7], FIRST + 7);
	apsp_tables_unref(t);
}

static void test_lies(void **state)
{
	static const uint32_t lies[] = {UINT32_MAX, N, UINT32_MAX - 1, LAST};

	(void)state;
	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		APSP_AUTO(apsp_path_done) struct apsp_path p = {0};
		struct apsp_tables *t = serve(FIRST + 9, lies[i]);

		assert_int_equal(apsp_lookup_path(t, FIRST, LAST, &p, NULL),
			APSP_EDAMAGED);
		assert_true(apsp_tables_damaged(t));
		apsp_tables_unref(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_answers, sample_set_up, sample_tear_down),
		cmocka_unit_test_setup_teardown(
			test_lies, sample_set_up, sample_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
