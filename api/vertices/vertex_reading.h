/*
 * The snapshot, the tables and the arcs of a profile, for an answer about one
 * vertex. A handler that uses a vertex reading runs on the thread pool, and is
 * called again until the arcs are loaded.
 */
#ifndef APSP_API_VERTICES_VERTEX_READING_H
#define APSP_API_VERTICES_VERTEX_READING_H

#include "api/reading.h"

/* req->state owns this struct until a handler moves the struct elsewhere. */
struct apsp_vertex_reading {
	struct apsp_reading reading;
	uint32_t v; /* the vertex whose label is params[1], or
		       APSP_ALL_VERTICES if the route has no such parameter */
	struct apsp_shared_adjacency *shared; /* owned */
	const struct apsp_adjacency *arcs;    /* the profile's arcs; borrowed */
};

/*
 * Open a struct apsp_vertex_reading in req->state and load the arcs. Returns 0
 * if the arcs are loaded. Returns 1 if the handler will be called again, or if
 * the request was answered with 304; in both cases the handler must return 0.
 * Fails as apsp_reading_open(), apsp_reading_vertex() and apsp_reading_arcs()
 * do.
 */
int apsp_vertex_reading_open(struct apsp_request *req,
	struct apsp_vertex_reading **out, struct apsp_err *err);
void apsp_vertex_reading_free(void *reading); /* accepts NULL */

/* Release the arcs, so that other requests can use their memory. */
void apsp_vertex_reading_drop_arcs(struct apsp_vertex_reading *reading);

#endif
