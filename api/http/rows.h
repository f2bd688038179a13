/*
 * Streamed rows, which are written as the client reads them.
 */
#ifndef APSP_API_HTTP_ROWS_H
#define APSP_API_HTTP_ROWS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "api/encode/json_writer.h"
#include "api/http/request.h"
#include "daemon/base/err.h"

/*
 * A stream of rows. In JSON they are one array member of an object; in NDJSON
 * each is a line; in other formats they are text, one behind another.
 */
struct apsp_rows {
	json_t *head; /* the object's other members; NULL: no memory */
	const char
		*name; /* the name of the array member; NULL: another format */
	const char *type; /* Content-Type; NULL: the type of the format */
	uint64_t size; /* in another format, the size of the answer; 0: unknown
			*/
	/*
	 * Append the next value, in another format to w->text, and return 1, or
	 * return 0 at the end or a negative code. An error in the first 32 KiB
	 * becomes the reply; a later one cuts the reply off.
	 */
	int (*write)(
		void *ctx, struct apsp_json_writer *w, struct apsp_err *err);
	bool in_pool; /* write() may take milliseconds, and the handler runs on
			 the pool */
	void (*done)(void *ctx); /* frees ctx; always called once */
	void *ctx;
};

/* Reply 200 with the stream, and release head. Errors of write(), APSP_ENOMEM.
 */
int apsp_rows_reply(
	struct apsp_request *req, struct apsp_rows *rows, struct apsp_err *err);

#endif
