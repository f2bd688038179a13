/*
 * Compares two sections of the table file with the closure; see
 * closure_proof.h.
 */
#include "compute/tables/closure_proof.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "compute/parallel.h"

enum {
	WORD = 64, /* bits of a word of the closure, and rows of a block of its
		      transposition (bits.c) */
	SAMPLES = WORD, /* number of rows of the closure's transpose that are
			   compared with the closure */
	BLOCK = 256,	/* number of vertices that one task checks */
	/* if the graph has at most this number of vertices, one thread does all
	   tasks */
	ALONE = 1024,
};

#define NONE UINT64_MAX

/* The arguments and the result of the check. */
struct checking {
	const struct apsp_lengths *lengths;
	const struct apsp_bits *closure;
	const struct apsp_bits *transposed;
	const struct apsp_bits *on_cycle;
	/* the lowest vertex at which a check failed, or NONE */
	atomic_uint_least64_t wrong;
};

static void wrong_note(struct checking *checking, uint64_t v)
{
	uint64_t least = atomic_load(&checking->wrong);

	while (v < least &&
		!atomic_compare_exchange_weak(&checking->wrong, &least, v))
		continue;
}

/*
 * Return the vertex of sample s, in a graph of n vertices. Divide the vertices
 * into blocks of WORD successive vertices. Sample s is vertex s of a block, and
 * the samples are spread over the blocks. So together, the samples test every
 * bit of a word and every row of a block of the transposition. If the last
 * block is too small to have a vertex s, the block before it is taken.
 */
static uint64_t vertex_of(uint64_t s, uint64_t n)
{
	uint64_t n_blocks = (n + WORD - 1) / WORD;
	uint64_t v = s * n_blocks / SAMPLES * WORD + s;

	return v < n ? v : v - WORD;
}

/* Compare the row of sample s of the closure's transpose with the column of the
   same vertex of the closure. */
static void sample_check(void *ctx, unsigned int thread, size_t s)
{
	struct checking *checking = ctx;
	uint64_t n = checking->closure->n_rows;
	uint64_t v = vertex_of(s, n);

	(void)thread;
	for (uint64_t u = 0; u < n; u++)
		if (apsp_bits_get(checking->transposed, v, u) !=
			apsp_bits_get(checking->closure, u, v))
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

/* Call the function `body` for each i from 0 to n - 1. Returns the lowest
   vertex at which a check failed, or NONE. */
static uint64_t check(struct checking *checking, uint64_t n,
	void (*body)(void *ctx, unsigned int thread, size_t i))
{
	atomic_store(&checking->wrong, NONE);
	apsp_parallel_for(n,
		checking->lengths->n_vertices > ALONE
			? apsp_parallel_processors()
			: 1,
		body, checking);
	return atomic_load(&checking->wrong);
}

int apsp_closure_proof_check(const struct apsp_lengths *lengths,
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
			"the closure has %" PRIu64 " pairs and its transpose "
			"%" PRIu64,
			all, found);
	wrong = check(&checking, n < SAMPLES ? n : SAMPLES, sample_check);
	if (wrong != NONE)
		return apsp_fail(err, APSP_EPROOF,
			"vertex %" PRIu64 " is reached by other vertices in "
			"the closure than in its transpose",
			wrong);
	wrong = check(&checking, (n + BLOCK - 1) / BLOCK, cycles_check);
	if (wrong != NONE)
		return apsp_fail(err, APSP_EPROOF,
			"vertex %" PRIu64 " is wrongly marked as lying on a "
			"cycle or on none",
			wrong);
	return 0;
}
