/*
 * GET /v1/graphs/{graph}/arcs: the uploaded arcs, not merged and in the order
 * of the upload, as CSV, Matrix Market or NumPy. In NumPy, a row has the
 * numbers from, to and weight; from and to are indices of vertices. To send the
 * uploaded arcs, the handler reads no tables, and has only one block of arcs in
 * memory at a time. With ?sort= or ?profile=, the answer has the arcs of a
 * profile instead (profile_arcs.h).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "api/encode/csv_writer.h"
#include "api/encode/npy_header.h"
#include "api/encode/real.h"
#include "api/handlers.h"
#include "api/http/query.h"
#include "api/http/reply.h"
#include "api/http/rows.h"
#include "api/label_text.h"
#include "api/reading.h"
#include "api/vertices/profile_arcs.h"
#include "daemon/base/auto.h"
#include "storage/stored_arcs.h"

enum {
	NPY_COLUMNS = 3,
};

/* The state of one reply; the reply's stream owns it. */
struct arcs {
	struct apsp_store *store;
	const struct apsp_graph_snapshot *snapshot; /* owned */
	const struct apsp_generation *generation;   /* borrowed from snapshot */
	enum apsp_reply_format format;
	uint64_t next;
	struct apsp_arcs_digest digest; /* digest of the arcs before `next` */
	struct apsp_arc arcs[APSP_STORED_ARCS_MAX];
};

static void arcs_free(void *ctx)
{
	struct arcs *self = ctx;

	if (!self)
		return;
	apsp_graph_snapshot_unref(self->snapshot);
	free(self);
}

APSP_AUTO_DEFINE(arcs_end, struct arcs, arcs_free);

static void head_write(void *ctx, struct apsp_cells *names)
{
	struct apsp_text *out = names->csv.text;
	const struct arcs *self = ctx;
	const struct apsp_generation *generation = self->generation;
	const uint64_t dimensions[] = {generation->n_arcs, NPY_COLUMNS};
	char header[APSP_NPY_HEADER_SIZE];

	if (self->format == APSP_REPLY_CSV) {
		apsp_text_printf(out, "from,to,weight\n");
	} else if (self->format == APSP_REPLY_NPY) {
		apsp_npy_header_write(
			'f', sizeof(double), dimensions, 2, header);
		apsp_text_append(out, header, sizeof(header));
	} else {
		apsp_text_printf(out,
			"%%%%MatrixMarket matrix coordinate real general\n"
			"%% vertex 1 is the first of …/vertices, and so on\n"
			"%" PRIu32 " %" PRIu32 " %" PRIu64 "\n",
			generation->n_vertices, generation->n_vertices,
			generation->n_arcs);
	}
}

static void arc_write(const struct arcs *self, const struct apsp_arc *arc,
	struct apsp_text *out)
{
	const double row[NPY_COLUMNS] = {arc->from, arc->to, arc->weight};
	const struct apsp_labels *labels = self->generation->labels;
	struct apsp_csv_writer w = {.text = out};

	if (self->format == APSP_REPLY_CSV) {
		apsp_label_csv(&w, labels, arc->from);
		apsp_label_csv(&w, labels, arc->to);
		apsp_csv_real(&w, arc->weight);
		apsp_csv_row_end(&w);
	} else if (self->format == APSP_REPLY_NPY) {
		apsp_text_append(out, row, sizeof(row));
	} else {
		apsp_real_append(out, row[0] + 1);
		apsp_text_byte(out, ' ');
		apsp_real_append(out, row[1] + 1);
		apsp_text_byte(out, ' ');
		apsp_real_append(out, row[2]);
		apsp_text_byte(out, '\n');
	}
}

static int arcs_write(void *ctx, struct apsp_cells *cells, struct apsp_err *err)
{
	struct arcs *self = ctx;
	int n;

	if (self->next == self->generation->n_arcs)
		return 0;
	n = apsp_stored_arcs_read(self->store, self->generation, self->next,
		&self->digest, self->arcs, err);
	if (n < 0)
		return n;
	for (int i = 0; i < n; i++)
		arc_write(self, &self->arcs[i], cells->csv.text);
	self->next += (uint64_t)n;
	return 1;
}

/* Whether the query asks for the arcs of a profile. */
static int profile_wanted(
	const struct apsp_request *req, bool *out, struct apsp_err *err)
{
	const char *const paged[] = {"limit", "cursor"};

	*out = apsp_query_get(req, "sort") || apsp_query_get(req, "profile");
	for (size_t i = 0; !*out && i < sizeof(paged) / sizeof(*paged); i++)
		if (apsp_query_get(req, paged[i]))
			return apsp_fail(err, APSP_EMALFORMED,
				"%s requires sort or profile, which ask for "
				"the arcs of a profile; the arcs as uploaded "
				"are one file",
				paged[i]);
	if (*out && req->format != APSP_REPLY_CSV)
		return apsp_fail(err, APSP_EMALFORMED,
			"sort and profile require format=csv; npy and mtx have "
			"the arcs as they were uploaded");
	return 0;
}

int apsp_api_list_arcs(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(arcs_end) struct arcs *self = NULL;
	struct apsp_rows rows = {
		.begin = head_write,
		.write = arcs_write,
		.in_pool = true,
		.done = arcs_free,
	};
	char id[APSP_HASH_SIZE + 8];
	bool of_profile;
	int r;

	r = profile_wanted(req, &of_profile, err);
	if (r < 0)
		return r;
	if (of_profile)
		return apsp_profile_arcs_reply(req, err);
	r = apsp_request_move(req, err);
	if (r < 0)
		return r;
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
	if (r != 0)
		return r < 0 ? r : 0;
	if (req->format == APSP_REPLY_CSV)
		rows.type = "text/csv; charset=utf-8";
	if (req->format == APSP_REPLY_NPY)
		rows.size = APSP_NPY_HEADER_SIZE + self->generation->n_arcs *
							   NPY_COLUMNS *
							   sizeof(double);
	rows.ctx = APSP_TAKE(self);
	return apsp_rows_reply(req, &rows, err);
}
