/*
 * Statistics that several processes have added, joined by pieces: the same bits
 * as from one process, for every kind of distance, numbers of processes and
 * ways to cut windows into strips; pieces that are missing or out of order.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "compute/source_block.h"
#include "compute/statistics/stats_pieces.h"
#include "tests/stat_rows.h"

enum {
	N = STAT_ROWS_N,
	ROWS = 64, /* of a source block */
	BLOCKS = (N + ROWS - 1) / ROWS,
	RANKS = 3, /* at most */
	THREADS = 2,
};

struct result {
	double vertices[APSP_N_VERTEX_STATS * N];
	struct apsp_histogram histograms[2];
};

static struct stat_rows x;

static struct apsp_row_stats *stats_new(void)
{
	struct apsp_row_stats *stats = NULL;

	assert_int_equal(apsp_row_stats_new(&x.lengths, &x.integers, x.element,
				 THREADS, &stats, NULL),
		0);
	return stats;
}

static int strip_add(struct apsp_row_stats *stats, uint32_t first,
	uint32_t n_rows, struct apsp_err *err)
{
	const struct apsp_row_strip strip = {.first = first,
		.n_rows = n_rows,
		.distances = x.rows +
			     (size_t)first * N * apsp_element_size(x.element),
		.predecessors = x.tails + (size_t)first * N};

	for (uint32_t r = 0; r < n_rows; r++)
		stat_rows_hops(&x, stats, first + r);
	return apsp_row_stats_rows(stats, &strip, NULL, err);
}

/* Add the sources from `first` to `end`, in strips of `together` rows. */
static void window_add(struct apsp_row_stats *stats, uint32_t first,
	uint32_t end, uint32_t together)
{
	struct apsp_err err = {0};

	for (; first < end; first += together)
		if (strip_add(stats, first,
			    end - first < together ? end - first : together,
			    &err) != 0)
			fail_msg("%s", err.message);
}

static void finish(struct apsp_row_stats *stats, struct result *out)
{
	const double *vertices;
	struct apsp_err err = {0};

	if (apsp_row_stats_finish(stats, &x.components, x.n_reachable,
		    &vertices, out->histograms, &err) != 0)
		fail_msg("%s", err.message);
	memcpy(out->vertices, vertices, sizeof(out->vertices));
}

/* Move a piece in memory of its own size, where a sanitizer sees both ends pass
   it. What the piece does not fill would be seen. */
static int piece_move(struct apsp_row_stats *from, uint32_t piece,
	struct apsp_row_stats *to, struct apsp_err *err)
{
	struct apsp_message message = {.bytes = NULL}, received;
	size_t most = (4 * N + 5000) * sizeof(double);
	int r;

	memset(apsp_message_extend(&message, most), 0xa5, most);
	message.size = 0;
	r = apsp_stats_piece_give(from, piece, &message, err);
	if (r == 0) {
		assert_in_range(message.size, 1, most);
		received = message;
		received.bytes = malloc(message.size);
		memcpy(received.bytes, message.bytes, message.size);
		r = apsp_stats_piece_take(to, piece, &received, err);
		assert_int_equal(received.at, message.size);
		free(received.bytes);
	}
	apsp_message_done(&message);
	return r;
}

/* The process that has a block, if windows of `blocks` blocks are dealt out. */
static uint32_t rank_of(uint32_t block, uint32_t blocks, uint32_t n_ranks)
{
	return block / blocks % n_ranks;
}

static void ranks_run(uint32_t n_ranks, uint32_t blocks, uint32_t together,
	bool last_first, struct result *out)
{
	struct apsp_row_stats *ranks[RANKS];
	struct apsp_err err = {0};

	for (uint32_t k = 0; k < n_ranks; k++) {
		ranks[k] = stats_new();
		apsp_stats_pieces_keep(ranks[k]);
		for (uint32_t b = 0; b < BLOCKS; b += blocks)
			if (rank_of(b, blocks, n_ranks) == k)
				window_add(ranks[k], b * ROWS,
					b + blocks < BLOCKS
						? (b + blocks) * ROWS
						: N,
					together);
	}
	for (uint32_t k = 1; last_first && k < n_ranks; k++)
		assert_int_equal(
			piece_move(ranks[k], BLOCKS, ranks[0], &err), 0);
	for (uint32_t b = 0; b < BLOCKS; b++) {
		uint32_t k = rank_of(b, blocks, n_ranks);

		if (k > 0 && piece_move(ranks[k], b, ranks[0], &err) != 0)
			fail_msg("%s", err.message);
	}
	for (uint32_t k = n_ranks; !last_first && k-- > 1;)
		assert_int_equal(
			piece_move(ranks[k], BLOCKS, ranks[0], &err), 0);
	finish(ranks[0], out);
	for (uint32_t k = 0; k < n_ranks; k++)
		apsp_row_stats_free(ranks[k]);
}

static void test_same_bits(void **state)
{
	static const struct {
		uint32_t ranks, blocks, together;
	} ways[] = {
		{1, 1, 64}, {1, 3, 50}, {2, 1, 7}, {2, 2, 100}, {3, 1, 64},
		{3, 3, 150},
		{3, 4, 192}, /* rank 0 has two blocks at the end of the table */
	};
	static struct result one, joined;

	(void)state;
	assert_int_equal(apsp_source_blocks(N), BLOCKS);
	for (size_t k = 0; k < STAT_ROWS_KINDS; k++) {
		struct apsp_row_stats *stats;

		stat_rows_make(&x, &stat_rows_kinds[k]);
		stats = stats_new();
		window_add(stats, 0, N, 90);
		finish(stats, &one);
		apsp_row_stats_free(stats);
		for (size_t w = 0; w < sizeof(ways) / sizeof(*ways); w++) {
			ranks_run(ways[w].ranks, ways[w].blocks,
				ways[w].together, w % 2, &joined);
			if (memcmp(&one, &joined, sizeof(one)) != 0)
				fail_msg("kind %zu, way %zu", k, w);
		}
	}
}

/* A process without rows takes everything. */
static void test_no_rows(void **state)
{
	static struct result one, joined;
	struct apsp_row_stats *all, *none;
	struct apsp_err err;

	(void)state;
	stat_rows_make(&x, &stat_rows_kinds[STAT_ROWS_KINDS - 1]);
	all = stats_new();
	none = stats_new();
	apsp_stats_pieces_keep(all);
	apsp_stats_pieces_keep(none);
	window_add(all, 0, N, N);
	/* the last piece counts nothing twice if it is given twice */
	for (uint32_t piece = 0; piece <= BLOCKS; piece++) {
		struct apsp_message message = {.bytes = NULL};

		assert_int_equal(
			apsp_stats_piece_give(all, piece, &message, &err), 0);
		apsp_message_done(&message);
		assert_int_equal(piece_move(all, piece, none, &err), 0);
	}
	finish(all, &one);
	finish(none, &joined);
	assert_memory_equal(&one, &joined, sizeof(one));
	apsp_row_stats_free(all);
	apsp_row_stats_free(none);
}

/* Blocks that are missing, late or not whole. */
static void test_order(void **state)
{
	static struct result result;
	struct apsp_row_stats *a, *b;
	const double *vertices;
	struct apsp_err err;

	(void)state;
	stat_rows_make(&x, &stat_rows_kinds[0]);
	a = stats_new();
	b = stats_new();
	apsp_stats_pieces_keep(a);
	apsp_stats_pieces_keep(b);
	window_add(a, 0, 2 * ROWS, 50);
	window_add(a, 4 * ROWS, N, 50);
	window_add(b, 2 * ROWS, 4 * ROWS, 50);
	/* rows that were added, and rows within a block */
	assert_int_equal(strip_add(b, ROWS, ROWS, &err), APSP_EBUG);
	assert_int_equal(strip_add(b, 5 * ROWS + 1, ROWS, &err), APSP_EBUG);
	/* a block that b does not have */
	assert_int_equal(piece_move(b, 1, a, &err), APSP_EBUG);
	/* blocks 2 and 3 are missing, then only block 2 */
	assert_int_equal(apsp_row_stats_finish(a, &x.components, x.n_reachable,
				 &vertices, result.histograms, &err),
		APSP_EBUG);
	assert_non_null(strstr(err.message, "block 2 "));
	assert_int_equal(piece_move(b, 3, a, &err), APSP_EBUG);
	assert_int_equal(piece_move(b, 2, a, &err), 0);
	/* twice */
	assert_int_equal(piece_move(b, 2, a, &err), APSP_EBUG);
	assert_int_equal(piece_move(b, 3, a, &err), 0);
	/* a block of its own */
	assert_int_equal(piece_move(a, 4, a, &err), APSP_EBUG);
	/* without the last piece the counts of columns are too small */
	assert_int_equal(apsp_row_stats_finish(a, &x.components, x.n_reachable,
				 &vertices, result.histograms, &err),
		APSP_EPROOF);
	assert_int_equal(piece_move(b, BLOCKS, a, &err), 0);
	finish(a, &result);
	apsp_row_stats_free(a);
	apsp_row_stats_free(b);
}

/* A window that ends within a block. */
static void test_gap(void **state)
{
	struct apsp_row_stats *stats;
	struct apsp_err err;

	(void)state;
	stat_rows_make(&x, &stat_rows_kinds[0]);
	stats = stats_new();
	apsp_stats_pieces_keep(stats);
	window_add(stats, 0, ROWS + 1, N);
	assert_int_equal(strip_add(stats, 2 * ROWS, ROWS, &err), APSP_EBUG);
	assert_int_equal(strip_add(stats, ROWS + 1, ROWS - 1, &err), 0);
	assert_int_equal(strip_add(stats, 2 * ROWS, ROWS, &err), 0);
	apsp_row_stats_free(stats);
}

/* Histograms that no process has. */
static void test_histogram(void **state)
{
	struct apsp_row_stats *stats;
	struct apsp_err err;

	(void)state;
	stat_rows_make(&x, &stat_rows_kinds[0]);
	stats = stats_new();
	apsp_stats_pieces_keep(stats);
	for (int what = 0; what < 6; what++) {
		struct apsp_message message = {.bytes = NULL};
		struct apsp_last_piece *piece;
		struct apsp_histogram *h;

		assert_int_equal(
			apsp_stats_piece_give(stats, BLOCKS, &message, &err),
			0);
		piece = (struct apsp_last_piece *)message.bytes;
		h = &piece->histograms[what % 2];
		h->first += what / 2 == 0;
		h->width = what / 2 == 1   ? (double)NAN
			   : what / 2 == 2 ? 3
					   : h->width;
		assert_int_equal(
			apsp_stats_piece_take(stats, BLOCKS, &message, &err),
			APSP_EPROOF);
		apsp_message_done(&message);
	}
	apsp_row_stats_free(stats);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_bits),
		cmocka_unit_test(test_no_rows),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_gap),
		cmocka_unit_test(test_histogram),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
