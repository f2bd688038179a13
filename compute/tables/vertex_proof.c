/*
 * Compares statistics of vertices with the closure and the arcs; see
 * vertex_proof.h.
 */
#include "compute/tables/vertex_proof.h"

#include <stdbool.h>
#include <stdlib.h>

#include "compute/parallel.h"
#include "daemon/base/auto.h"
#include "daemon/job/stats_sections.h"

enum {
	WORD = 64,
	BLOCK = 64, /* number of vertices that one task reads */
	/* if the graph has at most this number of vertices, one thread does all
	   tasks */
	ALONE = 1024,
};

/* The arguments of the search for facts; shared by the threads. */
struct finding {
	const struct apsp_bits *closure;
	const struct apsp_bits *transposed;
	struct apsp_vertex_facts facts;
};

static void block_find(void *ctx, unsigned int thread, size_t block)
{
	const struct finding *finding = ctx;
	const struct apsp_vertex_facts *facts = &finding->facts;
	uint64_t n = finding->closure->n_rows, v = block * BLOCK;
	uint64_t end = n - v < BLOCK ? n : v + BLOCK;

	(void)thread;
	for (; v < end; v++) {
		const uint64_t *to = apsp_bits_row(finding->closure, v);
		const uint64_t *from = apsp_bits_row(finding->transposed, v);
		uint32_t n_to = 0, n_from = 0;
		uint64_t w = 0;

		for (uint64_t k = 0; k < finding->closure->row_words; k++) {
			n_to += (uint32_t)__builtin_popcountll(to[k]);
			n_from += (uint32_t)__builtin_popcountll(from[k]);
		}
		/* v reaches itself, so a word with a common bit is found */
		while (w < v / WORD && !(to[w] & from[w]))
			w++;
		facts->reaches[v] = n_to;
		facts->reached_by[v] = n_from;
		facts->strong[v] = to[w] & from[w]
					   ? (uint32_t)(w * WORD) +
						     (uint32_t)__builtin_ctzll(
							     to[w] & from[w])
					   : UINT32_MAX;
	}
}

int apsp_vertex_facts_find(const struct apsp_bits *closure,
	const struct apsp_bits *transposed, struct apsp_vertex_facts *out,
	struct apsp_err *err)
{
	struct finding finding = {.closure = closure, .transposed = transposed};
	size_t n = closure->n_rows;
	uint32_t *memory = malloc((3 * n + 1) * sizeof(*memory));

	if (!memory)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for facts about %zu vertices", n);
	*out = finding.facts =
		(struct apsp_vertex_facts){memory, memory + n, memory + 2 * n};
	apsp_parallel_for((n + BLOCK - 1) / BLOCK,
		n > ALONE ? apsp_parallel_processors() : 1, block_find,
		&finding);
	return 0;
}

void apsp_vertex_facts_done(struct apsp_vertex_facts *facts)
{
	free(facts->reaches);
	*facts = (struct apsp_vertex_facts){0};
}

static uint32_t root_of(uint32_t *parents, uint32_t v)
{
	for (uint32_t up; (up = parents[v]) != v; v = up)
		parents[v] = parents[up];
	return v;
}

/*
 * Whether labels[v] is the least vertex of v's weakly connected component. The
 * vertices of a label must be all vertices of one or more components, because
 * both ends of each arc must have the same label. The vertices of a label must
 * be connected, because n vertices with k different labels need n - k arcs that
 * connect vertices that were not connected before. These arcs are searched from
 * the last vertex on; the search ends when they are found. `parents` has room
 * for all vertices.
 */
static bool labels_fit(const struct apsp_lengths *lengths, const double *labels,
	uint32_t *parents)
{
	uint32_t n = lengths->n_vertices, left = 0;

	for (uint32_t v = 0; v < n; v++) {
		double label = labels[v];

		if (!(label >= 0 && label <= v) ||
			labels[(uint32_t)label] != label)
			return false;
		parents[v] = v;
		left += label != v;
		for (uint64_t e = lengths->offsets[v];
			e < lengths->offsets[v + 1]; e++)
			if (labels[lengths->heads[e]] != label)
				return false;
	}
	for (uint32_t v = n; v-- > 0 && left > 0;)
		for (uint64_t e = lengths->offsets[v];
			e < lengths->offsets[v + 1]; e++) {
			uint32_t a = root_of(parents, v);
			uint32_t b = root_of(parents, lengths->heads[e]);

			left -= a != b;
			parents[a] = b;
		}
	return left == 0;
}

int apsp_vertex_proof_check(const struct apsp_lengths *lengths,
	const struct apsp_vertex_facts *facts, const double *vertices,
	struct apsp_err *err)
{
	size_t n = lengths->n_vertices;
	const double *reaches = vertices + APSP_STAT_REACHES * n;
	const double *reached_by = vertices + APSP_STAT_REACHED_BY * n;
	const double *strong = vertices + APSP_STAT_STRONG * n;
	APSP_AUTO(apsp_free) uint32_t *parents = NULL;

	for (size_t v = 0; v < n; v++)
		if (reaches[v] + 1 != facts->reaches[v] ||
			reached_by[v] + 1 != facts->reached_by[v] ||
			strong[v] != facts->strong[v])
			return apsp_fail(err, APSP_EPROOF,
				"the statistics of vertex %zu, which reaches "
				"%.0f vertices and is reached by %.0f, differ "
				"from the closure",
				v, reaches[v], reached_by[v]);
	parents = malloc((n + 1) * sizeof(*parents));
	if (!parents)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for the components of %zu vertices", n);
	if (!labels_fit(lengths, vertices + APSP_STAT_WEAK * n, parents))
		return apsp_fail(err, APSP_EPROOF,
			"the weakly connected components are not those of the "
			"arcs");
	return 0;
}
