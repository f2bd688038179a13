/*
 * Statistics by the GPU's kernels, on whatever device there is, against the
 * host's, bit by bit: every kind of distance, sizes around blocks and groups,
 * strips, bins of other widths in each strip, rows left to the host; and
 * what a device gets wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <malloc.h>
#include <math.h>

#include "compute/device/device_buffer.h"
#include "compute/statistics/stats_device.h"
#include "compute/statistics/stats_pieces.h"
#include "compute/tables/sums_device.h"
#include "daemon/base/auto.h"
#include "tests/device_fixture.h"
#include "tests/passed_over.h"
#include "tests/random.h"
#include "tests/table_cell.h"

static const struct kind {
	enum apsp_distance_kind kind;
	enum apsp_element element;
	int64_t scale;
} kinds[] = {
	{APSP_DISTANCE_HOPS, APSP_ELEMENT_U16, 1},
	{APSP_DISTANCE_HOPS, APSP_ELEMENT_I32, 1},
	{APSP_DISTANCE_HOPS, APSP_ELEMENT_F64, 1},
	{APSP_DISTANCE_SCALED, APSP_ELEMENT_U16, 7},
	{APSP_DISTANCE_SCALED, APSP_ELEMENT_I32, 1000},
	{APSP_DISTANCE_SCALED, APSP_ELEMENT_I32, 5000},
	{APSP_DISTANCE_SCALED, APSP_ELEMENT_F64, 100003},
	{APSP_DISTANCE_SUM, APSP_ELEMENT_F32, 1},
	{APSP_DISTANCE_SUM, APSP_ELEMENT_F64, 1},
};

enum {
	N_KINDS = sizeof(kinds) / sizeof(*kinds),
};

/* The last rows of a table. */
struct rows {
	const struct kind *kind;
	uint32_t n;
	uint32_t first;
	uint32_t n_rows;
	char *cells;
	void *tails; /* the source before each vertex with a path */
	struct apsp_lengths lengths;
	struct apsp_integers integers;
	double one[1];	   /* the only arc's length */
	uint64_t *offsets; /* of rows of arcs, which are empty */
};

static void cell_put(
	const struct rows *rows, uint32_t r, uint32_t c, double value)
{
	size_t at = (size_t)r * rows->n + c;
	uint32_t tail = isinf(value) || c == rows->first + r ? UINT32_MAX
							     : rows->first + r;

	table_cell_put(rows->cells, rows->kind->element, at, value);
	if (apsp_index_element(rows->n) == APSP_ELEMENT_U16)
		((uint16_t *)rows->tails)[at] = (uint16_t)tail;
	else
		((uint32_t *)rows->tails)[at] = tail;
}

/* The most that V, or a sum, may be. */
static double most_of(const struct kind *kind)
{
	if (kind->kind == APSP_DISTANCE_SUM)
		return 1e6;
	return kind->element == APSP_ELEMENT_U16   ? APSP_V_INFINITY_U16 - 1
	       : kind->element == APSP_ELEMENT_I32 ? APSP_V_INFINITY_I32 - 1
						   : 0x1p50;
}

/*
 * Random distances, a tenth of them without a path and some rows without any.
 * Some rows are farther than others, so that strips have bins of other widths.
 */
static void rows_make(struct rows *rows, const struct kind *kind, uint32_t n,
	uint32_t n_rows, uint64_t *seed)
{
	size_t cells = (size_t)n_rows * n;
	bool sums = kind->kind == APSP_DISTANCE_SUM;

	*rows = (struct rows){.kind = kind,
		.n = n,
		.first = n - n_rows,
		.n_rows = n_rows,
		.cells = malloc(cells * apsp_element_size(kind->element)),
		.tails = malloc(cells * sizeof(uint32_t)),
		.offsets = calloc(n + 1, sizeof(uint64_t)),
		.one = {0.3}};
	rows->integers = (struct apsp_integers){
		.kind = kind->kind, .scale = kind->scale};
	rows->lengths = (struct apsp_lengths){.n_vertices = n,
		.offsets = rows->offsets,
		.n_arcs = sums ? 1 : 0,
		.lengths = sums ? rows->one : NULL};
	for (uint32_t r = 0; r < n_rows; r++) {
		double most = most_of(kind) /
			      (1 << (r * 7 + 3) % n_rows * 15 / n_rows);

		for (uint32_t c = 0; c < n; c++) {
			double share = random_below(seed, 1 << 30) * 0x1p-30;
			double value = sums ? share * most
					    : floor(share * share * most);

			/* some are at distance 0; none has no hops */
			if (!sums && value < (double)kind->scale &&
				(r > 0 || c % 50 > 0))
				value += (double)kind->scale;
			if (!sums)
				value += fmod(value, (double)kind->scale) == 0;
			if (random_below(seed, 10) == 0 || r == n_rows / 2)
				value = INFINITY;
			cell_put(rows, r, c, c == rows->first + r ? 0 : value);
		}
	}
}

static void rows_done(struct rows *rows)
{
	free(rows->cells);
	free(rows->tails);
	free(rows->offsets);
}

static struct apsp_row_strip strip_of(
	const struct rows *rows, uint32_t at, uint32_t n_rows)
{
	size_t cell = (size_t)at * rows->n;

	return (struct apsp_row_strip){.first = rows->first + at,
		.n_rows = n_rows,
		.distances = rows->cells +
			     cell * apsp_element_size(rows->kind->element),
		.predecessors =
			(char *)rows->tails +
			cell * apsp_element_size(apsp_index_element(rows->n))};
}

static struct apsp_row_stats *stats_new(const struct rows *rows)
{
	struct apsp_row_stats *stats = NULL;

	assert_int_equal(apsp_row_stats_new(&rows->lengths, &rows->integers,
				 rows->kind->element, 1, &stats, NULL),
		0);
	return stats;
}

/* A GPU's kernels, and its words for path sums: every path has one arc. */
struct maker {
	struct apsp_device device;
	struct apsp_stats_device stats;
	uint32_t *words;
	struct apsp_sums_at at;
};

static void maker_open(struct maker *maker, const struct apsp_device *device,
	const struct rows *rows, const struct apsp_row_stats *stats)
{
	const struct apsp_stats_rows made = {.device = &maker->device,
		.v = APSP_ELEMENT_I32,
		.has_sums = true,
		.n_rows = rows->n_rows};
	struct apsp_err err;

	*maker = (struct maker){.device = *device};
	maker->device.tuning = apsp_tuning_find("", true, NULL);
	maker->at = (struct apsp_sums_at){.summed = 2,
		.row_hops = 2 + rows->n_rows,
		.hops = 2 + 2 * rows->n_rows};
	maker->words = malloc((maker->at.hops + APSP_SUMS_DEVICE_HOPS) *
			      sizeof(*maker->words));
	if (apsp_stats_device_open(&made, stats, &maker->stats, &err) < 0)
		fail_msg("%s", err.message);
	assert_non_null(maker->stats.begin);
}

static void maker_done(struct maker *maker)
{
	apsp_stats_device_done(&maker->stats);
	free(maker->words);
}

/* Count the hops of a row of path sums; out_last gets them, too, unless NULL.
 */
static void hops_give(const struct rows *rows, uint32_t r,
	struct apsp_row_stats *out, struct apsp_row_stats *out_last)
{
	uint32_t *hops = malloc(rows->n * sizeof(*hops));
	const uint16_t *narrow = rows->tails;
	const uint32_t *wide = rows->tails;
	bool is_narrow = apsp_index_element(rows->n) == APSP_ELEMENT_U16;

	for (uint32_t c = 0; c < rows->n; c++) {
		size_t at = (size_t)r * rows->n + c;
		bool none = is_narrow ? narrow[at] == UINT16_MAX
				      : wide[at] == UINT32_MAX;

		hops[c] = !none ? 1 : c == rows->first + r ? 0 : APSP_NO_HOPS;
	}
	if (rows->kind->kind == APSP_DISTANCE_SUM && out)
		apsp_row_stats_hops(out, 0, hops);
	if (rows->kind->kind == APSP_DISTANCE_SUM && out_last)
		apsp_row_stats_last_hops(out_last, hops);
	free(hops);
}

/* What path sums tell of a strip; row number `left` of all is left. */
static void words_make(struct maker *maker, const struct rows *rows,
	uint32_t from, uint32_t n_rows, uint32_t left)
{
	uint32_t *hops = maker->words + maker->at.hops;

	memset(hops, 0, APSP_SUMS_DEVICE_HOPS * sizeof(*hops));
	for (uint32_t r = 0; r < n_rows; r++) {
		const struct apsp_row_strip strip = strip_of(rows, from + r, 1);
		uint32_t *of_row = maker->words + maker->at.row_hops + r;

		*of_row = 0;
		maker->words[maker->at.summed + r] = from + r != left;
		for (uint32_t c = 0; c < rows->n; c++)
			*of_row +=
				apsp_index_element(rows->n) == APSP_ELEMENT_U16
					? ((const uint16_t *)strip
							  .predecessors)[c] !=
						  UINT16_MAX
					: ((const uint32_t *)strip
							  .predecessors)[c] !=
						  UINT32_MAX;
		hops[1] += *of_row;
	}
}

/* The device's statistics of a strip, in a slot. */
static void strip_make(struct maker *maker, const struct rows *rows,
	uint32_t slot, struct apsp_row_strip *strip)
{
	APSP_AUTO(apsp_device_buffer_done) cl_mem cells = NULL;
	APSP_AUTO(apsp_device_buffer_done) cl_mem words = NULL;
	size_t size = (size_t)strip->n_rows * rows->n *
		      apsp_element_size(rows->kind->element);
	const struct apsp_made_hops hops =
		apsp_sums_device_hops(maker->words, &maker->at);
	struct apsp_err err;

	if (apsp_device_buffer_make(
		    &maker->device, size, strip->distances, &cells, &err) < 0 ||
		apsp_device_buffer_make(&maker->device,
			maker->at.hops * sizeof(*maker->words), maker->words,
			&words, &err) < 0 ||
		apsp_stats_device_rows(&maker->stats, slot, cells, strip->first,
			strip->n_rows, words, maker->at.summed, &err) < 0)
		fail_msg("%s", err.message);
	clFinish(maker->device.queue);
	if (apsp_stats_device_made(
		    &maker->stats, slot, &hops, &strip->made, &err) < 0)
		fail_msg("%s", err.message);
}

/* Both ways, in strips; from the strip of row `left` on the host is left to. */
static void rows_compare(const struct apsp_device *device,
	const struct rows *rows, uint32_t together, uint32_t left)
{
	struct apsp_row_stats *own = stats_new(rows), *made = stats_new(rows);
	struct apsp_row_strip strip = strip_of(rows, 0, rows->n_rows);
	struct maker maker;
	uint32_t turn = 0;
	struct apsp_err err = {0};

	maker_open(&maker, device, rows, made);
	for (uint32_t r = 0; r < rows->n_rows; r++)
		hops_give(rows, r, own, NULL);
	assert_int_equal(apsp_row_stats_rows(own, &strip, NULL, &err), 0);
	for (uint32_t at = 0; at < rows->n_rows; at += together) {
		uint32_t end = at + together < rows->n_rows ? at + together
							    : rows->n_rows;

		strip = strip_of(rows, at, end - at);
		words_make(&maker, rows, at, end - at, left);
		strip_make(&maker, rows, turn, &strip);
		turn ^= 1;
		assert_true(apsp_made_stats_exist(&strip) == (end <= left));
		hops_give(rows, end - 1, NULL, made);
		if (apsp_made_stats_add(made, &strip, &err) < 0)
			fail_msg("%s", err.message);
		for (uint32_t r = at; !apsp_made_stats_exist(&strip) && r < end;
			r++)
			hops_give(rows, r, made, NULL);
		if (!apsp_made_stats_exist(&strip))
			assert_int_equal(
				apsp_row_stats_rows(made, &strip, NULL, &err),
				0);
	}
	if (!apsp_row_stats_same(own, made))
		fail_msg("kind %d, element %d, %u of %u rows, %u together",
			(int)rows->kind->kind, (int)rows->kind->element,
			rows->n_rows, rows->n, together);
	maker_done(&maker);
	apsp_row_stats_free(own);
	apsp_row_stats_free(made);
}

static void test_rows(void **state)
{
	const struct device_fixture *fixture = *state;
	static const uint32_t sizes[][3] = {
		/* vertices, rows, rows of a strip */
		{1, 1, 1},
		{2, 2, 1},
		{255, 255, 64},
		{256, 9, 9},
		{257, 257, 100},
		{300, 300, 7},
		/* source blocks that begin and end in strips */
		{300, 300, 150},
		{16641, 70, 33},
		/* groups with several rounds and strips of bins */
		{8193, 5, 2},
		{16384, 3, 3},
		{16641, 3, 2},
		{66000, 2, 1},
	};
	uint64_t seed = 5;

	if (passed_over_row_kernels(&fixture->device))
		return;
	for (size_t k = 0; k < N_KINDS; k++)
		for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
			struct rows rows;

			rows_make(&rows, &kinds[k], sizes[s][0], sizes[s][1],
				&seed);
			rows_compare(&fixture->device, &rows, sizes[s][2],
				UINT32_MAX);
			rows_done(&rows);
		}
}

/* From the first row on, from some, and only the last one. */
static void test_left(void **state)
{
	const struct device_fixture *fixture = *state;
	static const uint32_t left[] = {0, 3, 50, 99};
	uint64_t seed = 6;

	if (passed_over_row_kernels(&fixture->device))
		return;
	for (size_t k = 0; k < N_KINDS; k++) {
		struct rows rows;

		if (kinds[k].kind != APSP_DISTANCE_SUM)
			continue;
		rows_make(&rows, &kinds[k], 300, 100, &seed);
		for (size_t i = 0; i < sizeof(left) / sizeof(*left); i++)
			rows_compare(&fixture->device, &rows, 10, left[i]);
		rows_done(&rows);
	}
}

/* Each number of the row that the host sums, too. */
static void test_wrong_row(void **state)
{
	const struct device_fixture *fixture = *state;
	uint64_t seed = 7;

	if (passed_over_row_kernels(&fixture->device))
		return;
	for (size_t k = 0; k < N_KINDS; k++) {
		struct rows rows;
		struct apsp_row_stats *made;
		struct apsp_row_strip strip;
		struct maker maker;

		if (kinds[k].kind == APSP_DISTANCE_HOPS)
			continue;
		rows_make(&rows, &kinds[k], 300, 20, &seed);
		made = stats_new(&rows);
		maker_open(&maker, &fixture->device, &rows, made);
		strip = strip_of(&rows, 0, 20);
		words_make(&maker, &rows, 0, 20, UINT32_MAX);
		strip_make(&maker, &rows, 0, &strip);
		hops_give(&rows, 19, NULL, made);
		for (int q = -1; q <= APSP_MADE_HOPS; q++) {
			double *at = (double *)maker.stats.slots[0].row_values +
				     19 * APSP_N_MADE + q;
			uint32_t *hops = maker.words + maker.at.row_hops + 19;
			bool sums = kinds[k].kind == APSP_DISTANCE_SUM;
			double before = q < 0 ? 0 : *at;
			struct apsp_err err;

			if (q >= 0)
				*at = nextafter(
					before + (q == 0), 2 * before + 1);
			*hops += sums && q == APSP_MADE_HOPS;
			assert_int_equal(
				apsp_made_stats_add(made, &strip, &err),
				q < 0 ? 0 : APSP_EPROOF);
			*hops -= sums && q == APSP_MADE_HOPS;
			if (q >= 0)
				*at = before;
		}
		maker_done(&maker);
		apsp_row_stats_free(made);
		rows_done(&rows);
	}
}

/* Where the host makes them: on CPUs, of distances that may be negative, of
   path sums that the host makes, without float64, where source blocks are kept;
   and on devices that pass over all of the above. */
static void test_on_host(void **state)
{
	const struct device_fixture *fixture = *state;
	const bool can = !passed_over_row_kernels(&fixture->device);
	static int64_t potentials[10];
	uint64_t seed = 8;

	for (int what = 0; what < 6; what++) {
		const struct kind *kind = &kinds[what == 3 ? N_KINDS - 1 : 1];
		struct apsp_device device = fixture->device;
		const struct apsp_stats_rows made = {
			.device = &device, .v = APSP_ELEMENT_I32, .n_rows = 10};
		struct apsp_stats_device out;
		struct apsp_row_stats *stats;
		struct rows rows;

		rows_make(&rows, kind, 10, 10, &seed);
		device.tuning = apsp_tuning_find("", what != 1, NULL);
		if (what == 2)
			rows.integers.potentials = potentials;
		device.info.has_double &= what != 4;
		stats = stats_new(&rows);
		if (what == 5)
			apsp_stats_pieces_keep(stats);
		assert_int_equal(
			apsp_stats_device_open(&made, stats, &out, NULL), 0);
		assert_true((out.begin != NULL) == (what == 0 && can));
		apsp_stats_device_done(&out);
		apsp_row_stats_free(stats);
		rows_done(&rows);
	}
}

static size_t size_of(cl_mem buffer)
{
	size_t size = 0;

	assert_int_equal(clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof(size),
				 &size, NULL),
		CL_SUCCESS);
	return size;
}

/* Plans count what is taken on the device and, twice, on the host. */
static void test_bytes(void **state)
{
	const struct device_fixture *fixture = *state;
	struct apsp_device own = fixture->device;
	const struct apsp_tuning *tuning = apsp_tuning_find("", true, NULL);
	const struct kind *kind = &kinds[1];
	const uint32_t n = 300;
	uint64_t row = n * (apsp_element_size(kind->element) +
				   apsp_element_size(apsp_index_element(n)));
	const struct apsp_workload work = {.n_vertices = n,
		.n_arcs = n,
		.element = kind->element,
		.distance = kind->element};
	uint32_t n_rows = (uint32_t)(apsp_download_bytes(&work, tuning) / row);
	uint64_t seed = 9, host, device, pinned[APSP_DOWNLOAD_PINNED];
	struct apsp_row_stats *stats;
	struct maker maker;
	struct rows rows;

	if (passed_over_row_kernels(&fixture->device))
		return;
	rows_make(&rows, kind, n, n_rows, &seed);
	stats = stats_new(&rows);
	own.pinned = NULL; /* whose buffers may be larger */
	maker_open(&maker, &own, &rows, stats);
	host = malloc_usable_size(maker.stats.column_values);
	apsp_download_pinned(&work, tuning, pinned);
	device = size_of(maker.stats.left) + size_of(maker.stats.columns);
	for (int s = 0; s < APSP_READBACK_SLOTS; s++) {
		const struct apsp_stats_slot *slot = &maker.stats.slots[s];

		assert_int_equal(size_of(slot->host_words), pinned[2 * s]);
		assert_int_equal(size_of(slot->host_rows), pinned[2 * s + 1]);
		device += size_of(slot->words) + size_of(slot->rows);
	}
	assert_int_equal(device, apsp_stats_device_bytes(&work, tuning));
	/* malloc() may give a little more than it was asked for */
	assert_in_range(host - apsp_stats_host_bytes(n, tuning), 0, 64);
	maker_done(&maker);
	apsp_row_stats_free(stats);
	rows_done(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_left),
		cmocka_unit_test(test_wrong_row),
		cmocka_unit_test(test_on_host),
		cmocka_unit_test(test_bytes),
	};

	return cmocka_run_group_tests(
		tests, device_fixture_setup, device_fixture_teardown);
}
