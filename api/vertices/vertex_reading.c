/* Data for answers about one vertex; see vertex_reading.h. */
#include "api/vertices/vertex_reading.h"

#include <stdlib.h>

#include "api/reading.h"
#include "api/vertices/arc_order.h"
#include "daemon/base/auto.h"

void apsp_vertex_reading_free(void *state)
{
	struct apsp_vertex_reading *self = state;

	if (!self)
		return;
	apsp_vertex_reading_drop_arcs(self);
	apsp_reading_done(&self->reading);
	free(self);
}

void apsp_vertex_reading_drop_arcs(struct apsp_vertex_reading *self)
{
	apsp_adjacency_cache_close(self->shared);
	self->shared = NULL;
	self->arcs = NULL;
}

/*
 * Open a struct apsp_vertex_reading and store it in req->state. Returns 1 if
 * the request was answered with 304.
 */
static int begin(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_vertex_reading *self;
	int r;

	r = apsp_request_move(req, err);
	if (r < 0)
		return r;
	self = apsp_request_state(
		req, sizeof(*self), apsp_vertex_reading_free, err);
	if (!self)
		return APSP_ENOMEM;
	r = apsp_reading_open(req, &self->reading, err);
	self->v = APSP_ALL_VERTICES;
	if (r == 0 && req->n_params > 1)
		r = apsp_reading_vertex(
			req, &self->reading, req->params[1], &self->v, err);
	return r < 0 ? r : apsp_reading_etag(req, &self->reading, true, err);
}

int apsp_vertex_reading_open(struct apsp_request *req,
	struct apsp_vertex_reading **out, struct apsp_err *err)
{
	struct apsp_vertex_reading *self;
	int r = req->state ? 0 : begin(req, err);

	if (r != 0)
		return r;
	self = req->state;
	r = apsp_reading_arcs(req, &self->reading, &self->shared, err);
	if (r != 0)
		return r;
	self->arcs = apsp_adjacency_cache_arcs(self->shared);
	*out = self;
	return 0;
}
