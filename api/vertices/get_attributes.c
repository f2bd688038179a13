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
#include "api/http/rows.h"
#include "api/label_text.h"
#include "api/reading.h"
#include "daemon/base/auto.h"
#include "storage/snapshots/precondition.h"

/* The stream owns this. */
struct table {
	const struct apsp_graph_snapshot *snapshot; /* owned */
	const struct apsp_generation *generation;   /* borrowed from snapshot */
	const struct apsp_attributes *attributes; /* borrowed from generation */
	bool begun;
	uint32_t next;
};

static void table_free(void *ctx)
{
	struct table *table = ctx;

	if (!table)
		return;
	if (table->snapshot)
		apsp_graph_snapshot_unref(table->snapshot);
	free(table);
}

APSP_AUTO_DEFINE(table_end, struct table, table_free);

/* Write the next row: first the row of names, then a row for each vertex. */
static int row_write(
	void *ctx, struct apsp_json_writer *rows, struct apsp_err *err)
{
	struct table *table = ctx;
	const struct apsp_attributes *attributes = table->attributes;
	struct apsp_csv_writer w = {.text = rows->text};
	uint32_t v = table->next;
	bool names = !table->begun;
	const char *text;

	(void)err;
	if (table->begun && v == table->generation->n_vertices)
		return 0;
	if (names)
		apsp_csv_string(&w, "label", strlen("label"));
	else
		apsp_label_csv(&w, table->generation->labels, v);
	for (uint32_t c = 0; c < attributes->n_columns; c++) {
		text = names ? attributes->columns[c].name
			     : apsp_attributes_text(attributes, c, v);
		apsp_csv_string(&w, text, strlen(text));
	}
	apsp_csv_row_end(&w);
	table->begun = true;
	table->next += !names;
	return 1;
}

int apsp_api_get_attributes(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(table_end) struct table *table = NULL;
	struct apsp_rows rows = {
		.type = "text/csv; charset=utf-8",
		.write = row_write,
		.done = table_free,
	};
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
	if (r != 0)
		return r < 0 ? r : 0;
	rows.ctx = APSP_TAKE(table);
	return apsp_rows_reply(req, &rows, err);
}
