/*
 * Gathers the body of an upload; see upload_body.h.
 */
#include "api/upload_body.h"

#include <stdlib.h>
#include <string.h>

enum {
	/*
	 * The first piece has PIECE_LEAST bytes. The size doubles with each
	 * piece, up to PIECE_MOST, because it takes time to hand a piece to
	 * another thread. A bundle of 567 MB arrived 1.5 times as fast with
	 * pieces of 1 MiB as with 64 KiB (16 processors).
	 */
	PIECE_LEAST = 65536,
	PIECE_MOST = 1048576,
	/* bytes that libmicrohttpd usually passes in one call */
	CALL_BYTES = 65536,
};

void apsp_upload_body_done(struct apsp_upload_body *body)
{
	free(body->received.bytes);
	free(body->parsed.bytes);
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

/*
 * Parse a part of the piece, on the thread pool. Returns 1 if another part of
 * the piece is left.
 */
static int piece_step(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_upload_body *body = req->state;
	int r = body->parse(req, &body->at, &body->left, err);

	return r == 0 && body->complete ? body->end(req, err) : r;
}

/* Make the received piece the piece that the pool parses next. */
static void swap(struct apsp_upload_body *body)
{
	struct apsp_piece piece = body->parsed;

	body->parsed = body->received;
	body->at = body->parsed.bytes;
	body->left = body->parsed.size;
	body->received = piece;
	body->received.size = 0;
}

/* Let the pool parse the received piece. Call this only if the pool is not
   parsing another piece. */
static void hand_over(struct apsp_request *req)
{
	struct apsp_upload_body *body = req->state;

	swap(body);
	if (body->wanted < PIECE_MOST)
		body->wanted *= 2;
	apsp_request_work_beside(req, piece_step);
}

/* Make sure that a piece has memory for n bytes. If the memory must grow, it
   grows to at least `usual` bytes. */
static int piece_grow(
	struct apsp_piece *piece, size_t n, size_t usual, struct apsp_err *err)
{
	char *bytes;

	if (n <= piece->room)
		return 0;
	bytes = realloc(piece->bytes, n > usual ? n : usual);
	if (!bytes)
		return apsp_fail(err, APSP_ENOMEM, "no memory for an upload");
	piece->bytes = bytes;
	piece->room = n > usual ? n : usual;
	return 0;
}

int apsp_upload_body_add(struct apsp_request *req, const char *data,
	size_t size, struct apsp_err *err)
{
	struct apsp_upload_body *body = req->state;
	struct apsp_piece *piece = &body->received;
	int r;

	if (body->wanted == 0)
		body->wanted = PIECE_LEAST;
	/* if this piece is complete already, the previous call has completed it
	   while the pool was parsing another piece, and then waited for the
	   pool. So the pool is free now */
	if (piece->size >= body->wanted)
		hand_over(req);
	/* reserve CALL_BYTES more than a piece needs, because the call that
	   completes a piece usually adds at most CALL_BYTES */
	r = piece_grow(
		piece, piece->size + size, body->wanted + CALL_BYTES, err);
	if (r < 0)
		return r;
	memcpy(piece->bytes + piece->size, data, size);
	piece->size += size;
	if (piece->size < body->wanted)
		return 0;
	if (apsp_request_works_beside(req)) {
		apsp_request_await_work(req);
		return 0;
	}
	/* parsing the previous piece may have failed while this piece
	   arrived */
	r = apsp_request_result(req, err);
	if (r == 0)
		hand_over(req);
	return r;
}

int apsp_upload_body_end(struct apsp_request *req)
{
	struct apsp_upload_body *body = req->state;

	if (body->complete)
		return 0;
	body->complete = true;
	swap(body);
	apsp_request_work(req, piece_step);
	return 1;
}
