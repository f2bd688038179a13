/*
 * The questions about one pair of vertices, or one vertex, that a few reads of
 * the table file answer (storage/tables/README.md, What an answer means).
 * Vertex indices must be below n. They fail with APSP_EDAMAGED.
 */
#ifndef APSP_STORAGE_TABLES_LOOKUP_H
#define APSP_STORAGE_TABLES_LOOKUP_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/tables/table_read.h"
#include "storage/tables/tables.h"

/* d(from, to). d(v, v) is 0 with 0 hops. */
int apsp_lookup_cell(struct apsp_tables *tables, uint32_t from, uint32_t to,
	struct apsp_cell *out, struct apsp_err *err);

/*
 * d(from, v) of every v, as the table holds it: INFINITY where there is no
 * path. hops: UINT32_MAX there, and everywhere where only walking tells. Both
 * arrays are the caller's and have n elements. Some 2 ns a vertex. APSP_ENOMEM,
 * too.
 */
int apsp_lookup_row(struct apsp_tables *tables, uint32_t from, double *distance,
	uint32_t *hops, struct apsp_err *err);

int apsp_lookup_reachable(struct apsp_tables *tables, uint32_t from,
	uint32_t to, bool *out, struct apsp_err *err);

/* Whether v lies on a cycle; a self-loop is one. */
int apsp_lookup_on_cycle(struct apsp_tables *tables, uint32_t v, bool *out,
	struct apsp_err *err);

/* How many vertices are on either side of v, v itself among them. */
struct apsp_neighbourhood {
	uint32_t n_reached;   /* that v reaches */
	uint32_t n_reaching;  /* that reach v */
	uint32_t n_component; /* both: v's strongly connected component */
	uint32_t first;	      /* the component's first vertex in index order */
};

/* O(n / 64). */
int apsp_lookup_neighbourhood(struct apsp_tables *tables, uint32_t v,
	struct apsp_neighbourhood *out, struct apsp_err *err);

#endif
