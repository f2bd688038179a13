/*
 * Sorts arcs by tail with a counting sort. Then sorts the arcs of each row by
 * head: short rows by insertion, long rows by radix sort. Then checks the rows
 * by comparing sums over all arcs; see arc_rows.h.
 */
#include "compute/graph/arc_rows.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "compute/graph/counting_sort.h"
#include "compute/graph/split_sort.h"
#include "compute/parallel.h"
#include "daemon/base/auto.h"
#include "daemon/job/profile_domain.h"

enum {
	/* Rows of up to this number of arcs are sorted by insertion. For short
	   rows, insertion is faster than radix sort. */
	SHORT = 48,
	ROWS_SORTED = 128,    /* number of rows that one task sorts */
	ROWS_SUMMED = 1 << 9, /* number of rows that one task sums
				 (rows_add()) */
	/* number of uploaded arcs that one task sums (file_add()) */
	ARCS = 1 << 16,
	DIGIT_BITS = 8,
	DIGITS = 1 << DIGIT_BITS,
};

static int out_of_memory(const struct apsp_graph *graph, struct apsp_err *err)
{
	return apsp_fail(err, APSP_ENOMEM,
		"no memory for the rows of %llu arcs",
		(unsigned long long)graph->n_arcs);
}

/* The sums that apsp_arc_rows_check() compares; all threads add to them.
   `n_file` is the number of uploaded arcs that are not dropped, and `file` is
   the sum of mix() over these arcs. `of_rows` is the sum of mix() over the arcs
   of the rows. Sums are modulo 2^64. */
struct summing {
	const struct apsp_graph *graph;
	const struct apsp_arc_rows *rows;
	_Atomic uint64_t n_file, file, of_rows;
};

/*
 * Mix the tail, head and weight of an arc into one number. The check compares
 * sums of these numbers, because plain sums of tails, heads and weights would
 * not change if two arcs swapped their weights or heads.
 */
static uint64_t mix(uint32_t from, uint32_t to, double weight)
{
	uint64_t bits, x;

	memcpy(&bits, &weight, sizeof(bits));
	x = (((uint64_t)from << 32 | to) + 1) * UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ bits) * UINT64_C(0xd6e8feb86659fd93);
	return (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
}

static void file_add(void *ctx, unsigned int thread, size_t block)
{
	struct summing *s = ctx;
	const struct apsp_graph *graph = s->graph;
	uint64_t first = (uint64_t)block * ARCS, n = 0, sum = 0;
	uint64_t end =
		graph->n_arcs - first < ARCS ? graph->n_arcs : first + ARCS;
	struct apsp_arc_window window = {first, first, end};

	(void)thread;
	while (apsp_graph_window_next(graph, &window))
		for (uint64_t a = window.first; a < window.end; a++) {
			const struct apsp_arc *arc = &graph->arcs[a];

			if (apsp_profile_drops(&graph->profile, arc->weight))
				continue;
			sum += mix(arc->from, arc->to, arc->weight);
			n++;
		}
	atomic_fetch_add(&s->file, sum);
	atomic_fetch_add(&s->n_file, n);
}

static void rows_add(void *ctx, unsigned int thread, size_t block)
{
	struct summing *s = ctx;
	const struct apsp_arc_rows *rows = s->rows;
	uint32_t n = s->graph->n_vertices, v = (uint32_t)block * ROWS_SUMMED;
	uint32_t end = n - v < ROWS_SUMMED ? n : v + ROWS_SUMMED;
	uint64_t sum = 0;

	(void)thread;
	for (; v < end; v++)
		for (uint64_t a = rows->offsets[v]; a < rows->offsets[v + 1];
			a++)
			sum += mix(v, rows->heads[a], rows->weights[a]);
	atomic_fetch_add(&s->of_rows, sum);
}

int apsp_arc_rows_check(const struct apsp_graph *graph,
	const struct apsp_arc_rows *rows, struct apsp_err *err)
{
	size_t n = graph->n_vertices;
	struct summing s = {.graph = graph, .rows = rows};
	unsigned int width = apsp_parallel_processors();

	apsp_parallel_for((size_t)((graph->n_arcs + ARCS - 1) / ARCS), width,
		file_add, &s);
	if (s.n_file == rows->offsets[n])
		apsp_parallel_for((n + ROWS_SUMMED - 1) / ROWS_SUMMED, width,
			rows_add, &s);
	if (s.n_file == rows->offsets[n] && s.file == s.of_rows)
		return 0;
	return apsp_fail(err, APSP_EPROOF,
		"the rows that were sorted have %llu arcs, and the graph's "
		"file has %llu, or others",
		(unsigned long long)rows->offsets[n],
		(unsigned long long)s.n_file);
}

/* The heads and weights of the arcs in one row, or a copy of them. The arrays
   of the row itself are parts of the arrays of struct apsp_arc_rows. */
struct row {
	uint32_t *heads;
	double *weights;
};

static void row_free(struct row *row)
{
	free(row->heads);
	free(row->weights);
}

static bool is_sorted(const struct row *row, uint64_t n)
{
	for (uint64_t i = 1; i < n; i++)
		if (row->heads[i] < row->heads[i - 1])
			return false;
	return true;
}

static void insert_all(const struct row *row, uint64_t n)
{
	for (uint64_t i = 1; i < n; i++) {
		uint32_t head = row->heads[i];
		double weight = row->weights[i];
		uint64_t at = i;

		for (; at > 0 && row->heads[at - 1] > head; at--) {
			row->heads[at] = row->heads[at - 1];
			row->weights[at] = row->weights[at - 1];
		}
		row->heads[at] = head;
		row->weights[at] = weight;
	}
}

static void sort_by_digit(
	const struct row *in, const struct row *out, uint64_t n, int shift)
{
	uint32_t places[DIGITS + 2] = {0};

	for (uint64_t i = 0; i < n; i++)
		apsp_counting_sort_count(
			places, (in->heads[i] >> shift) % DIGITS);
	apsp_counting_sort_sum(places, DIGITS);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t at = apsp_counting_sort_place(
			places, (in->heads[i] >> shift) % DIGITS);

		out->heads[at] = in->heads[i];
		out->weights[at] = in->weights[i];
	}
}

/* Sort a row by head with a radix sort, from the lowest digit of the vertex
   numbers to the highest digit. `room` is memory for a copy of the row. */
static void sort_by_digits(const struct row *row, const struct row *room,
	uint64_t n, uint32_t n_vertices)
{
	const struct row *from = row, *to = room;

	for (int shift = 0; shift < 32 && (n_vertices - 1) >> shift > 0;
		shift += DIGIT_BITS) {
		const struct row *sorted = to;

		sort_by_digit(from, to, n, shift);
		to = from;
		from = sorted;
	}
	if (from == row)
		return;
	memcpy(row->heads, from->heads, n * sizeof(*row->heads));
	memcpy(row->weights, from->weights, n * sizeof(*row->weights));
}

/* The state of sorting all rows; shared by the threads. */
struct row_sorting {
	uint32_t n_vertices;
	const struct apsp_arc_rows *rows;
	/* 0 if every row was sorted. If there was no memory to sort some row,
	   the number of arcs of that row. */
	atomic_uint_least64_t missed;
};

/* Sort the arcs of row v by head. The sort is stable. A row that is already
   sorted is read once and not changed. Any other row takes linear time. Returns
   false if there is no memory for a copy of the row. */
static bool row_sort(const struct row_sorting *sorting, uint32_t v)
{
	APSP_AUTO(row_free) struct row room = {0};
	const struct apsp_arc_rows *rows = sorting->rows;
	const struct row row = {rows->heads + rows->offsets[v],
		rows->weights + rows->offsets[v]};
	uint64_t n = rows->offsets[v + 1] - rows->offsets[v];

	if (is_sorted(&row, n))
		return true;
	if (n <= SHORT) {
		insert_all(&row, n);
		return true;
	}
	room.heads = malloc(n * sizeof(*room.heads));
	room.weights = malloc(n * sizeof(*room.weights));
	if (!room.heads || !room.weights)
		return false;
	sort_by_digits(&row, &room, n, sorting->n_vertices);
	return true;
}

static void block_sort(void *ctx, unsigned int thread, size_t block)
{
	struct row_sorting *sorting = ctx;
	const uint64_t *offsets = sorting->rows->offsets;
	uint32_t n = sorting->n_vertices, v = (uint32_t)block * ROWS_SORTED;

	(void)thread;
	for (uint32_t end = n - v < ROWS_SORTED ? n : v + ROWS_SORTED; v < end;
		v++)
		if (!row_sort(sorting, v))
			atomic_store(
				&sorting->missed, offsets[v + 1] - offsets[v]);
}

/* The state of the counting sort by tail; shared by the threads. */
struct sorting {
	const struct apsp_graph *graph;
	struct apsp_split_sort sort;
	struct apsp_arc_rows rows; /* owned */
	/* an end of some arc is no vertex of the graph */
	atomic_bool damaged;
};

static void sorting_done(struct sorting *sorting)
{
	apsp_split_sort_done(&sorting->sort);
	free(sorting->rows.offsets);
	free(sorting->rows.heads);
	free(sorting->rows.weights);
}

/* Whether both ends of the arc are vertices of the graph. */
static bool is_inside(
	const struct apsp_graph *graph, const struct apsp_arc *arc)
{
	return arc->from < graph->n_vertices && arc->to < graph->n_vertices;
}

/* Fail because an end of some arc is no vertex; name the first such arc. */
static int damage_report(const struct apsp_graph *graph, struct apsp_err *err)
{
	uint64_t a = 0;

	/* a failing disk may give other bytes than before */
	while (a < graph->n_arcs - 1 && is_inside(graph, &graph->arcs[a]))
		a++;
	return apsp_fail(err, APSP_EDATA,
		"the graph file's arc %" PRIu64 " goes from %" PRIu32
		" to %" PRIu32 " among %" PRIu32 " vertices",
		a, graph->arcs[a].from, graph->arcs[a].to, graph->n_vertices);
}

static void part_count(
	void *ctx, uint64_t *places, uint64_t first, uint64_t end)
{
	struct sorting *sorting = ctx;
	const struct apsp_graph *graph = sorting->graph;
	struct apsp_arc_window window = {first, first, end};

	while (apsp_graph_window_next(graph, &window))
		for (uint64_t a = window.first; a < window.end; a++) {
			const struct apsp_arc *arc = &graph->arcs[a];

			if (!is_inside(graph, arc))
				atomic_store(&sorting->damaged, true);
			else
				places[arc->from] += !apsp_profile_drops(
					&graph->profile, arc->weight);
		}
}

static void part_place(
	void *ctx, uint64_t *places, uint64_t first, uint64_t end)
{
	const struct sorting *sorting = ctx;
	const struct apsp_graph *graph = sorting->graph;
	struct apsp_arc_window window = {first, first, end};

	while (apsp_graph_window_next(graph, &window))
		for (uint64_t a = window.first; a < window.end; a++) {
			const struct apsp_arc *arc = &graph->arcs[a];
			uint64_t place;

			if (apsp_profile_drops(&graph->profile, arc->weight))
				continue;
			place = places[arc->from]++;
			sorting->rows.heads[place] = arc->to;
			sorting->rows.weights[place] = arc->weight;
		}
}

/* The uploaded arcs are read by apsp_graph_window_next(), which releases each
   of their pages from memory after it has been read. */
int apsp_arc_rows_sort(const struct apsp_graph *graph,
	struct apsp_arc_rows *out, struct apsp_err *err)
{
	APSP_AUTO(sorting_done) struct sorting sorting = {.graph = graph};
	struct apsp_arc_rows *rows = &sorting.rows;
	struct row_sorting by_head = {
		.n_vertices = graph->n_vertices, .rows = rows};
	size_t n = graph->n_vertices;
	uint64_t missed;
	int r;

	rows->offsets = malloc((n + 1) * sizeof(*rows->offsets));
	if (!rows->offsets)
		return out_of_memory(graph, err);
	r = apsp_split_sort_count(&sorting.sort, graph->n_arcs, n, part_count,
		&sorting, rows->offsets, err);
	if (r == 0 && atomic_load(&sorting.damaged))
		r = damage_report(graph, err);
	if (r < 0)
		return r;
	rows->heads = malloc((rows->offsets[n] + 1) * sizeof(*rows->heads));
	rows->weights = malloc((rows->offsets[n] + 1) * sizeof(*rows->weights));
	if (!rows->heads || !rows->weights)
		return out_of_memory(graph, err);
	apsp_split_sort_visit(&sorting.sort, part_place, &sorting);
	apsp_parallel_for((n + ROWS_SORTED - 1) / ROWS_SORTED,
		apsp_parallel_processors(), block_sort, &by_head);
	missed = atomic_load(&by_head.missed);
	if (missed > 0)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory to sort a row of %llu arcs",
			(unsigned long long)missed);
	r = apsp_arc_rows_check(graph, rows, err);
	if (r >= 0)
		*out = APSP_TAKE(*rows);
	return r;
}
