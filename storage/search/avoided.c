/*
 * Avoided vertices and arcs; see avoided.h.
 */
#include "storage/search/avoided.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/job/table_file.h"

static int begin(struct apsp_avoided *avoided, uint32_t n, struct apsp_err *err)
{
	if (!avoided->vertices)
		avoided->vertices = calloc(
			apsp_bit_row_words(n), sizeof(*avoided->vertices));
	return avoided->vertices
		       ? 0
		       : apsp_fail(err, APSP_ENOMEM, "no memory for a search");
}

int apsp_avoided_vertex(struct apsp_avoided *avoided, uint32_t n, uint32_t v,
	struct apsp_err *err)
{
	int r = begin(avoided, n, err);

	if (r == 0)
		apsp_bit_set_add(avoided->vertices, v);
	return r;
}

int apsp_avoided_arc(struct apsp_avoided *avoided, uint32_t n, uint32_t tail,
	uint32_t head, struct apsp_err *err)
{
	uint32_t(*arcs)[2];
	int r = begin(avoided, n, err);

	if (r < 0)
		return r;
	arcs = realloc(avoided->arcs, (avoided->n_arcs + 1) * sizeof(*arcs));
	if (!arcs)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a search");
	avoided->arcs = arcs;
	arcs[avoided->n_arcs][0] = tail;
	arcs[avoided->n_arcs++][1] = head;
	return 0;
}

void apsp_avoided_done(struct apsp_avoided *avoided)
{
	free(avoided->vertices);
	free(avoided->arcs);
	memset(avoided, 0, sizeof(*avoided));
}
