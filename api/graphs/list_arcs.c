/*
 * GET /v1/graphs/{graph}/arcs: the arcs as they were uploaded, unmerged and in
 * their order, as CSV, Matrix Market or NumPy (rows of from, to and weight,
 * where vertices are indices). No tables are read. Memory holds one block of
 * arcs.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "api/encode/csv_writer.h"
#include "api/encode/npy_header.h"
#include "api/encode/real.h"
#include "api/handlers.h"
#include "api/http/reply.h"
#include "api/http/stream.h"
#include "api/label_text.h"
#include "api/reading.h"
#include "daemon/base/auto.h"
#include "storage/stored_arcs.h"

enum {
	KEPT_BYTES = 1 << 17, /* of text, kept from block to block */
	NPY_COLUMNS = 3,
};

/* The stream owns this. */
struct arcs {
	struct apsp_store *store;
	const struct apsp_graph_snapshot *snapshot; /* owned */
	const struct apsp_generation *generation;   /* of snapshot */
	enum apsp_reply_format format;
	bool begun;
	uint64_t next;
	struct apsp_text text;
	struct apsp_arc arcs[APSP_STORED_ARCS_MAX];
};

static void arcs_free(void *ctx)
{
	struct arcs *self = ctx;

	if (!self)
		return;
	apsp_graph_snapshot_unref(self->snapshot);
	apsp_text_done(&self->text);
	free(self);
}

APSP_AUTO_DEFINE(arcs_end, struct arcs, arcs_free);

static void head_put(struct arcs *self)
{
	const struct apsp_generation *generation = self->generation;
	const uint64_t dimensions[] = {generation->n_arcs, NPY_COLUMNS};
	char head[256];

	if (self->format == APSP_REPLY_CSV)
		snprintf(head, sizeof(head), "from,to,weight\n");
	else
		snprintf(head, sizeof(head),
			"%%%%MatrixMarket matrix coordinate real general\n"
			"%% vertex 1 is the first of …/vertices, and so on\n"
			"%" PRIu32 " %" PRIu32 " %" PRIu64 "\n",
			generation->n_vertices, generation->n_vertices,
			generation->n_arcs);
	if (self->format == APSP_REPLY_NPY) {
		apsp_npy_header_write('f', sizeof(double), dimensions, 2, head);
		apsp_text_append(&self->text, head, APSP_NPY_HEADER_SIZE);
	} else {
		apsp_text_append(&self->text, head, strlen(head));
	}
}

static void arc_put_csv(struct arcs *self, const struct apsp_arc *arc)
{
	const struct apsp_labels *labels = self->generation->labels;
	struct apsp_csv_writer w = {.text = &self->text};

	apsp_label_csv(&w, labels, arc->from);
	apsp_label_csv(&w, labels, arc->to);
	apsp_csv_real(&w, arc->weight);
	apsp_csv_row_end(&w);
}

static void number_put(struct arcs *self, double value, char end)
{
	apsp_real_append(&self->text, value);
	apsp_text_byte(&self->text, end);
}

static void arc_put(struct arcs *self, const struct apsp_arc *arc)
{
	const double row[NPY_COLUMNS] = {arc->from, arc->to, arc->weight};

	if (self->format == APSP_REPLY_CSV) {
		arc_put_csv(self, arc);
	} else if (self->format == APSP_REPLY_NPY) {
		apsp_text_append(&self->text, row, sizeof(row));
	} else {
		number_put(self, row[0] + 1, ' ');
		number_put(self, row[1] + 1, ' ');
		number_put(self, row[2], '\n');
	}
}

static int arcs_next(
	void *ctx, struct apsp_stream_block *out, struct apsp_err *err)
{
	struct arcs *self = ctx;
	uint32_t n_vertices = self->generation->n_vertices;
	int n;

	apsp_text_clear(&self->text, KEPT_BYTES);
	if (!self->begun)
		head_put(self);
	self->begun = true;
	n = apsp_stored_arcs_read(self->store, self->generation, self->next,
		self->arcs, APSP_STORED_ARCS_MAX, err);
	if (n < 0)
		return n;
	for (int i = 0; i < n; i++) {
		if (self->arcs[i].from >= n_vertices ||
			self->arcs[i].to >= n_vertices)
			return apsp_fail(err, APSP_EDB,
				"the database holds an arc of no vertex");
		arc_put(self, &self->arcs[i]);
	}
	self->next += (uint64_t)n;
	out->data = self->text.data;
	out->size = self->text.size;
	n = apsp_text_check(&self->text, err);
	return n < 0 ? n : self->next < self->generation->n_arcs;
}

static int arcs_open(
	struct apsp_request *req, struct arcs **out, struct apsp_err *err)
{
	APSP_AUTO(arcs_end) struct arcs *self = NULL;
	char id[APSP_HASH_SIZE + 8];
	int r;

	self = calloc(1, sizeof(*self));
	if (!self)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	r = apsp_reading_shown(req, &self->snapshot, &self->generation, err);
	if (r < 0)
		return r;
	self->store = req->config->store;
	self->format = req->format;
	snprintf(id, sizeof(id), "%s-arcs", self->generation->revision);
	r = apsp_reply_etag(req, id, err);
	if (r == 0)
		*out = APSP_TAKE(self);
	return r;
}

int apsp_api_list_arcs(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_stream stream = {
		.size = APSP_STREAM_SIZE_UNKNOWN,
		.next = arcs_next,
		.in_pool = true,
		.done = arcs_free,
	};
	struct arcs *self = NULL;
	int r;

	r = apsp_request_move(req, err);
	if (r == 0)
		r = arcs_open(req, &self, err);
	if (r != 0)
		return r < 0 ? r : 0;
	stream.ctx = self;
	if (self->format == APSP_REPLY_CSV)
		stream.type = "text/csv; charset=utf-8";
	else if (self->format == APSP_REPLY_MTX)
		stream.type = "text/x-matrix-market";
	else
		stream.type = "application/x-npy";
	if (self->format == APSP_REPLY_NPY)
		stream.size = APSP_NPY_HEADER_SIZE + self->generation->n_arcs *
							     NPY_COLUMNS *
							     sizeof(double);
	return apsp_stream_reply(req, MHD_HTTP_OK, &stream, err);
}
