/*
 * Lists that are sent in pages. This file reads ?limit=, makes the link to the
 * next page, and sends lists whose rows are all loaded before the reply begins.
 *
 *	r = apsp_list_rows_open(req, sizeof(row), &list, err);
 *	… fill list->limit + 1 rows at apsp_list_rows_at(list, i), and set
 *	list->n, list->json, list->done …
 *	last = apsp_list_rows_cut(list);
 *	… if it is not NULL, make the cursor of the next page …
 *	return apsp_list_rows_reply(req, list, "jobs", head, err);
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

/*
 * Add a Link header (RFC 8288) with the URL of the next page: the request's
 * arguments and this cursor. The link is relative to the URL of the request, so
 * it is correct behind any proxy. APSP_ENOMEM.
 */
int apsp_list_page_link(
	struct apsp_request *req, const char *cursor, struct apsp_err *err);

struct apsp_list_rows {
	size_t limit; /* largest number of rows of a page */
	size_t n;     /* number of filled rows */
	size_t next;
	size_t row_size;
	void *ctx; /* passed to json(); borrowed */
	/* returns a row as JSON; NULL: no memory */
	json_t *(*json)(void *ctx, const void *row);
	void (*done)(void *row); /* frees the memory that the row owns; may be
				    NULL */
	_Alignas(max_align_t) char rows[];
};

/*
 * Read ?limit=, a number from 1 to APSP_LIST_PAGE_MAX, and allocate a list with
 * space for limit + 1 rows of zeros. The additional row shows whether another
 * page follows. The caller frees *out with apsp_list_rows_free().
 * APSP_EMALFORMED: ?limit= is not a number in this range. APSP_ENOMEM.
 */
int apsp_list_rows_open(const struct apsp_request *req, size_t row_size,
	struct apsp_list_rows **out, struct apsp_err *err);
void apsp_list_rows_free(void *list); /* accepts NULL */
APSP_AUTO_DEFINE(
	apsp_list_rows_end, struct apsp_list_rows, apsp_list_rows_free);

/* Return the row at index i. The index is at most `limit`. */
static inline void *apsp_list_rows_at(struct apsp_list_rows *list, size_t i)
{
	return list->rows + i * list->row_size;
}

/* If the list has more than `limit` rows, drop the last row, and return the row
   before it, at which the page ends. Returns NULL if this is the last page. */
void *apsp_list_rows_cut(struct apsp_list_rows *list);

/*
 * Reply with the rows as a list called `name`, and free the rows. `head` has
 * the members that JSON has beside the list, and is released. One of these
 * members is `next`: the cursor of the next page, or null if this is the last
 * page. If `head` is NULL, memory was short, and the reply fails. NDJSON has no
 * place for the cursor, so the reply also has a Link header (RFC 8288) with the
 * cursor and the request's other arguments. Fails as apsp_rows_reply() does.
 */
int apsp_list_rows_reply(struct apsp_request *req, struct apsp_list_rows *list,
	const char *name, json_t *head, struct apsp_err *err);

#endif
