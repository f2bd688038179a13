/*
 * The snapshot, the tables and the arcs of a profile, for an answer about one
 * vertex or all vertices. A handler that uses a vertex reading runs on the
 * thread pool, and is called again until the arcs are loaded.
 */
#ifndef APSP_API_VERTICES_VERTEX_READING_H
#define APSP_API_VERTICES_VERTEX_READING_H

#include "api/reading.h"

/* In place of a vertex, this number stands for all vertices. */
#define APSP_ALL_VERTICES UINT32_MAX

/* A handler keeps this struct in req->state. A struct of zeros is not open. */
struct apsp_vertex_reading {
	struct apsp_reading reading;
	uint32_t v; /* the vertex whose label is params[1], or
		       APSP_ALL_VERTICES if the route has no such parameter */
	/* The profile's arcs; owned. The handler closes them as soon as the
	   answer needs no arcs, so that other requests can use their memory. */
	struct apsp_shared_adjacency *arcs;
};

/*
 * Open the reading, unless it is open, and load the arcs. Returns 0 if the arcs
 * are loaded. Returns 1 if the handler will be called again, or if the request
 * was answered with 304; in both cases the handler must return 0. Fails as
 * apsp_request_move(), apsp_reading_open(), apsp_reading_vertex() and
 * apsp_reading_arcs() do.
 */
int apsp_vertex_reading_open(struct apsp_request *req,
	struct apsp_vertex_reading *self, struct apsp_err *err);
void apsp_vertex_reading_done(struct apsp_vertex_reading *self);

#endif
