/*
 * Reading one vertex with the arcs of a profile, for handlers that run on the
 * pool and are called again until the arcs are loaded.
 */
#ifndef APSP_API_VERTICES_VERTEX_READING_H
#define APSP_API_VERTICES_VERTEX_READING_H

#include "api/reading.h"

/* In req->state, which owns it until a handler takes it. */
struct apsp_vertex_reading {
	struct apsp_reading reading;
	uint32_t v;			      /* params[1] */
	struct apsp_shared_adjacency *shared; /* owned */
	const struct apsp_adjacency *arcs;    /* of the profile; borrowed */
};

/*
 * Open req->state, and load the arcs. Returns 0 once they are there, 1 to be
 * called again or if a 304 is the reply: the handler returns 0. Errors as
 * apsp_reading_open(), apsp_reading_vertex(), apsp_reading_arcs().
 */
int apsp_vertex_reading_open(struct apsp_request *req,
	struct apsp_vertex_reading **out, struct apsp_err *err);
void apsp_vertex_reading_free(void *reading); /* accepts NULL */

/* The arcs are not needed any more: others may have their room. */
void apsp_vertex_reading_drop_arcs(struct apsp_vertex_reading *reading);

#endif
