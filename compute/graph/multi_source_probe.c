/*
 * kernels/multi_source_cpu.cl in plain C, for few sources; see
 * multi_source_probe.h.
 */
#include "compute/graph/multi_source_probe.h"

#include <stdlib.h>

#include "compute/graph/useless_arcs.h"
#include "compute/parallel.h"
#include "compute/wide.h"
#include "daemon/base/auto.h"

enum {
	LANES = 4,
	PLACES = 3,	  /* batches, spread evenly over the positions */
	VISITS_MAX = 100, /* of an arc: enough to call the work too much */
	WORD_BITS = 64,
	TAILS = 64, /* a thread takes at a time */
};

/* Graphs of more arcs get one batch only: it takes most of a second. */
#define ARCS_MANY 1000000

#define NOWHERE 1e300

/* Lengths are whole numbers up to 2^53, which doubles hold, and processors have
   minima of doubles, but few of 64-bit integers. */
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));
typedef int64_t marks __attribute__((vector_size(LANES * sizeof(int64_t))));

/* The arcs that are pushed over: rows by the tail's position, so that a sweep
   reads them in the order in which they lie. */
struct rows {
	uint64_t *offsets;
	uint32_t *heads; /* positions */
	double *values;
};

/* The scratch of one batch. */
struct sweeps {
	const struct rows *rows;
	uint32_t n;
	lanes *d; /* by position */
	uint64_t *dirty;
	uint64_t n_words;
	uint64_t most; /* visits */
	uint64_t visits;
};

/* All batches. */
struct probe {
	struct rows rows;
	uint32_t places;
	struct sweeps sweeps[PLACES];
};

static void probe_done(struct probe *probe)
{
	for (uint32_t p = 0; p < PLACES; p++) {
		free(probe->sweeps[p].d);
		free(probe->sweeps[p].dirty);
	}
	free(probe->rows.offsets);
	free(probe->rows.heads);
	free(probe->rows.values);
}

static int no_memory(const struct apsp_lengths *lengths, struct apsp_err *err)
{
	return apsp_fail(err, APSP_ENOMEM,
		"no memory to count the sweeps over %u vertices",
		lengths->n_vertices);
}

/* Which arcs become rows, for the threads. */
struct filling {
	const struct apsp_lengths *lengths;
	const struct apsp_integers *integers;
	const struct apsp_positions *positions;
	const uint8_t *useless; /* of each arc; NULL: none is */
	struct rows *rows;
};

static bool is_used(const struct filling *f, uint64_t arc)
{
	return !f->useless || !f->useless[arc];
}

/* Leave the number of arcs where the row's end belongs. */
static void row_count(const struct filling *f, uint32_t at)
{
	uint32_t u = f->positions->vertices[at];
	uint64_t n = 0;

	for (uint64_t e = f->lengths->offsets[u];
		e < f->lengths->offsets[u + 1]; e++)
		n += is_used(f, e);
	f->rows->offsets[at + 1] = n;
}

static void row_fill(const struct filling *f, uint32_t at)
{
	const struct apsp_lengths *lengths = f->lengths;
	uint32_t u = f->positions->vertices[at];
	uint64_t to = f->rows->offsets[at];

	for (uint64_t e = lengths->offsets[u]; e < lengths->offsets[u + 1];
		e++) {
		if (!is_used(f, e))
			continue;
		f->rows->heads[to] = f->positions->of[lengths->heads[e]];
		f->rows->values[to++] =
			(double)apsp_integers_at(lengths, f->integers, u, e);
	}
}

static void rows_count(void *ctx, unsigned int thread, size_t block)
{
	const struct filling *f = ctx;
	uint32_t n = f->lengths->n_vertices, at = (uint32_t)block * TAILS;

	(void)thread;
	for (uint32_t end = n - at < TAILS ? n : at + TAILS; at < end; at++)
		row_count(f, at);
}

static void rows_fill(void *ctx, unsigned int thread, size_t block)
{
	const struct filling *f = ctx;
	uint32_t n = f->lengths->n_vertices, at = (uint32_t)block * TAILS;

	(void)thread;
	for (uint32_t end = n - at < TAILS ? n : at + TAILS; at < end; at++)
		row_fill(f, at);
}

static int rows_init(struct filling *f, struct apsp_err *err)
{
	uint32_t n = f->lengths->n_vertices;
	size_t n_blocks = ((size_t)n + TAILS - 1) / TAILS;
	struct rows *rows = f->rows;

	rows->offsets = calloc((size_t)n + 1, sizeof(*rows->offsets));
	if (!rows->offsets)
		return no_memory(f->lengths, err);
	apsp_parallel_for(n_blocks, apsp_parallel_width(), rows_count, f);
	for (uint32_t at = 0; at < n; at++)
		rows->offsets[at + 1] += rows->offsets[at];
	rows->heads = malloc((rows->offsets[n] + 1) * sizeof(*rows->heads));
	rows->values = malloc((rows->offsets[n] + 1) * sizeof(*rows->values));
	if (!rows->heads || !rows->values)
		return no_memory(f->lengths, err);
	apsp_parallel_for(n_blocks, apsp_parallel_width(), rows_fill, f);
	return 0;
}

static int sweeps_init(struct sweeps *s, const struct rows *rows,
	const struct apsp_lengths *lengths, struct apsp_err *err)
{
	uint64_t n = lengths->n_vertices;

	s->rows = rows;
	s->n = lengths->n_vertices;
	s->most = lengths->n_arcs * VISITS_MAX;
	s->n_words = n / WORD_BITS + 1;
	s->d = aligned_alloc(sizeof(*s->d), (n + 1) * sizeof(*s->d));
	s->dirty = calloc(s->n_words, sizeof(*s->dirty));
	return s->d && s->dirty ? 0 : no_memory(lengths, err);
}

static void begin(struct sweeps *s, uint32_t first)
{
	uint32_t n = s->n;

	for (uint32_t at = 0; at < n; at++)
		for (int lane = 0; lane < LANES; lane++)
			s->d[at][lane] = NOWHERE;
	for (uint32_t lane = 0; lane < LANES && first + lane < n; lane++) {
		uint32_t at = first + lane;

		s->d[at][lane] = 0;
		s->dirty[at / WORD_BITS] |= UINT64_C(1) << (at % WORD_BITS);
	}
}

static APSP_INLINE void push(struct sweeps *s, uint32_t at)
{
	const struct rows *rows = s->rows;
	uint64_t first = rows->offsets[at], end = rows->offsets[at + 1];
	const lanes from = s->d[at];

	for (uint64_t e = first; e < end; e++) {
		uint32_t to = rows->heads[e];
		lanes sum = from + rows->values[e], old = s->d[to];
		marks less = sum < old;
		uint64_t any = 0;

		s->d[to] = (lanes)((less & (marks)sum) | (~less & (marks)old));
		for (int lane = 0; lane < LANES; lane++)
			any |= (uint64_t)less[lane];
		s->dirty[to / WORD_BITS] |= (any & 1) << (to % WORD_BITS);
	}
	s->visits += end - first;
}

/* Push the dirty vertices of a word, in the sweep's direction. False: none. */
static APSP_INLINE bool word_sweep(
	struct sweeps *s, uint64_t word, bool backward)
{
	uint64_t ahead = UINT64_MAX, found;
	bool met = false;

	while ((found = s->dirty[word] & ahead) != 0) {
		int bit = backward ? 63 - __builtin_clzll(found)
				   : __builtin_ctzll(found);
		uint64_t below = (UINT64_C(1) << bit) - 1;

		s->dirty[word] &= ~(UINT64_C(1) << bit);
		ahead = backward ? below : ~below - (UINT64_C(1) << bit);
		push(s, (uint32_t)(word * WORD_BITS) + (uint32_t)bit);
		met = true;
	}
	return met;
}

APSP_WIDE static void batch(struct sweeps *s, uint32_t first)
{
	bool met = true;

	begin(s, first);
	for (bool backward = false; met && s->visits < s->most;
		backward = !backward) {
		met = false;
		for (uint64_t w = 0; w < s->n_words; w++)
			met |= word_sweep(
				s, backward ? s->n_words - 1 - w : w, backward);
	}
}

static void place_count(void *ctx, unsigned int thread, size_t p)
{
	struct probe *probe = ctx;
	struct sweeps *s = &probe->sweeps[p];
	uint64_t n = s->n;

	(void)thread;
	batch(s, (uint32_t)(n * (2 * p + 1) / (2 * probe->places)));
}

/* Find the rows that a solve would go over. */
static int rows_find(struct filling *f, const struct apsp_root_paths *paths,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_free) void *useless = NULL;
	int r = 0;

	if (paths && apsp_useless_arcs_pay(f->lengths, f->integers)) {
		useless = malloc(f->lengths->n_arcs + 1);
		r = useless ? apsp_useless_arcs_by_root(f->lengths, f->integers,
				      paths, useless, err)
			    : no_memory(f->lengths, err);
		f->useless = useless;
	}
	return r < 0 ? r : rows_init(f, err);
}

int apsp_multi_source_probe_count(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_positions *positions,
	const struct apsp_root_paths *paths, double *out_visits,
	struct apsp_err *err)
{
	APSP_AUTO(probe_done)
	struct probe probe = {
		.places = lengths->n_arcs > ARCS_MANY ? 1 : PLACES};
	struct filling filling = {.lengths = lengths,
		.integers = integers,
		.positions = positions,
		.rows = &probe.rows};
	uint64_t visits = 0;
	int r = rows_find(&filling, paths, err);

	for (uint32_t p = 0; r >= 0 && p < probe.places; p++)
		r = sweeps_init(&probe.sweeps[p], &probe.rows, lengths, err);
	if (r < 0)
		return r;
	apsp_parallel_for(
		probe.places, apsp_parallel_width(), place_count, &probe);
	for (uint32_t p = 0; p < probe.places; p++)
		visits += probe.sweeps[p].visits;
	*out_visits = (double)visits / probe.places;
	return 0;
}
