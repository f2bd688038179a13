/*
 * The table file's checksum against an independent program's values, and its
 * header: laid out, checked, sealed, and refused field by field.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/base/auto.h"
#include "daemon/base/checksum.h"
#include "daemon/job/table_file.h"
#include "tests/table_widths.h"

enum {
	SAMPLE = 4096,
};

static const char revision[APSP_HASH_SIZE] =
	"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
static const char profile_hash[APSP_HASH_SIZE] =
	"ffeeddccbbaa99887766554433221100ffeeddccbbaa99887766554433221100";

/* The generator that the vectors' program used too. */
static void fill(unsigned char *out, size_t size)
{
	uint32_t x = 1;

	for (size_t i = 0; i < size; i++) {
		x = x * 1103515245U + 12345U;
		out[i] = (unsigned char)(x >> 16);
	}
}

/*
 * Made by a Python program with the description in table_file.h at hand and
 * nothing of this code; words little-endian.
 */
static void test_known_vectors(void **state)
{
	static const struct {
		size_t size;
		uint64_t checksum;
	} vectors[] = {
		{0, UINT64_C(0xe0151589acd33c3c)},
		{1, UINT64_C(0x78ea6a1e6979b7ce)},
		{7, UINT64_C(0x71f767d70b7305dd)},
		{8, UINT64_C(0xde3b39aac542a840)},
		{9, UINT64_C(0xae5746dfce656bf2)},
		{63, UINT64_C(0x69b179dbbf32733d)},
		{64, UINT64_C(0xf44df0eba5504825)},
		{65, UINT64_C(0x5275ceab634ad2af)},
		{4096, UINT64_C(0x90ceec3549ca6568)},
		{65536, UINT64_C(0xd415152ab10adf2e)},
		{65543, UINT64_C(0x1adfcbe13acfd23b)},
	};
	APSP_AUTO(apsp_free) unsigned char *data = NULL;

	(void)state;
	data = malloc(65543);
	assert_non_null(data);
	fill(data, 65543);
	for (size_t i = 0; i < sizeof(vectors) / sizeof(*vectors); i++)
		assert_int_equal(apsp_checksum(data, vectors[i].size),
			vectors[i].checksum);
	memset(data, 0, 65536);
	assert_int_equal(
		apsp_checksum(data, 65536), UINT64_C(0x97dfb22a9de87cc2));
	assert_int_equal(
		apsp_checksum("apspd", 5), UINT64_C(0x2f39f9c41e3dad05));
}

static void test_every_flip_is_found(void **state)
{
	unsigned char data[SAMPLE];
	uint64_t whole;

	(void)state;
	fill(data, sizeof(data));
	whole = apsp_checksum(data, sizeof(data));
	for (size_t bit = 0; bit < SAMPLE * 8; bit++) {
		data[bit / 8] ^= (unsigned char)(1U << bit % 8);
		assert_int_not_equal(apsp_checksum(data, sizeof(data)), whole);
		data[bit / 8] ^= (unsigned char)(1U << bit % 8);
	}
	/* two sign bits in one lane, and two lanes exchanged */
	data[7] ^= 0x80;
	data[64 + 7] ^= 0x80;
	assert_int_not_equal(apsp_checksum(data, sizeof(data)), whole);
	memset(data, 0, sizeof(data));
	data[0] = 1;
	whole = apsp_checksum(data, sizeof(data));
	data[0] = 0;
	data[8] = 1;
	assert_int_not_equal(apsp_checksum(data, sizeof(data)), whole);
}

static struct apsp_table_header example(uint64_t n, uint64_t m,
	enum apsp_distance_kind kind, enum apsp_element element)
{
	struct apsp_table_header header = {
		.n_vertices = n,
		.n_arcs = m,
		.distance_kind = kind,
		.scale = kind == APSP_DISTANCE_SCALED ? (int64_t)n : 1,
		.algorithm = "blocked-fw",
	};
	struct apsp_err err;

	assert_int_equal(apsp_table_header_layout(&header, element, &err), 0);
	return header;
}

static void test_layout(void **state)
{
	struct apsp_table_header h;
	const struct apsp_section_place *s = h.sections;

	(void)state;
	h = example(300, 2345, APSP_DISTANCE_SCALED, APSP_ELEMENT_I32);
	assert_int_equal(s[APSP_SECTION_DISTANCE].offset, APSP_TABLE_BLOCK);
	assert_int_equal(s[APSP_SECTION_DISTANCE].size, 300 * 300 * 4);
	assert_int_equal(s[APSP_SECTION_DISTANCE].element, APSP_ELEMENT_I32);
	assert_int_equal(
		s[APSP_SECTION_PREDECESSOR].offset, 7 * APSP_TABLE_BLOCK);
	assert_int_equal(s[APSP_SECTION_PREDECESSOR].size, 300 * 300 * 2);
	assert_int_equal(s[APSP_SECTION_PREDECESSOR].element, APSP_ELEMENT_U16);
	assert_int_equal(s[APSP_SECTION_CLOSURE].size, 300 * 5 * 8);
	assert_int_equal(s[APSP_SECTION_CLOSURE_TRANSPOSED].size, 300 * 5 * 8);
	assert_int_equal(s[APSP_SECTION_CLOSURE].element, APSP_ELEMENT_BIT);
	assert_int_equal(s[APSP_SECTION_ON_CYCLE].size, 5 * 8);
	assert_int_equal(s[APSP_SECTION_ARC_OFFSETS].size, 301 * 8);
	assert_int_equal(s[APSP_SECTION_ARC_HEADS].size, 2345 * 4);
	assert_int_equal(s[APSP_SECTION_ARC_WEIGHTS].size, 2345 * 8);
	assert_int_equal(s[APSP_SECTION_ARC_LENGTHS].size, 2345 * 8);
	assert_int_equal(s[APSP_SECTION_VERTEX_STATS].size, 10 * 300 * 8);
	assert_int_equal(s[APSP_SECTION_HISTOGRAMS].size, 2 * 2048 * 8);
	assert_int_equal(h.data_end % APSP_TABLE_BLOCK, 0);
	assert_int_equal(
		h.file_size, h.data_end + h.data_end / APSP_TABLE_BLOCK * 8);

	h = example(65535, 0, APSP_DISTANCE_HOPS, APSP_ELEMENT_U16);
	assert_int_equal(s[APSP_SECTION_PREDECESSOR].element, APSP_ELEMENT_U16);
	assert_int_equal(s[APSP_SECTION_ARC_HEADS].size, 0);
	assert_int_equal(s[APSP_SECTION_ARC_HEADS].offset,
		s[APSP_SECTION_VERTEX_STATS].offset);
	h = example(65536, 0, APSP_DISTANCE_HOPS, APSP_ELEMENT_U16);
	assert_int_equal(s[APSP_SECTION_PREDECESSOR].element, APSP_ELEMENT_U32);
}

static int check(const struct apsp_table_header *header, bool sealed)
{
	struct apsp_err err;

	return apsp_table_header_check(header, header->file_size, sealed, &err);
}

/* A section that is there where it is asked for. */
static void test_betweenness(void **state)
{
	struct apsp_table_header h =
		example(300, 2345, APSP_DISTANCE_SCALED, APSP_ELEMENT_I32);
	struct apsp_section_place *place = h.sections;
	uint64_t without = h.data_end;

	(void)state;
	place += APSP_SECTION_BETWEENNESS;
	assert_int_equal(place->size, 0);
	assert_int_equal(place->element, APSP_ELEMENT_NONE);
	assert_int_equal(place->offset, without);
	place->element = APSP_ELEMENT_F64;
	assert_int_equal(
		apsp_table_header_layout(&h, APSP_ELEMENT_I32, NULL), 0);
	assert_int_equal(place->size, 300 * 8);
	assert_int_equal(place->element, APSP_ELEMENT_F64);
	assert_int_equal(h.data_end, without + APSP_TABLE_BLOCK);
	apsp_table_header_seal(&h, revision, profile_hash);
	assert_int_equal(check(&h, true), 0);
}

/* The header of a file that an earlier version wrote: fewer sections. */
static void version_check(uint32_t version, size_t n_sections)
{
	struct apsp_table_header h =
		example(300, 2345, APSP_DISTANCE_SCALED, APSP_ELEMENT_I32);
	static unsigned char block[APSP_TABLE_BLOCK];
	size_t begin = offsetof(struct apsp_table_header, sections) +
		       n_sections * sizeof(struct apsp_section_place);
	size_t end = sizeof(h) - offsetof(struct apsp_table_header, data_end);
	struct apsp_table_header back;
	uint64_t checksum;

	h.version = version;
	memset(&h.sections[n_sections], 0,
		(APSP_N_SECTIONS - n_sections) * sizeof(*h.sections));
	apsp_table_header_seal(&h, revision, profile_hash);
	memcpy(block, &h, begin);
	memcpy(block + begin, &h.data_end, end);
	/* its checksum is of the bytes in the file */
	memcpy(&checksum, block + begin + end - 8, 8);
	assert_int_equal(checksum, apsp_checksum(block, begin + end - 8));
	assert_int_equal(apsp_table_header_read(block, &back), begin + end);
	assert_memory_equal(&back, &h, sizeof(h));
	assert_int_equal(check(&back, true), 0);
	assert_int_equal(back.sections[APSP_SECTION_BETWEENNESS].size, 0);
	assert_false(apsp_table_has_ranks(&back));
}

static void test_earlier_versions(void **state)
{
	(void)state;
	version_check(2, APSP_N_SECTIONS_2);
	version_check(3, APSP_N_SECTIONS_3);
	version_check(4, APSP_N_SECTIONS_4);
	version_check(5, APSP_N_SECTIONS_5);
}

/* A file of widths has ranks, their weights, and no predecessors. */
static void test_widths(void **state)
{
	struct apsp_table_header h = {.n_vertices = 300,
		.n_arcs = 2345,
		.distance_kind = APSP_DISTANCE_WIDTH,
		.scale = 1,
		.sections[APSP_SECTION_WIDTHS] = {.size = 77 * 8}};
	const struct apsp_section_place *s = h.sections;

	(void)state;
	assert_int_equal(
		apsp_table_header_layout(&h, APSP_ELEMENT_U16, NULL), 0);
	apsp_table_header_seal(&h, revision, profile_hash);
	assert_int_equal(check(&h, true), 0);
	assert_true(apsp_table_has_widths(&h));
	assert_int_equal(apsp_table_n_widths(&h), 77);
	assert_int_equal(s[APSP_SECTION_WIDTHS].element, APSP_ELEMENT_F64);
	assert_int_equal(s[APSP_SECTION_DISTANCE].size, 300 * 300 * 2);
	assert_false(apsp_table_holds(&h, APSP_SECTION_PREDECESSOR));
	assert_int_equal(
		s[APSP_SECTION_PREDECESSOR].element, APSP_ELEMENT_NONE);
	assert_false(apsp_table_has_ranks(&h));
	assert_int_equal(s[APSP_SECTION_IN_TAILS].size, 0);
	h.version = 5; /* had no widths */
	apsp_table_header_seal(&h, revision, profile_hash);
	assert_int_equal(check(&h, true), APSP_EDAMAGED);
	/* each arc has one weight */
	h.sections[APSP_SECTION_WIDTHS].size = 2346 * 8;
	assert_int_equal(
		apsp_table_header_layout(&h, APSP_ELEMENT_U16, NULL), 0);
	apsp_table_header_seal(&h, revision, profile_hash);
	assert_int_equal(check(&h, true), APSP_EDAMAGED);
	/* ranks are whole */
	h.sections[APSP_SECTION_WIDTHS].size = 77 * 8;
	assert_int_equal(
		apsp_table_header_layout(&h, APSP_ELEMENT_F64, NULL), 0);
	apsp_table_header_seal(&h, revision, profile_hash);
	assert_int_equal(check(&h, true), APSP_EDAMAGED);
}

/* Ranks and their weights. */
static void test_ranks_of_widths(void **state)
{
	static const double widths[] = {9, 5, 2.5, 0.125};

	(void)state;
	assert_true(isinf(table_width(widths, 4, 0)));
	for (uint64_t r = 1; r <= 4; r++) {
		double w = widths[r - 1];

		assert_true(table_width(widths, 4, r) == w);
		assert_int_equal(table_rank_of(widths, 4, w), r);
		assert_int_equal(
			table_rank_of(widths, 4, nextafter(w, 100)), r - 1);
		assert_int_equal(table_rank_of(widths, 4, nextafter(w, 0)), r);
	}
	assert_true(table_width(widths, 4, APSP_V_INFINITY_U16) == 0);
	assert_int_equal(table_rank_of(widths, 4, 0), 4);
	assert_int_equal(table_rank_of(widths, 0, 1), 0);
}

/* A file whose rows come on demand has arcs and components, and no tables. */
static void test_on_demand(void **state)
{
	static const enum apsp_section empty[] = {APSP_SECTION_DISTANCE,
		APSP_SECTION_PREDECESSOR, APSP_SECTION_CLOSURE,
		APSP_SECTION_CLOSURE_TRANSPOSED, APSP_SECTION_VERTEX_STATS,
		APSP_SECTION_HISTOGRAMS, APSP_SECTION_BETWEENNESS};
	struct apsp_table_header h = {.n_vertices = 300,
		.n_arcs = 2345,
		.distance_kind = APSP_DISTANCE_SUM,
		.scale = 1,
		.sections[APSP_SECTION_PREDECESSOR] = {
			.element = APSP_ELEMENT_U8, .absent = APSP_ON_DEMAND}};
	enum apsp_demand demand;

	(void)state;
	assert_int_equal(
		apsp_table_header_layout(&h, APSP_ELEMENT_F32, NULL), 0);
	apsp_table_header_seal(&h, revision, profile_hash);
	assert_int_equal(check(&h, true), 0);
	assert_true(apsp_table_on_demand(&h));
	assert_true(apsp_table_has_ranks(&h));
	assert_true(h.sections[APSP_SECTION_IN_OFFSETS].size > 0);
	assert_true(apsp_table_holds(&h, APSP_SECTION_PREDECESSOR));
	assert_false(apsp_table_holds(&h, APSP_SECTION_DISTANCE));
	for (size_t i = 0; i < sizeof(empty) / sizeof(*empty); i++)
		assert_int_equal(h.sections[empty[i]].size, 0);
	assert_int_equal(h.sections[APSP_SECTION_COMPONENT].size, 300 * 4);
	assert_int_equal(
		apsp_demand_at(&h, APSP_SECTION_PREDECESSOR, &demand), 0);
	assert_int_equal(demand, APSP_DEMAND_FROM);
	assert_int_equal(
		apsp_demand_at(&h, APSP_SECTION_CLOSURE, &demand), 304);
	assert_int_equal(apsp_demand_bytes(&h, APSP_DEMAND_FROM), 304 + 40);
	assert_int_equal(apsp_demand_bytes(&h, APSP_DEMAND_TO), 40);
	assert_int_equal(apsp_demand_bytes(&h, APSP_DEMAND_COLUMN), 300 * 4);
	/* files of earlier versions have all rows */
	h.version = 4;
	apsp_table_header_seal(&h, revision, profile_hash);
	assert_int_equal(check(&h, true), APSP_EDAMAGED);
}

/* Predecessors are ranks where that makes the file smaller. */
static void test_ranks(void **state)
{
	static const struct {
		uint64_t n, m, max_in;
		enum apsp_element element;
	} cases[] = {
		{3000, 100000, 255, APSP_ELEMENT_U8},
		{3000, 100000, 256, APSP_ELEMENT_U16},
		{3000, 100000, UINT64_MAX, APSP_ELEMENT_U16},
		{400, 400, 1, APSP_ELEMENT_U16}, /* the lists are larger */
		{1000, 200000, 255, APSP_ELEMENT_U16},
		{70000, 1000000, 255, APSP_ELEMENT_U8},
		{70000, 1000000, 65535, APSP_ELEMENT_U16},
		{70000, 1000000, 65536, APSP_ELEMENT_U32},
	};
	struct apsp_table_header h;

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		enum apsp_element element = apsp_rank_element(
			cases[c].n, cases[c].m, cases[c].max_in);
		uint64_t indices;

		assert_int_equal(element, cases[c].element);
		h = example(cases[c].n, cases[c].m, APSP_DISTANCE_SCALED,
			APSP_ELEMENT_I32);
		indices = h.file_size;
		assert_false(apsp_table_has_ranks(&h));
		assert_int_equal(h.sections[APSP_SECTION_IN_TAILS].size, 0);
		h.sections[APSP_SECTION_PREDECESSOR].element = element;
		assert_int_equal(
			apsp_table_header_layout(&h, APSP_ELEMENT_I32, NULL),
			0);
		assert_int_equal(
			h.sections[APSP_SECTION_PREDECESSOR].element, element);
		if (element == apsp_index_element(cases[c].n)) {
			assert_false(apsp_table_has_ranks(&h));
			continue;
		}
		assert_true(apsp_table_has_ranks(&h));
		assert_true(h.file_size < indices);
		assert_int_equal(h.sections[APSP_SECTION_IN_OFFSETS].size,
			(cases[c].n + 1) * 8);
		assert_int_equal(
			h.sections[APSP_SECTION_IN_TAILS].size, cases[c].m * 4);
		assert_int_equal(
			h.sections[APSP_SECTION_IN_ARCS].size, cases[c].m * 4);
		apsp_table_header_seal(&h, revision, profile_hash);
		assert_int_equal(check(&h, true), 0);
		h.version = 3; /* had no ranks */
		apsp_table_header_seal(&h, revision, profile_hash);
		assert_int_equal(check(&h, true), APSP_EDAMAGED);
	}
}

static void test_overflow(void **state)
{
	static const struct {
		uint64_t n, m;
	} sizes[] = {
		{UINT64_C(1) << 33, 0},
		{UINT64_C(1) << 32, 0},
		{UINT32_MAX - 1, 0},
		{10, UINT64_MAX},
		{10, UINT64_MAX / 8},
		{10, UINT64_C(1) << 60},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct apsp_table_header h = {
			.n_vertices = sizes[i].n,
			.n_arcs = sizes[i].m,
			.scale = 1,
		};
		struct apsp_err err;

		assert_int_equal(
			apsp_table_header_layout(&h, APSP_ELEMENT_F64, &err),
			APSP_EDATA);
		assert_non_null(strstr(err.message, "too large"));
	}
}

static void test_kinds(void **state)
{
	static const struct {
		enum apsp_distance_kind kind;
		enum apsp_element element;
		int expected;
	} cases[] = {
		{APSP_DISTANCE_SCALED, APSP_ELEMENT_U16, 0},
		{APSP_DISTANCE_SCALED, APSP_ELEMENT_I32, 0},
		{APSP_DISTANCE_SCALED, APSP_ELEMENT_F64, 0},
		{APSP_DISTANCE_SCALED, APSP_ELEMENT_F32, APSP_EDAMAGED},
		{APSP_DISTANCE_HOPS, APSP_ELEMENT_U16, 0},
		{APSP_DISTANCE_HOPS, APSP_ELEMENT_U64, APSP_EDAMAGED},
		{APSP_DISTANCE_HOPS, APSP_ELEMENT_BIT, APSP_EDAMAGED},
		{APSP_DISTANCE_SUM, APSP_ELEMENT_F32, 0},
		{APSP_DISTANCE_SUM, APSP_ELEMENT_F64, 0},
		{APSP_DISTANCE_SUM, APSP_ELEMENT_U16, APSP_EDAMAGED},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct apsp_table_header h =
			example(10, 20, cases[i].kind, cases[i].element);

		assert_int_equal(check(&h, false), cases[i].expected);
	}
}

/* Every byte of a sealed header matters; unsealed, all but the seal's own. */
static void test_every_byte_is_checked(void **state)
{
	struct apsp_table_header h =
		example(300, 2345, APSP_DISTANCE_SCALED, APSP_ELEMENT_I32);
	struct apsp_err err;
	unsigned char *bytes = (unsigned char *)&h;

	(void)state;
	assert_int_equal(check(&h, false), 0);
	assert_int_equal(check(&h, true), APSP_EDAMAGED);
	apsp_table_header_seal(&h, revision, profile_hash);
	assert_int_equal(check(&h, true), 0);
	assert_string_equal(h.revision, revision);
	assert_string_equal(h.profile_hash, profile_hash);
	for (size_t i = 0; i < sizeof(h); i++) {
		uint64_t size = h.file_size;

		bytes[i] ^= 0x10;
		assert_int_equal(apsp_table_header_check(&h, size, true, &err),
			APSP_EDAMAGED);
		bytes[i] ^= 0x10;
	}
	assert_int_equal(
		apsp_table_header_check(&h, h.file_size - 1, true, &err),
		APSP_EDAMAGED);
	assert_int_equal(
		apsp_table_header_check(&h, h.file_size + 1, true, &err),
		APSP_EDAMAGED);
}

#define EXPECT_REFUSED(field, value)                                           \
	do {                                                                   \
		struct apsp_table_header h = example(                          \
			300, 2345, APSP_DISTANCE_SCALED, APSP_ELEMENT_I32);    \
		uint64_t size = h.file_size;                                   \
		h.field = (value);                                             \
		assert_int_equal(                                              \
			apsp_table_header_check(&h, size, false, NULL),        \
			APSP_EDAMAGED);                                        \
		apsp_table_header_seal(&h, revision, profile_hash);            \
		assert_int_equal(                                              \
			apsp_table_header_check(&h, size, true, NULL),         \
			APSP_EDAMAGED);                                        \
	} while (0)

/* Fields that lie, under a header checksum that is right. */
static void test_every_field_is_checked(void **state)
{
	struct apsp_table_header none;

	(void)state;
	EXPECT_REFUSED(version, 0);
	EXPECT_REFUSED(version, 1); /* has fewer sections */
	EXPECT_REFUSED(version, 2);
	EXPECT_REFUSED(version, 3);
	EXPECT_REFUSED(version, 4);
	EXPECT_REFUSED(version, 5);
	EXPECT_REFUSED(version, 7);
	EXPECT_REFUSED(byte_order, 0x04030201);
	EXPECT_REFUSED(n_vertices, 0);
	EXPECT_REFUSED(n_vertices, 301);
	EXPECT_REFUSED(n_vertices, UINT64_MAX);
	EXPECT_REFUSED(n_arcs, 2345 + APSP_TABLE_BLOCK);
	EXPECT_REFUSED(n_arcs, 2346);
	EXPECT_REFUSED(distance_kind, 3);
	EXPECT_REFUSED(distance_kind, APSP_DISTANCE_SUM);
	EXPECT_REFUSED(distance_kind, APSP_DISTANCE_HOPS); /* scale is not 1 */
	EXPECT_REFUSED(block_size, 4096);
	EXPECT_REFUSED(scale, 0);
	EXPECT_REFUSED(scale, -1);
	for (int s = 0; s < APSP_N_SECTIONS; s++) {
		EXPECT_REFUSED(sections[s].offset, 0);
		EXPECT_REFUSED(sections[s].size, 1);
		EXPECT_REFUSED(sections[s].element, 77);
		EXPECT_REFUSED(sections[s].absent, 1);
	}
	EXPECT_REFUSED(data_end, 0);
	EXPECT_REFUSED(file_size, 0);
	none = example(0, 0, APSP_DISTANCE_HOPS, APSP_ELEMENT_U16);
	assert_int_equal(check(&none, false), APSP_EDAMAGED);
}

static void test_seal_texts(void **state)
{
	struct apsp_table_header h =
		example(3, 2, APSP_DISTANCE_HOPS, APSP_ELEMENT_U16);
	char other[APSP_HASH_SIZE];

	(void)state;
	memcpy(other, revision, sizeof(other));
	other[20] = 'A';
	apsp_table_header_seal(&h, other, profile_hash);
	assert_int_equal(check(&h, true), APSP_EDAMAGED);
	memset(other, 0, sizeof(other));
	apsp_table_header_seal(&h, revision, other);
	assert_int_equal(check(&h, true), APSP_EDAMAGED);
	memset(h.algorithm, 'x', sizeof(h.algorithm));
	apsp_table_header_seal(&h, revision, profile_hash);
	assert_int_equal(check(&h, true), APSP_EDAMAGED);
}

static void test_elements(void **state)
{
	(void)state;
	assert_int_equal(apsp_element_size(APSP_ELEMENT_U16), 2);
	assert_int_equal(apsp_element_size(APSP_ELEMENT_I32), 4);
	assert_int_equal(apsp_element_size(APSP_ELEMENT_U32), 4);
	assert_int_equal(apsp_element_size(APSP_ELEMENT_F32), 4);
	assert_int_equal(apsp_element_size(APSP_ELEMENT_U64), 8);
	assert_int_equal(apsp_element_size(APSP_ELEMENT_F64), 8);
	assert_int_equal(apsp_element_size(APSP_ELEMENT_BIT), 0);
	assert_string_equal(apsp_element_name(APSP_ELEMENT_I32), "i32");
	assert_string_equal(apsp_element_name(APSP_ELEMENT_BIT), "bit");
	assert_string_equal(apsp_element_name(APSP_ELEMENT_NONE), "none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_vectors),
		cmocka_unit_test(test_every_flip_is_found),
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_betweenness),
		cmocka_unit_test(test_earlier_versions),
		cmocka_unit_test(test_widths),
		cmocka_unit_test(test_ranks_of_widths),
		cmocka_unit_test(test_on_demand),
		cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_every_byte_is_checked),
		cmocka_unit_test(test_every_field_is_checked),
		cmocka_unit_test(test_seal_texts),
		cmocka_unit_test(test_elements),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
