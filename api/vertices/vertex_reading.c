/* Data for answers about one vertex; see vertex_reading.h. */
#include "api/vertices/vertex_reading.h"

void apsp_vertex_reading_done(struct apsp_vertex_reading *self)
{
	apsp_adjacency_cache_close(self->arcs);
	apsp_reading_done(&self->reading);
}

int apsp_vertex_reading_open(struct apsp_request *req,
	struct apsp_vertex_reading *self, struct apsp_err *err)
{
	int r = apsp_request_move(req, err);

	if (r == 0 && !self->reading.tables) {
		self->v = APSP_ALL_VERTICES;
		r = apsp_reading_open(req, &self->reading, err);
		if (r == 0 && req->n_params > 1)
			r = apsp_reading_vertex(req, &self->reading,
				req->params[1], &self->v, err);
		if (r == 0)
			r = apsp_reading_etag(req, &self->reading, true, err);
	}
	return r != 0 ? r
		      : apsp_reading_arcs(
				req, &self->reading, &self->arcs, err);
}
