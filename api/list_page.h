/*
 * Lists that are sent in pages. This file reads ?limit=, makes the link to the
 * next page, and sends lists whose rows are all loaded before the reply begins.
 *
 *	list = apsp_list_rows_new(sizeof(row), limit + 1);
 *	… fill apsp_list_rows_at(list, i), set list->n, list->json, list->done …
 *	if (apsp_list_rows_cut(list, limit))
 *		… make the cursor of the next page …
 *	return apsp_list_rows_reply(req, list, "jobs", cursor, err);
 */
#ifndef APSP_API_LIST_PAGE_H
#define APSP_API_LIST_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "api/http/request.h"
#include "daemon/base/auto.h"
#include "daemon/base/err.h"
#include "daemon/base/limits.h"

enum {
	APSP_LIST_PAGE_DEFAULT = 100,
};

/* Read ?limit=, a number from 1 to APSP_LIST_PAGE_MAX. APSP_EMALFORMED: the
   value is not such a number. */
int apsp_list_page_limit(const struct apsp_request *req, size_t *out_limit,
	struct apsp_err *err);

/*
 * Add a Link header (RFC 8288) with the URL of the next page: the request's
 * arguments and this cursor. The link is relative to the URL of the request, so
 * it is correct behind any proxy. APSP_ENOMEM.
 */
int apsp_list_page_link(
	struct apsp_request *req, const char *cursor, struct apsp_err *err);

struct apsp_list_rows {
	size_t n; /* number of filled rows */
	size_t next;
	size_t row_size;
	void *ctx; /* passed to json(); borrowed */
	json_t *(*json)(void *ctx, const void *row); /* NULL: no memory */
	void (*done)(void *row); /* frees what the row owns; may be NULL */
	_Alignas(max_align_t) char rows[];
};

/*
 * Make a list with space for max rows of row_size bytes, all 0. NULL: no
 * memory.
 */
struct apsp_list_rows *apsp_list_rows_new(size_t row_size, size_t max);
void apsp_list_rows_free(struct apsp_list_rows *list); /* accepts NULL */
APSP_AUTO_DEFINE(
	apsp_list_rows_end, struct apsp_list_rows, apsp_list_rows_free);

/* The row at index i, which is less than max. */
void *apsp_list_rows_at(struct apsp_list_rows *list, size_t i);

/* Drop the last row if the list has more than `limit` rows. Returns whether it
   was dropped. */
bool apsp_list_rows_cut(struct apsp_list_rows *list, size_t limit);

/*
 * Reply with the rows as a list called `name`, and free the rows. `cursor` says
 * where the next page begins; NULL: this is the last page. In JSON, the cursor
 * is a member beside the list. NDJSON has no place for the cursor, so the reply
 * also has a Link header (RFC 8288) with the cursor and the request's other
 * arguments. Fails as apsp_rows_reply() does.
 */
int apsp_list_rows_reply(struct apsp_request *req, struct apsp_list_rows *list,
	const char *name, const char *cursor, struct apsp_err *err);

#endif
