/*
 * Long replies that were made whole; see whole.h.
 */
#include "api/http/whole.h"

#include <stdlib.h>
#include <string.h>

#include "api/connection/connection.h"
#include "api/http/internal.h"
#include "daemon/base/auto.h"
#include "daemon/base/budget.h"
#include "daemon/base/clock.h"

enum {
	PIECE_BYTES = 32768, /* that libmicrohttpd asks for at once */
};

struct whole {
	struct apsp_text text;
	struct apsp_share share;
	struct apsp_connection *conn;
	size_t handed; /* bytes, by the last call of read_whole() */
};

static void whole_free(void *cls)
{
	struct whole *whole = cls;

	if (!whole)
		return;
	apsp_text_done(&whole->text);
	apsp_share_close(&whole->share);
	free(whole);
}

APSP_AUTO_DEFINE(whole_end, struct whole, whole_free);

static ssize_t read_whole(void *cls, uint64_t pos, char *buffer, size_t max)
{
	struct whole *whole = cls;
	struct apsp_pace *pace = &whole->conn->pace;
	size_t left = whole->text.size - (size_t)pos;
	int64_t now = apsp_clock_ns();

	apsp_pace_moved(pace, whole->handed, now);
	whole->handed = left < max ? left : max;
	memcpy(buffer, whole->text.data + pos, whole->handed);
	apsp_pace_wait(pace, now);
	return (ssize_t)whole->handed;
}

int apsp_whole_response(struct apsp_request *req, struct apsp_text *bytes,
	struct MHD_Response **out, struct apsp_err *err)
{
	APSP_AUTO(whole_end) struct whole *whole = NULL;
	int r;

	whole = calloc(1, sizeof(*whole));
	if (!whole)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a reply");
	whole->conn = req->exchange->conn;
	r = apsp_request_share(req, &whole->share, err);
	if (r == 0)
		r = apsp_share_set(
			&whole->share, bytes->room, "the answer", err);
	if (r < 0)
		return r;
	*out = MHD_create_response_from_callback(
		bytes->size, PIECE_BYTES, read_whole, whole, whole_free);
	if (!*out)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a reply");
	whole->text = *bytes;
	*bytes = (struct apsp_text){0};
	whole = NULL; /* the response has it */
	return 0;
}
