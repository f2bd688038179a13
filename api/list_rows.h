/*
 * Rows of a list that are loaded whole before the reply begins.
 *
 *	list = apsp_list_rows_new(sizeof(row), limit + 1);
 *	… fill apsp_list_rows_at(list, i), set list->n, list->json, list->done …
 *	apsp_list_rows_stream(list, "jobs", &rows);
 */
#ifndef APSP_API_LIST_ROWS_H
#define APSP_API_LIST_ROWS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "api/http/rows.h"
#include "daemon/base/auto.h"

struct apsp_list_rows {
	size_t n; /* filled rows */
	size_t next;
	size_t row_size;
	void *ctx;				     /* of json(), borrowed */
	json_t *(*json)(void *ctx, const void *row); /* NULL: no memory */
	void (*done)(void *row); /* what the row holds; may be NULL */
	_Alignas(max_align_t) char rows[];
};

/* Room for max rows of row_size bytes, all 0. NULL: no memory. */
struct apsp_list_rows *apsp_list_rows_new(size_t row_size, size_t max);
void apsp_list_rows_free(struct apsp_list_rows *list); /* accepts NULL */
APSP_AUTO_DEFINE(
	apsp_list_rows_end, struct apsp_list_rows, apsp_list_rows_free);

/* The row at index i, below the number that there is room for. */
void *apsp_list_rows_at(struct apsp_list_rows *list, size_t i);

/* Drop the last row if there are more than limit. Returns whether it did. */
bool apsp_list_rows_cut(struct apsp_list_rows *list, size_t limit);

/* Make rows a stream of the list under this name; rows then owns the list. */
void apsp_list_rows_stream(
	struct apsp_list_rows *list, const char *name, struct apsp_rows *rows);

#endif
