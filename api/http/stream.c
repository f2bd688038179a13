/*
 * Streamed replies; see stream.h. libmicrohttpd calls read_stream() on the
 * connection's thread, without a lock of ours, whenever the client has room for
 * more bytes. Blocks that need time are made on the pool, while the connection
 * is suspended.
 */
#include "api/http/stream.h"

#include <stdlib.h>
#include <string.h>

#include "api/connection/connection.h"
#include "api/encode/compressor.h"
#include "api/encode/text.h"
#include "api/http/internal.h"
#include "api/http/negotiate.h"
#include "api/http/reply.h"
#include "daemon/base/clock.h"

enum {
	PIECE_BYTES = 32768,  /* so many bytes libmicrohttpd asks for at once */
	LARGE_PIECE = 131072, /* the same, of an answer of known size */
	PACKED_BYTES =
		65536, /* a compressed block has at least so many bytes */
	KEPT_BYTES = 2 * PACKED_BYTES,
	/* a block that is no larger needs no share of the budget of answers */
	FREE_BYTES = 2 * PACKED_BYTES,
	FIRST_TURNS =
		20, /* after so many turns the answer begins without a block */
	SMALL_BYTES = 1024, /* not worth compressing */
};

struct stream {
	struct apsp_stream source;
	struct apsp_share share; /* opened with the first large block */
	struct apsp_budget *answers;
	struct MHD_Connection *connection;
	struct apsp_connection *conn;
	struct apsp_work_pool *pool;
	struct apsp_work work;
	int64_t working_since_ns;
	int64_t grace_ns; /* until the rate counts */
	uint32_t rate;	  /* bytes a second that the client must read */
	bool ended;	  /* the block has the last bytes */
	bool failed; /* the block has the last bytes, although the answer is not
			complete */
	struct apsp_stream_block block; /* the present one */
	size_t sent;			/* of it */
	size_t handed; /* of these, the bytes that the last call of
			  read_stream() copied */
	struct apsp_compressor *compressor; /* or NULL */
	struct apsp_text packed;	    /* the block, compressed */
};

static void stream_free(void *cls)
{
	struct stream *s = cls;

	s->source.done(s->source.ctx);
	apsp_compressor_free(s->compressor);
	apsp_text_done(&s->packed);
	apsp_share_close(&s->share);
	free(s);
}

/* Count the memory of the present block in the budget. */
static int hold(struct stream *s, struct apsp_err *err)
{
	uint64_t bytes = s->source.mapped ? 0 : s->block.size;
	int r = 0;

	if (s->compressor)
		bytes += apsp_compressor_bytes(s->compressor) + s->packed.room;
	if (bytes <= FREE_BYTES)
		bytes = 0;
	if (bytes > 0 && !s->share.budget)
		r = apsp_share_open(
			s->answers, &s->conn->holder, 0, &s->share, err);
	return r < 0 ? r : apsp_share_set(&s->share, bytes, "the answer", err);
}

static int trust(struct stream *s, struct apsp_err *err)
{
	return s->source.trust ? s->source.trust(s->source.ctx, err) : 0;
}

/* Compress the block into the one that is sent. */
static int pack(struct stream *s, struct apsp_err *err)
{
	int r = apsp_compressor_feed(s->compressor, s->block.data,
		s->block.size, s->ended, &s->packed, err);

	if (r == 0)
		r = trust(s, err);
	s->block = (struct apsp_stream_block){s->packed.data, s->packed.size};
	return r;
}

/* Make the next block, also as a step of work. Returns 1 if the time of a
   turn is up and the block is not complete. */
static int make(void *ctx, struct apsp_err *err)
{
	struct stream *s = ctx;
	size_t enough = s->compressor ? PACKED_BYTES : 1;
	int r;

	s->block = (struct apsp_stream_block){0};
	r = s->source.next(s->source.ctx, &s->block, err);
	if (r < 0)
		return r;
	s->ended = r == 0;
	r = hold(s, err);
	if (r == 0 && s->compressor)
		r = pack(s, err);
	if (r < 0)
		return r;
	return !s->ended && s->block.size < enough;
}

static void make_done(void *ctx, int result, const struct apsp_err *err)
{
	struct stream *s = ctx;

	(void)err; /* the client sees the end of the connection */
	s->failed = result < 0;
	if (s->failed)
		s->block.size = 0;
	/* the time in which we made the block does not count against the
	   client */
	s->grace_ns += apsp_clock_ns() - s->working_since_ns;
	MHD_resume_connection(s->connection);
}

/* The block was sent: make the next one. */
static void block_begin(struct stream *s)
{
	int r;

	s->sent = 0;
	s->block = (struct apsp_stream_block){0};
	apsp_text_clear(&s->packed, KEPT_BYTES);
	if (!s->source.in_pool) {
		do {
			r = make(s, NULL);
		} while (r == 1);
		s->failed = r < 0;
		if (s->failed)
			s->block.size = 0;
		return;
	}
	s->working_since_ns = apsp_clock_ns();
	s->conn->deadline_ns = APSP_NO_DEADLINE;
	MHD_suspend_connection(s->connection);
	apsp_work_pool_add(s->pool, &s->work);
}

static ssize_t cut_off(struct stream *s)
{
	/* in HTTP/1.0 the end of the stream would look like the answer's */
	apsp_connection_reset(s->conn);
	return MHD_CONTENT_READER_END_WITH_ERROR;
}

static ssize_t read_stream(void *cls, uint64_t pos, char *buffer, size_t max)
{
	struct stream *s = cls;
	struct apsp_pace *pace = &s->conn->pace;
	size_t n;

	apsp_pace_moved(pace, s->handed, apsp_clock_ns());
	s->handed = 0;
	if (s->sent == s->block.size && !s->ended && !s->failed) {
		block_begin(s);
		if (s->source.in_pool)
			return 0; /* suspended */
	}
	n = s->block.size - s->sent;
	if (n == 0)
		return s->failed ? cut_off(s)
				 : MHD_CONTENT_READER_END_OF_STREAM;
	n = n < max ? n : max;
	memcpy(buffer, s->block.data + s->sent, n);
	if (!s->compressor && trust(s, NULL) < 0)
		return cut_off(s);
	s->sent += n;
	s->handed = n;
	apsp_pace_wait(pace, apsp_clock_ns());
	if (s->rate > 0)
		s->conn->deadline_ns =
			s->grace_ns +
			(int64_t)((pos + n) / s->rate * 1000000000);
	return (ssize_t)n;
}

/*
 * Make the first block: a failure still becomes an error reply. Compressing
 * begins here, unless the block is a whole short answer.
 */
static int first_block(
	struct stream *s, enum apsp_packing coding, struct apsp_err *err)
{
	int r, turns = 0;

	do {
		r = make(s, err);
	} while (r == 1 && ++turns < FIRST_TURNS);
	if (r < 0 || coding == APSP_PACKING_IDENTITY ||
		(s->ended && s->block.size < SMALL_BYTES))
		return r;
	r = apsp_compressor_new(coding, &s->compressor, err);
	if (r == 0)
		r = hold(s, err);
	return r < 0 ? r : pack(s, err);
}

int apsp_stream_reply(struct apsp_request *req, unsigned int status,
	const struct apsp_stream *source, struct apsp_err *err)
{
	enum apsp_packing coding =
		apsp_negotiate_packing(req, source->as_it_is);
	const struct apsp_limits *limits = &req->config->limits;
	struct MHD_Response *response = NULL;
	struct stream *s = calloc(1, sizeof(*s));
	bool is_open;
	int r;

	if (!s) {
		source->done(source->ctx);
		return apsp_fail(err, APSP_ENOMEM, "no memory for a reply");
	}
	*s = (struct stream){
		.source = *source,
		.connection = req->connection,
		.conn = req->exchange->conn,
		.pool = req->server->pool,
		.answers = req->config->answers,
		.work = {.step = make,
			.done = make_done,
			.ctx = s,
			.fd = req->exchange->conn->fd},
		.rate = limits->body_rate_min,
		.grace_ns = apsp_clock_ns() +
			    (int64_t)limits->request_timeout_s * 1000000000,
	};
	r = first_block(s, coding, err);
	if (r >= 0 && s->compressor)
		r = apsp_reply_packed(req, coding, err);
	if (r >= 0) {
		is_open = s->compressor ||
			  s->source.size == APSP_STREAM_SIZE_UNKNOWN;
		response = MHD_create_response_from_callback(
			is_open ? MHD_SIZE_UNKNOWN : s->source.size,
			is_open ? PIECE_BYTES : LARGE_PIECE, read_stream, s,
			stream_free);
		if (!response)
			r = apsp_fail(
				err, APSP_ENOMEM, "no memory for a reply");
	}
	if (r < 0) {
		stream_free(s);
		return r;
	}
	MHD_add_response_header(response, "Content-Type", s->source.type);
	return apsp_reply_queue(req, status, response, 0, err);
}
