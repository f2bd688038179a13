/*
 * Answers questions about one pair of vertices or one vertex by a few reads of
 * the table file (storage/tables/README.md, What an answer means). Vertex
 * indices must be below n. They fail with APSP_EDAMAGED.
 */
#ifndef APSP_STORAGE_TABLES_LOOKUP_H
#define APSP_STORAGE_TABLES_LOOKUP_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/tables/table_read.h"
#include "storage/tables/tables.h"

/* Look up d(from, to). d(v, v) is 0 with 0 hops. */
int apsp_lookup_cell(struct apsp_tables *tables, uint32_t from, uint32_t to,
	struct apsp_cell *out, struct apsp_err *err);

/*
 * Look up d(from, v) for every v, as the table holds it: INFINITY if there is
 * no path. hops is UINT32_MAX if there is no path, or if the table has no hops,
 * as with real lengths. Both arrays are the caller's and have n elements. About
 * 2 ns for each vertex. APSP_ENOMEM, too.
 */
int apsp_lookup_row(struct apsp_tables *tables, uint32_t from, double *distance,
	uint32_t *hops, struct apsp_err *err);

int apsp_lookup_reachable(struct apsp_tables *tables, uint32_t from,
	uint32_t to, bool *out, struct apsp_err *err);

/* Whether v lies on a cycle; a self-loop is one. */
int apsp_lookup_on_cycle(struct apsp_tables *tables, uint32_t v, bool *out,
	struct apsp_err *err);

/* The numbers of vertices on either side of v; v itself is counted. */
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
