/*
 * Lists that are loaded whole; see list_rows.h.
 */
#include "api/list_rows.h"

#include <stdlib.h>

#include "api/encode/json.h"

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

void apsp_list_rows_stream(
	struct apsp_list_rows *list, const char *name, struct apsp_rows *rows)
{
	rows->name = name;
	rows->write = row_write;
	rows->done = rows_done;
	rows->ctx = list;
}
