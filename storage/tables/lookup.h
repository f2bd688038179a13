/*
 * Answers questions about one pair of vertices or one vertex by a few reads of
 * the table file (storage/tables/README.md, What an answer means). Vertex
 * indices must be below n. All functions fail with APSP_EDAMAGED if the file is
 * damaged.
 */
#ifndef APSP_STORAGE_TABLES_LOOKUP_H
#define APSP_STORAGE_TABLES_LOOKUP_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/tables/table_read.h"
#include "storage/tables/tables.h"

struct apsp_path {
	bool reachable;	 /* whether there is a path; if there is none, all other
			    members except is_widest are 0 */
	double distance; /* sum of the lengths of the path's arcs */
	uint32_t hops;	 /* number of arcs */
	uint32_t *vertices; /* the vertices of the path in order, the source
			       first; hops + 1 elements; owned */
	double *weights;    /* weight of each of the path's arcs, with parallel
			       arcs merged; owned */
	double *lengths;    /* length of each of the path's arcs; owned */
	/* Whether the table has widest paths. A widest path has a width instead
	   of a distance, and `lengths` has the widths of its arcs. is_widest is
	   set even if there is no path. */
	bool is_widest;
	double width; /* the least width of an arc of the path; INFINITY: the
			 path has no arcs */
};

/*
 * Store the path along n_arcs + 1 vertices, which a search has found, with the
 * weights and lengths of its arcs. On success the caller ends *out with
 * apsp_path_done(). APSP_EDAMAGED: the table file lacks an arc. APSP_ENOMEM.
 */
int apsp_lookup_along(struct apsp_tables *tables, const uint32_t *vertices,
	uint32_t n_arcs, struct apsp_path *out, struct apsp_err *err);

/*
 * Find the shortest path that the predecessor table holds. If several paths are
 * equally short, the tie rule has chosen one of them (storage/tables/README.md,
 * The tie rule). On success the caller ends *out with apsp_path_done().
 * APSP_ENOMEM.
 */
int apsp_lookup_path(struct apsp_tables *tables, uint32_t from, uint32_t to,
	struct apsp_path *out, struct apsp_err *err);
void apsp_path_done(struct apsp_path *path);

/*
 * Read the distance of a pair, as apsp_table_read_cell() does. If the file
 * holds no distances, find the path and add its lengths. Round the sum to the
 * type (float32 or float64) that distances in this file would have.
 */
int apsp_lookup_cell(struct apsp_tables *tables, uint32_t from, uint32_t to,
	struct apsp_cell *out, struct apsp_err *err);

/* The result of apsp_lookup_by_component(). */
enum apsp_by_component {
	APSP_UNDECIDED, /* the components do not decide whether there is a path;
			   the row must be read */
	APSP_REACHABLE,
	APSP_UNREACHABLE,
};

/* For tables whose rows are computed on demand: find out whether there is a
   path from → to, without a row. Only the strongly connected components of the
   two vertices are read, and they do not always decide the question. Returns an
   enum apsp_by_component. */
int apsp_lookup_by_component(struct apsp_tables *tables, uint32_t from,
	uint32_t to, struct apsp_err *err);

int apsp_lookup_reachable(struct apsp_tables *tables, uint32_t from,
	uint32_t to, bool *out, struct apsp_err *err);

/* Find out whether v lies on a cycle. A self-loop is a cycle. */
int apsp_lookup_on_cycle(struct apsp_tables *tables, uint32_t v, bool *out,
	struct apsp_err *err);

/* The number of vertices that v reaches, and the number of vertices that reach
   v. Both numbers include v. */
struct apsp_neighbourhood {
	uint32_t n_reached;   /* number of vertices that v reaches */
	uint32_t n_reaching;  /* number of vertices that reach v */
	uint32_t n_component; /* size of v's strongly connected component (all
				 vertices that both reach v and are reached from
				 v) */
	uint32_t first;	      /* lowest vertex index in v's strongly connected
				 component */
};

/* Count the vertices that v reaches and the vertices that reach v, and store
   the counts in *out. Takes time O(n / 64). */
int apsp_lookup_neighbourhood(struct apsp_tables *tables, uint32_t v,
	struct apsp_neighbourhood *out, struct apsp_err *err);

#endif
