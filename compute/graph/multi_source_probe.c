/*
 * kernels/multi_source_cpu.cl in plain C, for few sources; see
 * multi_source_probe.h.
 */
#include "compute/graph/multi_source_probe.h"

#include <stdlib.h>

#include "compute/arc_search.h"
#include "compute/graph/useless_arcs.h"
#include "compute/parallel.h"
#include "compute/wide.h"
#include "daemon/base/auto.h"

enum {
	LANES = 4,
	VISITS_MAX = 100, /* of an arc: enough to call the work too much */
	WORD_BITS = 64,
	TAILS = 64, /* a thread takes at a time */
};

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
struct batches {
	struct rows rows;
	uint32_t places;
	struct sweeps sweeps[APSP_ARC_SEARCH_PROBES];
};

static void batches_done(struct batches *batches)
{
	for (uint32_t p = 0; p < APSP_ARC_SEARCH_PROBES; p++) {
		free(batches->sweeps[p].d);
		free(batches->sweeps[p].dirty);
	}
	free(batches->rows.offsets);
	free(batches->rows.heads);
	free(batches->rows.values);
}

static int no_memory(const struct apsp_lengths *lengths, struct apsp_err *err)
{
	return apsp_fail(err, APSP_ENOMEM,
		"no memory to count the sweeps over %u vertices",
		lengths->n_vertices);
}

/* The arcs that become rows, for the threads. */
struct filling {
	const struct apsp_multi_source_probe *probe;
	struct rows *rows;
};

static bool is_followed(
	const struct apsp_multi_source_probe *probe, uint64_t arc)
{
	return !probe->useless || !probe->useless[arc];
}

static uint64_t n_followed(
	const struct apsp_multi_source_probe *probe, uint32_t u)
{
	uint64_t end = probe->lengths->offsets[u + 1], n = 0;

	for (uint64_t e = probe->lengths->offsets[u]; e < end; e++)
		n += is_followed(probe, e);
	return n;
}

/* Leave the number of arcs where the row's end belongs. */
static void row_count(const struct filling *f, uint32_t at)
{
	f->rows->offsets[at + 1] =
		n_followed(f->probe, f->probe->positions->vertices[at]);
}

static void row_fill(const struct filling *f, uint32_t at)
{
	const struct apsp_multi_source_probe *probe = f->probe;
	const struct apsp_lengths *lengths = probe->lengths;
	uint32_t u = probe->positions->vertices[at];
	uint64_t to = f->rows->offsets[at];

	for (uint64_t e = lengths->offsets[u]; e < lengths->offsets[u + 1];
		e++) {
		if (!is_followed(probe, e))
			continue;
		f->rows->heads[to] = probe->positions->of[lengths->heads[e]];
		f->rows->values[to++] = (double)apsp_integers_at(
			lengths, probe->integers, u, e);
	}
}

static void rows_count(void *ctx, unsigned int thread, size_t block)
{
	const struct filling *f = ctx;
	uint32_t n = f->probe->lengths->n_vertices;
	uint32_t at = (uint32_t)block * TAILS;

	(void)thread;
	for (uint32_t end = n - at < TAILS ? n : at + TAILS; at < end; at++)
		row_count(f, at);
}

static void rows_fill(void *ctx, unsigned int thread, size_t block)
{
	const struct filling *f = ctx;
	uint32_t n = f->probe->lengths->n_vertices;
	uint32_t at = (uint32_t)block * TAILS;

	(void)thread;
	for (uint32_t end = n - at < TAILS ? n : at + TAILS; at < end; at++)
		row_fill(f, at);
}

static int rows_init(struct rows *rows,
	const struct apsp_multi_source_probe *probe, struct apsp_err *err)
{
	struct filling filling = {probe, rows};
	uint32_t n = probe->lengths->n_vertices;
	size_t n_blocks = ((size_t)n + TAILS - 1) / TAILS;

	rows->offsets = calloc((size_t)n + 1, sizeof(*rows->offsets));
	if (!rows->offsets)
		return no_memory(probe->lengths, err);
	apsp_parallel_for(
		n_blocks, apsp_parallel_width(), rows_count, &filling);
	for (uint32_t at = 0; at < n; at++)
		rows->offsets[at + 1] += rows->offsets[at];
	rows->heads = malloc((rows->offsets[n] + 1) * sizeof(*rows->heads));
	rows->values = malloc((rows->offsets[n] + 1) * sizeof(*rows->values));
	if (!rows->heads || !rows->values)
		return no_memory(probe->lengths, err);
	apsp_parallel_for(n_blocks, apsp_parallel_width(), rows_fill, &filling);
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

/* Of batches, spread evenly over the positions. */
static uint32_t places_of(const struct apsp_multi_source_probe *probe)
{
	return apsp_arc_search_probes(probe->lengths->n_arcs);
}

/* The position of a place's first source. */
static uint32_t place_first(uint64_t n, uint32_t place, uint32_t places)
{
	return (uint32_t)(n * (2 * place + 1) / (2 * places));
}

static void place_count(void *ctx, unsigned int thread, size_t p)
{
	struct batches *batches = ctx;
	struct sweeps *s = &batches->sweeps[p];

	(void)thread;
	batch(s, place_first(s->n, (uint32_t)p, batches->places));
}

int apsp_multi_source_probe_init(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_positions *positions,
	const struct apsp_root_paths *paths,
	struct apsp_multi_source_probe *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) void *useless = NULL;
	int r = 0;

	if (paths && apsp_useless_arcs_pay(lengths, integers)) {
		useless = malloc(lengths->n_arcs + 1);
		r = useless ? apsp_useless_arcs_by_root(
				      lengths, integers, paths, useless, err)
			    : no_memory(lengths, err);
	}
	if (r < 0)
		return r;
	*out = (struct apsp_multi_source_probe){.lengths = lengths,
		.integers = integers,
		.positions = positions,
		.useless = APSP_TAKE(useless)};
	return 0;
}

void apsp_multi_source_probe_done(struct apsp_multi_source_probe *probe)
{
	free(probe->useless);
}

double apsp_multi_source_probe_least(
	const struct apsp_multi_source_probe *probe,
	const struct apsp_bits *closure)
{
	uint32_t n = probe->lengths->n_vertices, places = places_of(probe);
	uint64_t least = 0;

	for (uint32_t p = 0; n > 0 && p < places; p++) {
		uint32_t first = place_first(n, p, places);
		uint32_t source = probe->positions->vertices[first];

		for (uint32_t u = 0; u < n; u++)
			if (apsp_bits_get(closure, source, u))
				least += n_followed(probe, u);
	}
	return (double)least / places;
}

int apsp_multi_source_probe_count(const struct apsp_multi_source_probe *probe,
	double *out_visits, struct apsp_err *err)
{
	APSP_AUTO(batches_done)
	struct batches batches = {.places = places_of(probe)};
	uint64_t visits = 0;
	int r = rows_init(&batches.rows, probe, err);

	for (uint32_t p = 0; r >= 0 && p < batches.places; p++)
		r = sweeps_init(
			&batches.sweeps[p], &batches.rows, probe->lengths, err);
	if (r < 0)
		return r;
	apsp_parallel_for(
		batches.places, apsp_parallel_width(), place_count, &batches);
	for (uint32_t p = 0; p < batches.places; p++)
		visits += batches.sweeps[p].visits;
	*out_visits = (double)visits / batches.places;
	return 0;
}
