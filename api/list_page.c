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

int apsp_list_page_limit(
	const struct apsp_request *req, size_t *out_limit, struct apsp_err *err)
{
	uint64_t limit;
	int r;

	r = apsp_query_uint(req, "limit", 1, APSP_LIST_PAGE_MAX,
		APSP_LIST_PAGE_DEFAULT, &limit, err);
	if (r < 0)
		return r;
	*out_limit = (size_t)limit;
	return 0;
}

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

struct apsp_list_rows *apsp_list_rows_new(size_t row_size, size_t max)
{
	struct apsp_list_rows *list = calloc(1, sizeof(*list) + max * row_size);

	if (list)
		list->row_size = row_size;
	return list;
}

void *apsp_list_rows_at(struct apsp_list_rows *list, size_t i)
{
	return list->rows + i * list->row_size;
}

void apsp_list_rows_free(struct apsp_list_rows *list)
{
	if (!list)
		return;
	for (size_t i = 0; list->done && i < list->n; i++)
		list->done(apsp_list_rows_at(list, i));
	free(list);
}

bool apsp_list_rows_cut(struct apsp_list_rows *list, size_t limit)
{
	if (list->n <= limit)
		return false;
	list->n--;
	if (list->done)
		list->done(apsp_list_rows_at(list, list->n));
	return true;
}

static int row_write(
	void *ctx, struct apsp_json_writer *w, struct apsp_err *err)
{
	struct apsp_list_rows *list = ctx;

	(void)err;
	if (list->next == list->n)
		return 0;
	apsp_json_tree(w,
		list->json(list->ctx, apsp_list_rows_at(list, list->next++)));
	return 1;
}

static void rows_done(void *ctx)
{
	apsp_list_rows_free(ctx);
}

int apsp_list_rows_reply(struct apsp_request *req, struct apsp_list_rows *list,
	const char *name, const char *cursor, struct apsp_err *err)
{
	struct apsp_rows rows = {
		.name = name,
		.write = row_write,
		.done = rows_done,
		.ctx = list,
	};
	int r = cursor ? apsp_list_page_link(req, cursor, err) : 0;

	if (r < 0) {
		apsp_list_rows_free(list);
		return r;
	}
	rows.head = json_pack("{s:s?}", "next", cursor);
	return apsp_rows_reply(req, &rows, err);
}
