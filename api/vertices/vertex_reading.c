/* Data for answers about one vertex; see vertex_reading.h. */
#include "api/vertices/vertex_reading.h"

#include <stdlib.h>

#include "api/reading.h"
#include "api/vertices/arc_order.h"
#include "daemon/base/auto.h"

APSP_AUTO_DEFINE(
	reading_end, struct apsp_vertex_reading, apsp_vertex_reading_free);

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
	APSP_AUTO(reading_end) struct apsp_vertex_reading *self = NULL;
	int r;

	r = apsp_request_move(req, err);
	if (r < 0)
		return r;
	self = calloc(1, sizeof(*self));
	if (!self)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	r = apsp_reading_open(req, &self->reading, err);
	self->v = APSP_ALL_VERTICES;
	if (r == 0 && req->n_params > 1)
		r = apsp_reading_vertex(
			req, &self->reading, req->params[1], &self->v, err);
	if (r == 0)
		r = apsp_reading_etag(req, &self->reading, true, err);
	if (r != 0)
		return r;
	req->state = APSP_TAKE(self);
	req->state_free = apsp_vertex_reading_free;
	return 0;
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
