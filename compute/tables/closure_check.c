/*
 * Bits compared bit by bit; see closure_check.h.
 */
#include "compute/tables/closure_check.h"

#include <inttypes.h>
#include <stdbool.h>

enum {
	SAMPLES = 64, /* rows of the transpose */
};

static bool row_is_column(const struct apsp_bits *transposed,
	const struct apsp_bits *closure, uint64_t v)
{
	for (uint64_t u = 0; u < closure->n_rows; u++)
		if (apsp_bits_get(transposed, v, u) !=
			apsp_bits_get(closure, u, v))
			return false;
	return true;
}

static int transpose_check(const struct apsp_bits *closure,
	const struct apsp_bits *transposed, struct apsp_err *err)
{
	uint64_t n = closure->n_rows, all = apsp_bits_count(closure);
	uint64_t found = apsp_bits_count(transposed);

	if (all != found)
		return apsp_fail(err, APSP_EPROOF,
			"%" PRIu64 " pairs are reachable and, the other way "
			"round, %" PRIu64,
			all, found);
	/* spread so that they meet all places in words and blocks */
	for (uint64_t s = 0; s < SAMPLES && s < n; s++) {
		uint64_t v = n <= SAMPLES ? s : (s * n / SAMPLES + s) % n;

		if (!row_is_column(transposed, closure, v))
			return apsp_fail(err, APSP_EPROOF,
				"what reaches vertex %" PRIu64
				" differs from whom it is reached by",
				v);
	}
	return 0;
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

int apsp_closure_check(const struct apsp_lengths *lengths,
	const struct apsp_bits *closure, const struct apsp_bits *transposed,
	const struct apsp_bits *on_cycle, struct apsp_err *err)
{
	int r = transpose_check(closure, transposed, err);

	for (uint32_t v = 0; r >= 0 && v < lengths->n_vertices; v++)
		if (is_on_cycle(lengths, closure, v) !=
			apsp_bits_get(on_cycle, 0, v))
			r = apsp_fail(err, APSP_EPROOF,
				"whether vertex %u lies on a cycle is told "
				"wrongly",
				v);
	return r;
}
