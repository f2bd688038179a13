/*
 * Gathering a body; see upload_body.h.
 */
#include "api/upload_body.h"

#include <stdlib.h>
#include <string.h>

enum {
	PIECE_BYTES = 65536, /* gathered before the pool is asked */
};

void apsp_upload_body_done(struct apsp_upload_body *body)
{
	free(body->piece);
	memset(body, 0, sizeof(*body));
}

int apsp_upload_body_coding(const struct apsp_request *req,
	enum apsp_coding *out, struct apsp_err *err)
{
	const char *coding = apsp_request_header(req, "Content-Encoding");

	if (!coding || strcasecmp(coding, "identity") == 0)
		*out = APSP_CODING_IDENTITY;
	else if (strcasecmp(coding, "gzip") == 0 ||
		 strcasecmp(coding, "x-gzip") == 0)
		*out = APSP_CODING_GZIP;
	else if (strcasecmp(coding, "zstd") == 0)
		*out = APSP_CODING_ZSTD;
	else
		return apsp_fail(err, APSP_EMEDIATYPE,
			"the Content-Encoding is '%s'; expected identity, gzip"
			" or zstd",
			coding);
	return 0;
}

void apsp_upload_body_hand_over(struct apsp_request *req,
	struct apsp_upload_body *body,
	int (*step)(struct apsp_request *req, struct apsp_err *err))
{
	body->at = body->piece;
	body->left = body->size;
	apsp_request_work(req, step);
}

int apsp_upload_body_add(struct apsp_request *req,
	struct apsp_upload_body *body, const char *data, size_t size,
	int (*step)(struct apsp_request *req, struct apsp_err *err),
	struct apsp_err *err)
{
	size_t need = body->size + size;
	char *piece;

	if (need > body->room) {
		/* libmicrohttpd's pieces are not larger than ours */
		size_t room = need < 2 * PIECE_BYTES ? 2 * PIECE_BYTES : need;

		piece = realloc(body->piece, room);
		if (!piece)
			return apsp_fail(
				err, APSP_ENOMEM, "no memory for an upload");
		body->piece = piece;
		body->room = room;
	}
	memcpy(body->piece + body->size, data, size);
	body->size = need;
	if (need >= PIECE_BYTES)
		apsp_upload_body_hand_over(req, body, step);
	return 0;
}
