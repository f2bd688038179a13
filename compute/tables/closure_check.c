/*
 * Bits compared bit by bit; see closure_check.h.
 */
#include "compute/tables/closure_check.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "compute/parallel.h"

enum {
	SAMPLES = 64, /* rows of the transpose */
	BLOCK = 256,  /* vertices of a task */
	ALONE = 1024, /* vertices that are not worth waking threads for */
};

#define NONE UINT64_MAX

/* For the threads: what is checked, and the least vertex that is wrong. */
struct checking {
	const struct apsp_lengths *lengths;
	const struct apsp_bits *closure;
	const struct apsp_bits *transposed;
	const struct apsp_bits *on_cycle;
	atomic_uint_least64_t wrong;
};

static void wrong_note(struct checking *checking, uint64_t v)
{
	uint64_t least = atomic_load(&checking->wrong);

	while (v < least &&
		!atomic_compare_exchange_weak(&checking->wrong, &least, v))
		continue;
}

static bool row_is_column(const struct apsp_bits *transposed,
	const struct apsp_bits *closure, uint64_t v)
{
	for (uint64_t u = 0; u < closure->n_rows; u++)
		if (apsp_bits_get(transposed, v, u) !=
			apsp_bits_get(closure, u, v))
			return false;
	return true;
}

/* Samples are spread so that they meet all places in words and blocks. */
static void sample_check(void *ctx, unsigned int thread, size_t s)
{
	struct checking *checking = ctx;
	uint64_t n = checking->closure->n_rows;
	uint64_t v = n <= SAMPLES ? s : (s * n / SAMPLES + s) % n;

	(void)thread;
	if (!row_is_column(checking->transposed, checking->closure, v))
		wrong_note(checking, v);
}

static bool is_on_cycle(const struct apsp_lengths *lengths,
	const struct apsp_bits *closure, uint32_t v)
{
	if (lengths->self_loop && lengths->self_loop[v / 64] >> (v % 64) & 1)
		return true;
	for (uint64_t e = lengths->offsets[v]; e < lengths->offsets[v + 1]; e++)
		if (apsp_bits_get(closure, lengths->heads[e], v))
			return true;
	return false;
}

static void cycles_check(void *ctx, unsigned int thread, size_t block)
{
	struct checking *checking = ctx;
	uint32_t n = checking->lengths->n_vertices;
	uint32_t v = (uint32_t)block * BLOCK;
	uint32_t end = n - v < BLOCK ? n : v + BLOCK;

	(void)thread;
	for (; v < end; v++)
		if (is_on_cycle(checking->lengths, checking->closure, v) !=
			apsp_bits_get(checking->on_cycle, 0, v))
			wrong_note(checking, v);
}

/* Returns the least vertex that is wrong, or NONE. */
static uint64_t check(struct checking *checking, uint64_t n,
	void (*body)(void *ctx, unsigned int thread, size_t i))
{
	atomic_store(&checking->wrong, NONE);
	apsp_parallel_for(n,
		checking->lengths->n_vertices > ALONE ? apsp_parallel_width()
						      : 1,
		body, checking);
	return atomic_load(&checking->wrong);
}

int apsp_closure_check(const struct apsp_lengths *lengths,
	const struct apsp_bits *closure, const struct apsp_bits *transposed,
	const struct apsp_bits *on_cycle, struct apsp_err *err)
{
	struct checking checking = {.lengths = lengths,
		.closure = closure,
		.transposed = transposed,
		.on_cycle = on_cycle};
	uint64_t n = closure->n_rows, all = apsp_bits_count(closure);
	uint64_t found = apsp_bits_count(transposed), wrong;

	if (all != found)
		return apsp_fail(err, APSP_EPROOF,
			"%" PRIu64 " pairs are reachable and, the other way "
			"round, %" PRIu64,
			all, found);
	wrong = check(&checking, n < SAMPLES ? n : SAMPLES, sample_check);
	if (wrong != NONE)
		return apsp_fail(err, APSP_EPROOF,
			"what reaches vertex %" PRIu64
			" differs from whom it is reached by",
			wrong);
	wrong = check(&checking, (n + BLOCK - 1) / BLOCK, cycles_check);
	if (wrong != NONE)
		return apsp_fail(err, APSP_EPROOF,
			"whether vertex %" PRIu64
			" lies on a cycle is told wrongly",
			wrong);
	return 0;
}
