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
struct batches {
	struct rows rows;
	uint32_t places;
	struct sweeps sweeps[PLACES];
};

static void batches_done(struct batches *batches)
{
	for (uint32_t p = 0; p < PLACES; p++) {
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

static bool followed(const struct apsp_multi_source_probe *probe, uint64_t e)
{
	return !probe->useless || !probe->useless[e];
}

static int rows_init(struct rows *rows,
	const struct apsp_multi_source_probe *probe, struct apsp_err *err)
{
	const struct apsp_lengths *lengths = probe->lengths;
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
			if (!followed(probe, e))
				continue;
			rows->heads[n_rows] =
				probe->positions->of[lengths->heads[e]];
			rows->values[n_rows++] = apsp_integers_at(
				lengths, probe->integers, u, e);
		}
	}
	rows->offsets[n] = n_rows;
	return 0;
}

static int sweeps_init(struct sweeps *s, const struct rows *rows,
	const struct apsp_multi_source_probe *probe, struct apsp_err *err)
{
	uint64_t n = probe->lengths->n_vertices;

	s->rows = rows;
	s->positions = probe->positions;
	s->most = probe->lengths->n_arcs * VISITS_MAX;
	s->n_words = n / WORD_BITS + 1;
	s->d = malloc((n + 1) * sizeof(*s->d));
	s->dirty = calloc(s->n_words, sizeof(*s->dirty));
	return s->d && s->dirty ? 0 : no_memory(probe->lengths, err);
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

static uint32_t places_of(const struct apsp_multi_source_probe *probe)
{
	return probe->lengths->n_arcs > ARCS_MANY ? 1 : PLACES;
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
	batch(s, place_first(s->positions->n_vertices, (uint32_t)p,
			 batches->places));
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

static uint64_t n_followed(
	const struct apsp_multi_source_probe *probe, uint32_t u)
{
	uint64_t end = probe->lengths->offsets[u + 1], n = 0;

	for (uint64_t e = probe->lengths->offsets[u]; e < end; e++)
		n += followed(probe, e);
	return n;
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
		r = sweeps_init(&batches.sweeps[p], &batches.rows, probe, err);
	if (r < 0)
		return r;
	apsp_parallel_for(
		batches.places, apsp_parallel_width(), place_count, &batches);
	for (uint32_t p = 0; p < batches.places; p++)
		visits += batches.sweeps[p].visits;
	*out_visits = (double)visits / batches.places;
	return 0;
}
