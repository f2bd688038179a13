/*
 * kernels/multi_source_cpu.cl in plain C, for few sources; see
 * multi_source_probe.h.
 */
#include "compute/graph/multi_source_probe.h"

#include <stdlib.h>
#include <string.h>

#include "compute/parallel.h"
#include "compute/wide.h"
#include "daemon/base/auto.h"

enum {
	LANES = 4,
	PLACES = 3,	  /* batches, spread evenly over the positions */
	VISITS_MAX = 100, /* of an arc: enough to call the work too much */
	WORD_BITS = 64,
};

/* Graphs of more arcs get one batch only: it takes most of a second. */
#define ARCS_MANY 1000000

#define NOWHERE (INT64_MAX / 4)

/* The scratch of one batch. */
struct sweeps {
	const struct apsp_lengths *lengths;
	const struct apsp_positions *positions;
	const int64_t *values; /* of all arcs */
	int64_t (*d)[LANES];   /* by position */
	uint64_t *dirty;
	uint64_t n_words;
	uint64_t visits;
};

/* All batches. */
struct probe {
	int64_t *values;
	uint32_t places;
	struct sweeps sweeps[PLACES];
};

static void probe_done(struct probe *probe)
{
	for (uint32_t p = 0; p < PLACES; p++) {
		free(probe->sweeps[p].d);
		free(probe->sweeps[p].dirty);
	}
	free(probe->values);
}

static int sweeps_init(struct sweeps *s, const struct apsp_lengths *lengths,
	const struct apsp_positions *positions, const int64_t *values,
	struct apsp_err *err)
{
	uint64_t n = lengths->n_vertices;

	s->lengths = lengths;
	s->positions = positions;
	s->values = values;
	s->n_words = n / WORD_BITS + 1;
	s->d = malloc((n + 1) * sizeof(*s->d));
	s->dirty = calloc(s->n_words, sizeof(*s->dirty));
	if (!s->d || !s->dirty)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory to count the sweeps over %u vertices",
			lengths->n_vertices);
	return 0;
}

static void begin(struct sweeps *s, uint32_t first)
{
	uint32_t n = s->lengths->n_vertices;

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
	const struct apsp_lengths *rows = s->lengths;
	uint32_t u = s->positions->vertices[at];
	int64_t from[LANES];

	memcpy(from, s->d[at], sizeof(from));
	for (uint64_t e = rows->offsets[u]; e < rows->offsets[u + 1]; e++) {
		uint32_t to = s->positions->of[rows->heads[e]];
		int64_t length = s->values[e];
		bool less = false;

		for (int lane = 0; lane < LANES; lane++) {
			int64_t sum = from[lane] + length;
			int64_t old = s->d[to][lane];

			less |= sum < old;
			s->d[to][lane] = sum < old ? sum : old;
		}
		s->dirty[to / WORD_BITS] |= (uint64_t)less << (to % WORD_BITS);
	}
	s->visits += rows->offsets[u + 1] - rows->offsets[u];
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
	uint64_t most = s->lengths->n_arcs * VISITS_MAX;
	bool met = true;

	begin(s, first);
	for (bool backward = false; met && s->visits < most;
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
	uint64_t n = s->lengths->n_vertices;

	(void)thread;
	batch(s, (uint32_t)(n * (2 * p + 1) / (2 * probe->places)));
}

int apsp_multi_source_probe_count(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_positions *positions, double *out_visits,
	struct apsp_err *err)
{
	APSP_AUTO(probe_done)
	struct probe probe = {
		.places = lengths->n_arcs > ARCS_MANY ? 1 : PLACES};
	uint64_t visits = 0;
	int r = apsp_integers_all(lengths, integers, &probe.values, err);

	for (uint32_t p = 0; r >= 0 && p < probe.places; p++)
		r = sweeps_init(&probe.sweeps[p], lengths, positions,
			probe.values, err);
	if (r < 0)
		return r;
	apsp_parallel_for(
		probe.places, apsp_parallel_width(), place_count, &probe);
	for (uint32_t p = 0; p < probe.places; p++)
		visits += probe.sweeps[p].visits;
	*out_visits = (double)visits / probe.places;
	return 0;
}
