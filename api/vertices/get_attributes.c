/*
 * GET /v1/graphs/{graph}/attributes: the attributes of the vertices as CSV, a
 * row for each vertex in index order. PUT accepts this CSV.
 */
#include <stdlib.h>

#include "api/handlers.h"
#include "api/http/reply.h"
#include "api/http/rows.h"
#include "api/reading.h"
#include "api/attribute_row.h"
#include "daemon/base/auto.h"
#include "storage/snapshots/precondition.h"

/* The state of one reply; the reply's stream owns it. */
struct table {
	const struct apsp_graph_snapshot *snapshot; /* owned */
	const struct apsp_generation *generation;   /* borrowed from snapshot */
	uint32_t next;
};

static void table_free(void *ctx)
{
	struct table *table = ctx;

	if (!table)
		return;
	apsp_graph_snapshot_unref(table->snapshot);
	free(table);
}

APSP_AUTO_DEFINE(table_end, struct table, table_free);

static void names_write(void *ctx, struct apsp_cells *names)
{
	const struct table *table = ctx;

	apsp_attribute_row(table->generation, 0, "label", NULL, names);
}

static int row_write(void *ctx, struct apsp_cells *cells, struct apsp_err *err)
{
	struct table *table = ctx;

	(void)err;
	if (table->next == table->generation->n_vertices)
		return 0;
	apsp_attribute_row(
		table->generation, table->next++, "label", NULL, cells);
	return 1;
}

int apsp_api_get_attributes(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(table_end) struct table *table = NULL;
	struct apsp_rows rows = {
		.type = "text/csv; charset=utf-8",
		.begin = names_write,
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
	if (!table->generation->attributes)
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
