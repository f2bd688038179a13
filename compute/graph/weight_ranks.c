/*
 * Sorts the weights in descending order by radix sort, from the lowest digit
 * on. The bits of positive doubles, read as integers, are ordered as the
 * doubles are. A digit that is the same in all weights is skipped. For example,
 * weights that are small integers differ in only a few bits.
 */
#include "compute/graph/weight_ranks.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "compute/graph/split_sort.h"
#include "compute/parallel.h"
#include "daemon/base/auto.h"

enum {
	DIGIT_BITS = 11,
	DIGITS = 1 << DIGIT_BITS,
	CHECKED = 1 << 16, /* number of ranks that one task proves */
};

/* Keys in some order, and the arc of each key. The key of a weight is smaller
   if the weight is larger. */
struct keyed {
	uint64_t *keys;
	uint32_t *arcs;
};

/* One pass of the sort, over one digit. */
struct pass {
	struct keyed from, to;
	unsigned int shift;
};

static void keyed_done(struct keyed *keyed)
{
	free(keyed->keys);
	free(keyed->arcs);
}

static bool keyed_init(struct keyed *keyed, uint64_t n)
{
	keyed->keys = malloc((n + 1) * sizeof(*keyed->keys));
	keyed->arcs = malloc((n + 1) * sizeof(*keyed->arcs));
	return keyed->keys && keyed->arcs;
}

static void part_count(
	void *ctx, uint64_t *places, uint64_t first, uint64_t end)
{
	const struct pass *pass = ctx;

	for (uint64_t i = first; i < end; i++)
		places[pass->from.keys[i] >> pass->shift & (DIGITS - 1)]++;
}

static void part_fill(void *ctx, uint64_t *places, uint64_t first, uint64_t end)
{
	const struct pass *pass = ctx;

	for (uint64_t i = first; i < end; i++) {
		uint64_t key = pass->from.keys[i];
		uint64_t at = places[key >> pass->shift & (DIGITS - 1)]++;

		pass->to.keys[at] = key;
		pass->to.arcs[at] = pass->from.arcs[i];
	}
}

static int digit_sort(struct pass *pass, uint64_t n, struct apsp_err *err)
{
	APSP_AUTO(apsp_split_sort_done) struct apsp_split_sort sort = {0};
	uint64_t offsets[DIGITS + 1];
	struct keyed other = pass->from;
	int r = apsp_split_sort_count(
		&sort, n, DIGITS, part_count, pass, offsets, err);

	if (r < 0)
		return r;
	apsp_split_sort_visit(&sort, part_fill, pass);
	pass->from = pass->to;
	pass->to = other;
	return 0;
}

/* Compute the keys of all values and sort them. Afterwards pass->from has the
   sorted keys. */
static int keys_sort(const double *values, uint64_t n, struct pass *pass,
	struct apsp_err *err)
{
	uint64_t first = 0, differ = 0;
	int r = 0;

	for (uint64_t a = 0; a < n; a++) {
		uint64_t key;

		memcpy(&key, &values[a], sizeof(key));
		key = ~key;
		if (a == 0)
			first = key;
		differ |= key ^ first;
		pass->from.keys[a] = key;
		pass->from.arcs[a] = (uint32_t)a;
	}
	for (pass->shift = 0; pass->shift < 64 && r >= 0;
		pass->shift += DIGIT_BITS)
		if (differ >> pass->shift & (DIGITS - 1))
			r = digit_sort(pass, n, err);
	return r;
}

/* Number the different keys 1, 2, and so on; these numbers are the ranks. Store
   in out->ranks the rank of each arc, and in out->ladder the value of each
   rank. */
static int ranks_store(const struct keyed *sorted, uint64_t n,
	struct apsp_weight_ranks *out, struct apsp_err *err)
{
	uint64_t n_ranks = 0;

	for (uint64_t i = 0; i < n; i++)
		n_ranks += i == 0 || sorted->keys[i] != sorted->keys[i - 1];
	out->ladder = malloc((n_ranks + 1) * sizeof(*out->ladder));
	if (!out->ladder)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for %llu different weights",
			(unsigned long long)n_ranks);
	out->n_ranks = n_ranks;
	for (uint64_t i = 0, r = 0; i < n; i++) {
		uint64_t bits = ~sorted->keys[i];

		if (i == 0 || sorted->keys[i] != sorted->keys[i - 1])
			memcpy(&out->ladder[r++], &bits, sizeof(bits));
		out->ranks[sorted->arcs[i]] = (double)r;
	}
	return 0;
}

/* The arguments and the result of the proof of ranks. */
struct checking {
	const double *values;
	uint64_t n;
	const struct apsp_weight_ranks *ranks;
	atomic_bool wrong;
};

static void block_check(void *ctx, unsigned int thread, size_t block)
{
	struct checking *checking = ctx;
	const struct apsp_weight_ranks *ranks = checking->ranks;
	uint64_t a = (uint64_t)block * CHECKED, left = checking->n - a;
	uint64_t end = left < CHECKED ? checking->n : a + CHECKED;
	bool right = true;

	(void)thread;
	for (; a < end; a++) {
		double rank = ranks->ranks[a];

		right = right && rank >= 1 && rank <= (double)ranks->n_ranks &&
			rank == (double)(uint64_t)rank &&
			ranks->ladder[(uint64_t)rank - 1] ==
				checking->values[a];
	}
	if (!right)
		atomic_store(&checking->wrong, true);
}

int apsp_weight_ranks_check(const double *values, uint64_t n,
	const struct apsp_weight_ranks *ranks, struct apsp_err *err)
{
	struct checking checking = {.values = values, .n = n, .ranks = ranks};
	bool descends = true;

	for (uint64_t r = 1; r < ranks->n_ranks; r++)
		descends = descends && ranks->ladder[r] < ranks->ladder[r - 1];
	apsp_parallel_for((size_t)((n + CHECKED - 1) / CHECKED),
		apsp_parallel_processors(), block_check, &checking);
	if (descends && !atomic_load(&checking.wrong))
		return 0;
	return apsp_fail(err, APSP_EPROOF,
		"the weights that were sorted are not the graph's weights");
}

static void ranks_done(struct apsp_weight_ranks *ranks)
{
	free(ranks->ranks);
	free(ranks->ladder);
}

int apsp_weight_ranks_make(const double *values, uint64_t n,
	struct apsp_weight_ranks *out, struct apsp_err *err)
{
	APSP_AUTO(ranks_done) struct apsp_weight_ranks made = {0};
	APSP_AUTO(keyed_done) struct keyed one = {0};
	APSP_AUTO(keyed_done) struct keyed two = {0};
	struct pass pass;
	int r;

	made.ranks = malloc((n + 1) * sizeof(*made.ranks));
	if (!made.ranks || !keyed_init(&one, n) || !keyed_init(&two, n))
		return apsp_fail(err, APSP_ENOMEM,
			"no memory to sort the weights of %llu arcs",
			(unsigned long long)n);
	pass = (struct pass){.from = one, .to = two};
	r = keys_sort(values, n, &pass, err);
	if (r >= 0)
		r = ranks_store(&pass.from, n, &made, err);
	if (r >= 0)
		r = apsp_weight_ranks_check(values, n, &made, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(made);
	return 0;
}
