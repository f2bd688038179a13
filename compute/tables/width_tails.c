/* Finds the predecessors of rows of widths. A vertex is settled when it needs
   no predecessor or has got one; each predecessor is a vertex that was settled
   earlier; see width_tails.h. */
#include "compute/tables/width_tails.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "compute/graph/in_arcs.h"
#include "compute/parallel.h"
#include "daemon/base/auto.h"

/* The scratch memory of one thread. */
struct hand {
	/* for each vertex, whether it is settled: it needs no predecessor, or
	   has got one */
	uint8_t *settled;
	uint32_t *others; /* the vertices that need a predecessor */
	/* the vertices of `others` that have got a predecessor, in the order in
	   which they got it */
	uint32_t *queue;
};

struct apsp_width_tails {
	const struct apsp_lengths *lengths;
	const struct apsp_root_widths *root;
	unsigned int width; /* number of threads */
	char *rows;	    /* the stored predecessors of all rows */
	uint32_t first;	    /* source of the first row in `rows` */
	const char *values; /* the ranks of widths in all rows */
	struct hand hands[APSP_PARALLEL_MAX];
};

APSP_AUTO_DEFINE(tails_end, struct apsp_width_tails, apsp_width_tails_free);

void apsp_width_tails_free(struct apsp_width_tails *tails)
{
	if (!tails)
		return;
	for (unsigned int t = 0; t < tails->width; t++) {
		free(tails->hands[t].settled);
		free(tails->hands[t].others);
		free(tails->hands[t].queue);
	}
	free(tails->rows);
	free(tails);
}

int apsp_width_tails_new(const struct apsp_lengths *lengths,
	const struct apsp_root_widths *root, uint32_t n_rows,
	struct apsp_width_tails **out, struct apsp_err *err)
{
	APSP_AUTO(tails_end) struct apsp_width_tails *made = NULL;
	size_t n = lengths->n_vertices;
	bool whole;

	made = calloc(1, sizeof(*made));
	whole = made != NULL;
	if (whole) {
		made->lengths = lengths;
		made->root = root;
		made->width = apsp_parallel_processors();
		made->rows =
			malloc(n_rows * n *
					apsp_element_size(
						apsp_in_arcs_element(lengths)) +
				1);
		whole = made->rows != NULL;
	}
	for (unsigned int t = 0; whole && t < made->width; t++) {
		struct hand *hand = &made->hands[t];

		hand->settled = malloc(n + 1);
		hand->others = malloc((n + 1) * sizeof(*hand->others));
		hand->queue = malloc((n + 1) * sizeof(*hand->queue));
		whole = hand->settled && hand->others && hand->queue;
	}
	if (!whole)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory to prove widths of %zu vertices", n);
	*out = APSP_TAKE(made);
	return 0;
}

/* One row of widths (as ranks) and its predecessors. */
struct row {
	const struct apsp_width_tails *tails;
	const void *values;
	char *out;
};

static uint32_t value_at(const struct row *row, uint32_t v)
{
	return apsp_root_widths_at(row->tails->root->element, row->values, v);
}

/* Whether an arc from the vertex `tail` yields the width that the row has for
   `head`. */
static bool yields(
	const struct row *row, uint32_t tail, uint32_t head, uint64_t arc)
{
	uint32_t from = value_at(row, tail);
	uint32_t rank = (uint32_t)row->tails->lengths->lengths[arc];

	return (from > rank ? from : rank) == value_at(row, head);
}

static void rank_store(const struct row *row, uint32_t head, uint32_t rank)
{
	apsp_in_arcs_put(row->tails->lengths, row->out, head, rank);
}

/* Mark two kinds of vertices as settled (they need no predecessor): the source,
   and the vertices whose width in the row is that of the path by way of the
   root (root_widths.h). Store all other vertices in hand->others, and return
   the number of these vertices. */
static uint32_t others_list(
	const struct row *row, const struct hand *hand, uint32_t source)
{
	const struct apsp_root_widths *root = row->tails->root;
	uint32_t to = apsp_root_widths_at(root->element, root->to, source);
	uint32_t n = row->tails->lengths->n_vertices, n_others = 0;

	for (uint32_t j = 0; j < n; j++) {
		uint32_t from =
			apsp_root_widths_at(root->element, root->from, j);
		uint32_t bound = from > to ? from : to;

		hand->settled[j] = j == source || value_at(row, j) == bound;
		hand->others[n_others] = j;
		n_others += !hand->settled[j];
	}
	return n_others;
}

/* Look for a vertex that is settled (needs no predecessor or has got one) and
   from which an arc yields the width of `head` in the row. Store the rank of
   this arc as the predecessor of `head`. False: there is no such arc. */
static bool tail_find(
	const struct row *row, const struct hand *hand, uint32_t head)
{
	const struct apsp_in_arcs *in = &row->tails->lengths->in;

	for (uint64_t at = in->offsets[head]; at < in->offsets[head + 1]; at++)
		if (hand->settled[in->tails[at]] &&
			yields(row, in->tails[at], head, in->arcs[at])) {
			rank_store(
				row, head, (uint32_t)(at - in->offsets[head]));
			return true;
		}
	return false;
}

/* For each arc from `tail` that yields the width of its head in the row: unless
   the head is settled (needs no predecessor, or has got one), store the arc as
   its predecessor, and append the head to the queue. Returns the new number of
   vertices in the queue. */
static uint32_t heads_settle(const struct row *row, const struct hand *hand,
	uint32_t tail, uint32_t n_queued)
{
	const struct apsp_lengths *lengths = row->tails->lengths;

	for (uint64_t e = lengths->offsets[tail];
		e < lengths->offsets[tail + 1]; e++) {
		uint32_t head = lengths->heads[e];

		if (hand->settled[head] || !yields(row, tail, head, e))
			continue;
		rank_store(
			row, head, apsp_in_arcs_rank(&lengths->in, tail, head));
		hand->settled[head] = 1;
		hand->queue[n_queued++] = head;
	}
	return n_queued;
}

static void row_find(void *ctx, unsigned int thread, size_t i)
{
	const struct apsp_width_tails *tails = ctx;
	const struct hand *hand = &tails->hands[thread];
	size_t n = tails->lengths->n_vertices;
	size_t bytes =
		n * apsp_element_size(apsp_in_arcs_element(tails->lengths));
	const struct row row = {.tails = tails,
		.values = tails->values +
			  i * n * apsp_element_size(tails->root->element),
		.out = tails->rows + i * bytes};
	uint32_t n_others = others_list(&row, hand, tails->first + (uint32_t)i);
	uint32_t n_queued = 0;

	/* at first, no vertex has a predecessor: all bits of each element are
	   1 */
	memset(row.out, 0xff, bytes);
	for (uint32_t o = 0; o < n_others; o++)
		if (tail_find(&row, hand, hand->others[o])) {
			hand->settled[hand->others[o]] = 1;
			hand->queue[n_queued++] = hand->others[o];
		}
	for (uint32_t q = 0; q < n_queued; q++)
		n_queued = heads_settle(&row, hand, hand->queue[q], n_queued);
}

const void *apsp_width_tails_find(struct apsp_width_tails *tails,
	uint32_t first, uint32_t n_rows, const void *values)
{
	tails->first = first;
	tails->values = values;
	apsp_parallel_for(n_rows, tails->width, row_find, tails);
	return tails->rows;
}
