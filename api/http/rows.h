/*
 * Replies that are streams of rows. Rows are written only when the client is
 * ready to receive them.
 */
#ifndef APSP_API_HTTP_ROWS_H
#define APSP_API_HTTP_ROWS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "api/encode/cells.h"
#include "api/http/request.h"
#include "daemon/base/err.h"

enum {
	APSP_ROWS_LATER = 2, /* result of write() in struct apsp_rows: the row
				needs more time */
};

/*
 * A stream of rows. In JSON, the rows are an array, which is one member of an
 * object. In NDJSON, each row is a line. In other formats, write() appends
 * text.
 */
struct apsp_rows {
	json_t *head; /* the members of the JSON object that precede the array
			 of rows. If `head` is NULL but `name` is not, memory
			 was missing, and the reply fails */
	const char *name; /* name of the array of rows in the JSON object; NULL:
			     the format is neither JSON nor NDJSON */
	const char *type; /* Content-Type; NULL: the media type of the request's
			     format */
	/* Called only if `name` is NULL: append the names of the columns.
	   `names` has the form APSP_CELLS_NAMES. A format without names appends
	   its first bytes to names->csv.text. If begin is NULL, the answer
	   begins with its rows. */
	void (*begin)(void *ctx, struct apsp_cells *names);
	uint64_t size; /* bytes of the answer, if its format is neither JSON nor
			  NDJSON; 0: unknown */
	/*
	 * Append the next row. If `name` is NULL, a row consists of cells of
	 * CSV, or of bytes that are appended to cells->csv.text. Otherwise a
	 * row is a value of JSON: an object of cells, or another value that
	 * cells->json writes.
	 * Returns 1 if a row was appended, 0 if no row was left, or a negative
	 * code. Returns APSP_ROWS_LATER if the row takes more time and nothing
	 * was appended; the next call then continues with this row. An error in
	 * the first 32 KiB becomes the reply; a later error cuts the reply off.
	 */
	int (*write)(void *ctx, struct apsp_cells *cells, struct apsp_err *err);
	bool in_pool; /* write() may take milliseconds, so all blocks but the
			 first are made on the pool */
	void (*done)(void *ctx); /* frees ctx; called exactly once */
	void *ctx;
};

/* Reply 200 with the stream of rows. The JSON value rows->head is released.
   Fails as rows->write() and apsp_stream_reply() do; the handler must return
   the result. */
int apsp_rows_reply(
	struct apsp_request *req, struct apsp_rows *rows, struct apsp_err *err);

#endif
