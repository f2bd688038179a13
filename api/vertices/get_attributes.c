/*
 * GET /v1/graphs/{graph}/attributes: the attributes of the vertices as CSV, a
 * row for each vertex in index order. PUT accepts this CSV.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/encode/csv_writer.h"
#include "api/handlers.h"
#include "api/http/reply.h"
#include "api/http/stream.h"
#include "api/label_text.h"
#include "api/reading.h"
#include "daemon/base/auto.h"

enum {
	BLOCK_BYTES = 65536,
	KEPT_BYTES = 2 * BLOCK_BYTES,
};

/* The stream owns this. */
struct table {
	const struct apsp_graph_snapshot *snapshot; /* owned */
	const struct apsp_generation *generation;   /* of snapshot */
	const struct apsp_attributes *attributes;   /* of generation */
	bool begun;
	uint32_t next;
	struct apsp_text text;
};

static void table_free(void *ctx)
{
	struct table *table = ctx;

	if (!table)
		return;
	if (table->snapshot)
		apsp_graph_snapshot_unref(table->snapshot);
	apsp_text_done(&table->text);
	free(table);
}

APSP_AUTO_DEFINE(table_end, struct table, table_free);

static int table_next(
	void *ctx, struct apsp_stream_block *out, struct apsp_err *err)
{
	struct table *table = ctx;
	const struct apsp_attributes *attributes = table->attributes;
	struct apsp_csv_writer w = {.text = &table->text};
	uint32_t n = table->generation->n_vertices;
	uint32_t n_columns = attributes->n_columns;
	const char *text;
	int r;

	apsp_text_clear(&table->text, KEPT_BYTES);
	if (!table->begun) {
		apsp_csv_string(&w, "label", strlen("label"));
		for (uint32_t c = 0; c < n_columns; c++) {
			text = attributes->columns[c].name;
			apsp_csv_string(&w, text, strlen(text));
		}
		apsp_csv_row_end(&w);
	}
	table->begun = true;
	while (table->next < n && table->text.size < BLOCK_BYTES &&
		!table->text.failed) {
		uint32_t v = table->next++;

		apsp_label_csv(&w, table->generation->labels, v);
		for (uint32_t c = 0; c < n_columns; c++) {
			text = apsp_attributes_text(attributes, c, v);
			apsp_csv_string(&w, text, strlen(text));
		}
		apsp_csv_row_end(&w);
	}
	out->data = table->text.data;
	out->size = table->text.size;
	r = apsp_text_check(&table->text, err);
	return r < 0 ? r : table->next < n;
}

static int table_open(
	struct apsp_request *req, struct table **out, struct apsp_err *err)
{
	APSP_AUTO(table_end) struct table *table = NULL;
	char tag[APSP_TAG_SIZE];
	int r;

	table = calloc(1, sizeof(*table));
	if (!table)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	r = apsp_reading_shown(req, &table->snapshot, &table->generation, err);
	if (r < 0)
		return r;
	table->attributes = table->generation->attributes;
	if (!table->attributes)
		return apsp_fail(err, APSP_ENOROUTE,
			"the vertices of '%s' have no attributes; send them "
			"with PUT …/attributes",
			table->snapshot->name);
	apsp_attributes_tag(table->generation, tag);
	r = apsp_reply_etag(req, tag, err);
	if (r == 0)
		*out = APSP_TAKE(table);
	return r;
}

int apsp_api_get_attributes(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_stream stream = {
		.type = "text/csv; charset=utf-8",
		.size = APSP_STREAM_SIZE_UNKNOWN,
		.next = table_next,
		.done = table_free,
	};
	struct table *table = NULL;
	int r;

	r = table_open(req, &table, err);
	if (r != 0)
		return r < 0 ? r : 0;
	stream.ctx = table;
	return apsp_stream_reply(req, MHD_HTTP_OK, &stream, err);
}
