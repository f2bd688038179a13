/*
 * Insertion sort for short rows, radix sort for long ones; see row_sort.h.
 */
#include "compute/graph/row_sort.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "compute/graph/counting_sort.h"
#include "compute/parallel.h"
#include "daemon/base/auto.h"

enum {
	SHORT = 48, /* arcs; up to this length insertion is faster */
	ROWS = 128, /* sorted by a thread at a time */
	DIGIT_BITS = 8,
	DIGITS = 1 << DIGIT_BITS,
};

/* One row, or memory for a copy of one. */
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
	uint64_t places[DIGITS + 2] = {0};

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

/* Radix sort, from the lowest digit to the highest that heads have. */
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

/* All rows, shared by the threads. */
struct rows {
	uint32_t n_vertices;
	const uint64_t *offsets;
	uint32_t *heads;
	double *weights;
	atomic_uint_least64_t missed; /* arcs of a row that got no memory */
};

static bool row_sort(struct rows *rows, uint32_t v)
{
	APSP_AUTO(row_free) struct row room = {0};
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
	sort_by_digits(&row, &room, n, rows->n_vertices);
	return true;
}

static void block_sort(void *ctx, unsigned int thread, size_t block)
{
	struct rows *rows = ctx;
	uint32_t n = rows->n_vertices, v = (uint32_t)block * ROWS;

	(void)thread;
	for (uint32_t end = n - v < ROWS ? n : v + ROWS; v < end; v++)
		if (!row_sort(rows, v))
			atomic_store(&rows->missed,
				rows->offsets[v + 1] - rows->offsets[v]);
}

int apsp_row_sort(uint32_t n_vertices, const uint64_t *offsets, uint32_t *heads,
	double *weights, struct apsp_err *err)
{
	struct rows rows = {.n_vertices = n_vertices,
		.offsets = offsets,
		.heads = heads,
		.weights = weights};
	uint64_t missed;

	apsp_parallel_for(((size_t)n_vertices + ROWS - 1) / ROWS,
		apsp_parallel_width(), block_sort, &rows);
	missed = atomic_load(&rows.missed);
	if (missed > 0)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory to sort a row of %llu arcs",
			(unsigned long long)missed);
	return 0;
}
