/*
 * A counting sort by head, which keeps tails ascending; see in_arcs.h.
 */
#include "compute/graph/in_arcs.h"

#include <stdlib.h>

#include "compute/graph/counting_sort.h"
#include "daemon/base/auto.h"

int apsp_in_arcs_build(const struct apsp_lengths *lengths,
	struct apsp_in_arcs *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_in_arcs_done) struct apsp_in_arcs made = {0};
	uint32_t n = lengths->n_vertices;

	made.offsets = calloc((size_t)n + 2, sizeof(*made.offsets));
	made.tails = malloc((lengths->n_arcs + 1) * sizeof(*made.tails));
	made.ranks = malloc((lengths->n_arcs + 1) * sizeof(*made.ranks));
	if (!made.offsets || !made.tails || !made.ranks)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for %llu arcs by head",
			(unsigned long long)lengths->n_arcs);

	for (uint64_t a = 0; a < lengths->n_arcs; a++)
		apsp_counting_sort_count(made.offsets, lengths->heads[a]);
	apsp_counting_sort_sum(made.offsets, n);
	for (uint32_t v = 0; v < n; v++) {
		for (uint64_t a = lengths->offsets[v];
			a < lengths->offsets[v + 1]; a++) {
			uint64_t place = apsp_counting_sort_place(
				made.offsets, lengths->heads[a]);

			made.tails[place] = v;
			made.ranks[place] = (uint32_t)(a - lengths->offsets[v]);
		}
	}
	*out = APSP_TAKE(made);
	return 0;
}

void apsp_in_arcs_done(struct apsp_in_arcs *in_arcs)
{
	free(in_arcs->offsets);
	free(in_arcs->tails);
	free(in_arcs->ranks);
	*in_arcs = (struct apsp_in_arcs){0};
}
