/*
 * kernels/multi_source_cpu.cl in plain C, for few sources; see
 * multi_source_probe.h.
 */
#include "compute/graph/multi_source_probe.h"

#include <stdlib.h>
#include <string.h>

#include "compute/graph/useless_arcs.h"
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

/* The arcs that are pushed over, by tail. */
struct rows {
	uint64_t *offsets;
	uint32_t *heads; /* positions */
	int64_t *values;
};

/* The scratch of one batch. */
struct sweeps {
	const struct rows *rows;
	const struct apsp_positions *positions;
	int64_t (*d)[LANES]; /* by position */
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

/* useless: of each arc; NULL: none is. */
static int rows_init(struct rows *rows, const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_positions *positions, const uint8_t *useless,
	struct apsp_err *err)
{
	uint32_t n = lengths->n_vertices;
	uint64_t m = lengths->n_arcs, n_rows = 0;

	rows->offsets = malloc(((size_t)n + 1) * sizeof(*rows->offsets));
	rows->heads = malloc((m + 1) * sizeof(*rows->heads));
	rows->values = malloc((m + 1) * sizeof(*rows->values));
	if (!rows->offsets || !rows->heads || !rows->values)
		return no_memory(lengths, err);
	for (uint32_t u = 0; u < n; u++) {
		rows->offsets[u] = n_rows;
		for (uint64_t e = lengths->offsets[u];
			e < lengths->offsets[u + 1]; e++) {
			if (useless && useless[e])
				continue;
			rows->heads[n_rows] = positions->of[lengths->heads[e]];
			rows->values[n_rows++] =
				apsp_integers_at(lengths, integers, u, e);
		}
	}
	rows->offsets[n] = n_rows;
	return 0;
}

static int sweeps_init(struct sweeps *s, const struct rows *rows,
	const struct apsp_lengths *lengths,
	const struct apsp_positions *positions, struct apsp_err *err)
{
	uint64_t n = lengths->n_vertices;

	s->rows = rows;
	s->positions = positions;
	s->most = lengths->n_arcs * VISITS_MAX;
	s->n_words = n / WORD_BITS + 1;
	s->d = malloc((n + 1) * sizeof(*s->d));
	s->dirty = calloc(s->n_words, sizeof(*s->dirty));
	return s->d && s->dirty ? 0 : no_memory(lengths, err);
}

static void begin(struct sweeps *s, uint32_t first)
{
	uint32_t n = s->positions->n_vertices;

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
	uint32_t u = s->positions->vertices[at];
	int64_t from[LANES];

	memcpy(from, s->d[at], sizeof(from));
	for (uint64_t e = rows->offsets[u]; e < rows->offsets[u + 1]; e++) {
		uint32_t to = rows->heads[e];
		int64_t length = rows->values[e];
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
	uint64_t n = s->positions->n_vertices;

	(void)thread;
	batch(s, (uint32_t)(n * (2 * p + 1) / (2 * probe->places)));
}

/* Find the rows that a solve would go over. */
static int rows_find(struct rows *rows, const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_positions *positions,
	const struct apsp_root_paths *paths, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) void *memory = NULL;
	int r = 0;

	if (paths && apsp_useless_arcs_pay(lengths, integers)) {
		memory = malloc(lengths->n_arcs + 1);
		r = memory ? apsp_useless_arcs_by_root(
				     lengths, integers, paths, memory, err)
			   : no_memory(lengths, err);
	}
	return r < 0 ? r
		     : rows_init(
			       rows, lengths, integers, positions, memory, err);
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
	uint64_t visits = 0;
	int r = rows_find(
		&probe.rows, lengths, integers, positions, paths, err);

	for (uint32_t p = 0; r >= 0 && p < probe.places; p++)
		r = sweeps_init(
			&probe.sweeps[p], &probe.rows, lengths, positions, err);
	if (r < 0)
		return r;
	apsp_parallel_for(
		probe.places, apsp_parallel_width(), place_count, &probe);
	for (uint32_t p = 0; p < probe.places; p++)
		visits += probe.sweeps[p].visits;
	*out_visits = (double)visits / probe.places;
	return 0;
}
