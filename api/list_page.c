/*
 * Lists in pages; see list_page.h.
 */
#include "api/list_page.h"

#include <stdio.h>
#include <stdlib.h>

#include "api/encode/json.h"
#include "api/http/query.h"
#include "api/http/reply.h"
#include "api/http/rows.h"
#include "daemon/base/auto.h"

enum {
	LIMIT_DEFAULT = 100,
};

int apsp_list_page_link(
	struct apsp_request *req, const char *cursor, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) char *query = NULL;
	APSP_AUTO(apsp_free) char *link = NULL;
	int r;

	r = apsp_query_with(req, "cursor", cursor, &query, err);
	if (r < 0)
		return r;
	if (asprintf(&link, "<?%s>; rel=\"next\"", query) < 0) {
		link = NULL;
		return apsp_fail(err, APSP_ENOMEM, "no memory for a link");
	}
	return apsp_reply_header(req, "Link", link, err);
}

int apsp_list_rows_open(const struct apsp_request *req, size_t row_size,
	struct apsp_list_rows **out, struct apsp_err *err)
{
	struct apsp_list_rows *list;
	uint64_t limit;
	int r;

	r = apsp_query_uint(req, "limit", 1, APSP_LIST_PAGE_MAX, LIMIT_DEFAULT,
		&limit, err);
	if (r < 0)
		return r;
	list = calloc(1, sizeof(*list) + (limit + 1) * row_size);
	if (!list)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	list->limit = (size_t)limit;
	list->row_size = row_size;
	*out = list;
	return 0;
}

void apsp_list_rows_free(void *rows)
{
	struct apsp_list_rows *list = rows;

	if (!list)
		return;
	for (size_t i = 0; list->done && i < list->n; i++)
		list->done(apsp_list_rows_at(list, i));
	free(list);
}

void *apsp_list_rows_cut(struct apsp_list_rows *list)
{
	if (list->n <= list->limit)
		return NULL;
	list->n--;
	if (list->done)
		list->done(apsp_list_rows_at(list, list->n));
	return apsp_list_rows_at(list, list->n - 1);
}

static int row_write(void *ctx, struct apsp_cells *cells, struct apsp_err *err)
{
	struct apsp_list_rows *list = ctx;

	(void)err;
	if (list->next == list->n)
		return 0;
	apsp_json_tree(cells->json,
		list->json(list->ctx, apsp_list_rows_at(list, list->next++)));
	return 1;
}

int apsp_list_rows_reply(struct apsp_request *req, struct apsp_list_rows *list,
	const char *name, json_t *head, struct apsp_err *err)
{
	const char *cursor = json_string_value(json_object_get(head, "next"));
	struct apsp_rows rows = {
		.head = head,
		.name = name,
		.write = row_write,
		.done = apsp_list_rows_free,
		.ctx = list,
	};
	int r = cursor ? apsp_list_page_link(req, cursor, err) : 0;

	if (r < 0) {
		json_decref(head);
		apsp_list_rows_free(list);
		return r;
	}
	return apsp_rows_reply(req, &rows, err);
}
