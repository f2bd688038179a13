/*
 * Streamed replies; see stream.h. libmicrohttpd calls read_stream() on the
 * connection's thread when the client accepts more bytes. We hold no lock
 * during this call. If a block takes long, the pool makes the block while the
 * connection is suspended.
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
#include "daemon/base/log.h"

enum {
	/* if the size of an answer is unknown, libmicrohttpd asks for at most
	   this many bytes at a time */
	PIECE_BYTES = 32768,
	/* if the size of an answer is known, libmicrohttpd asks for at most
	   this many bytes at a time */
	LARGE_PIECE = 131072,
	PACKED_BYTES = 65536, /* smallest size of a compressed block in bytes;
				 the last block may be smaller */
	KEPT_BYTES = 2 * PACKED_BYTES,
	/* a block and the compressor are not counted in the budget of answers
	   if they take at most this many bytes together */
	FREE_BYTES = 2 * PACKED_BYTES,
	/* largest number of calls of make() for the first block; if the block
	   is still empty then, the answer begins without it */
	FIRST_TURNS = 20,
	SMALL_BYTES = 1024, /* an answer of fewer bytes than this is not worth
			       compressing */
};

struct stream {
	struct apsp_stream source;
	struct apsp_share
		share; /* share of the memory budget of all answers; it is
			  opened when the first large block needs it */
	struct apsp_budget *answers;
	struct apsp_connection *conn;
	struct apsp_work_pool *pool;
	struct apsp_work work;
	int64_t working_since_ns;
	int64_t grace_ns; /* the deadline of a client that has read no byte;
			     each byte that a client reads extends the deadline
			     by 1 / `rate` s */
	uint32_t rate;	  /* least number of bytes that the client must read per
			     second */
	unsigned int status;
	bool made; /* the present block has been made; it is sent as soon as its
		      memory is counted in the budget */
	bool ended;  /* the block is the answer's last one */
	bool failed; /* the block is the last one, although the answer is not
			complete */
	struct apsp_stream_block block; /* the present block */
	size_t sent;   /* number of bytes of `block` that were copied to
			  libmicrohttpd */
	size_t handed; /* number of bytes that the last call of read_stream()
			  copied. These bytes are already counted in `sent`. */
	struct apsp_compressor *compressor; /* NULL: no compression */
	struct apsp_text packed; /* the compressed bytes of the block */
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

/* Count the memory of the present block in the budget of answers.
   APSP_WORK_WAITS: the budget is full. */
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
	if (r == 0)
		r = apsp_share_set(&s->share, bytes, "the answer", err);
	return r == APSP_EBUSY ? APSP_WORK_WAITS : r;
}

static int trust(struct stream *s, struct apsp_err *err)
{
	return s->source.trust ? s->source.trust(s->source.ctx, err) : 0;
}

/* Compress the present block. After the call, s->block is the compressed
   block. */
static int pack(struct stream *s, struct apsp_err *err)
{
	int r = apsp_compressor_feed(s->compressor, s->block.data,
		s->block.size, s->ended, &s->packed, err);

	if (r == 0)
		r = trust(s, err);
	s->block = (struct apsp_stream_block){s->packed.data, s->packed.size};
	return r;
}

/*
 * Make the next block. This is also a step of work for the pool (work_pool.h).
 * Returns 0 if the block can be sent, 1 if the block is still too small to be
 * sent, APSP_WORK_WAITS if the block is made but the budget is full, or a
 * negative code.
 */
static int make(void *ctx, struct apsp_err *err)
{
	struct stream *s = ctx;
	size_t enough = s->compressor ? PACKED_BYTES : 1;
	int r;

	if (!s->made) {
		s->block = (struct apsp_stream_block){0};
		r = s->source.next(s->source.ctx, &s->block, err);
		if (r < 0)
			return r;
		s->ended = r == 0;
		s->made = true;
	}
	r = hold(s, err);
	if (r == 0 && s->compressor)
		r = pack(s, err);
	if (r != 0)
		return r;
	s->made = s->ended || s->block.size >= enough;
	return !s->made;
}

static void make_done(void *ctx, int result, const struct apsp_err *err)
{
	struct stream *s = ctx;

	s->failed = result < 0;
	/* the client sees only the end of the connection, so log the reason. Do
	   not log it if the client has gone or the daemon stops, because
	   nothing is wrong then */
	if (s->failed && result != APSP_ECANCELLED && result != APSP_ESTOPPING)
		apsp_log(APSP_LOG_WARNING, "an answer was cut off: %s",
			err->message);
	if (s->failed)
		s->block.size = 0;
	/* extend the client's deadline by the time that we took to make the
	   block */
	s->grace_ns += apsp_clock_ns() - s->working_since_ns;
	MHD_resume_connection(s->conn->connection);
}

/* Start to make the next block. The whole present block has been sent. */
static void block_begin(struct stream *s)
{
	int r;

	s->sent = 0;
	s->made = false;
	s->block = (struct apsp_stream_block){0};
	apsp_text_clear(&s->packed, KEPT_BYTES);
	if (!s->source.in_pool) {
		do {
			r = make(s, NULL);
		} while (r == 1);
		s->failed = r != 0;
		if (s->failed)
			s->block.size = 0;
		return;
	}
	s->working_since_ns = apsp_clock_ns();
	s->conn->deadline_ns = APSP_NO_DEADLINE;
	MHD_suspend_connection(s->conn->connection);
	apsp_work_pool_add(s->pool, &s->work);
}

static ssize_t cut_off(struct stream *s)
{
	/* reset the connection, because in HTTP/1.0 a plain close would look
	   like the end of the answer */
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
			return 0; /* the connection is suspended */
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
 * Make the first block. The reply has not begun yet, so a failure can still
 * become an error reply. Compression starts with this block, unless the block
 * is the whole answer and has fewer than SMALL_BYTES bytes. After
 * APSP_WORK_WAITS this function may be called again.
 */
static int first_block(
	struct stream *s, enum apsp_packing coding, struct apsp_err *err)
{
	int r, turns = 0;

	do {
		r = make(s, err);
	} while (r == 1 && ++turns < FIRST_TURNS);
	if (r < 0 || r == APSP_WORK_WAITS || coding == APSP_PACKING_IDENTITY ||
		(s->ended && s->block.size < SMALL_BYTES))
		return r;
	r = apsp_compressor_new(coding, &s->compressor, err);
	if (r == 0)
		r = hold(s, err);
	if (r == 0)
		return pack(s, err);
	/* free the compressor, because hold() has failed, so the compressor's
	   memory is not counted in the budget */
	apsp_compressor_free(s->compressor);
	s->compressor = NULL;
	return r;
}

/* Begin the reply. If the reply waits for memory, the pool calls this function
   again. */
static int stream_begin(struct apsp_request *req, struct apsp_err *err)
{
	struct stream *s = req->exchange->stream;
	enum apsp_packing coding =
		s->source.uncoded
			? APSP_PACKING_IDENTITY
			: apsp_negotiate_packing(req, s->source.as_it_is);
	struct MHD_Response *response = NULL;
	bool is_open;
	int r = first_block(s, coding, err);

	if (r == APSP_WORK_WAITS)
		r = apsp_request_wait_memory(req, APSP_EBUSY);
	if (r < 0 && req->exchange->waits)
		return r;
	req->exchange->stream = NULL;
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
	/* libmicrohttpd 0.9.75 sends the end of a chunked body even in an
	   answer to HEAD. If the connection stayed open, the client would read
	   this end as the first line of the next answer. So close the
	   connection */
	if (req->is_head && is_open)
		req->exchange->close = true;
	return apsp_reply_queue(req, s->status, response, 0, err);
}

int apsp_stream_reply(struct apsp_request *req, unsigned int status,
	const struct apsp_stream *source, struct apsp_err *err)
{
	const struct apsp_limits *limits = &req->config->limits;
	struct stream *s = calloc(1, sizeof(*s));

	if (!s) {
		source->done(source->ctx);
		return apsp_fail(err, APSP_ENOMEM, "no memory for a reply");
	}
	*s = (struct stream){
		.source = *source,
		.conn = req->exchange->conn,
		.pool = req->server->pool,
		.answers = req->config->answers,
		.work = {.step = make,
			.done = make_done,
			.ctx = s,
			.fd = req->exchange->conn->fd},
		.status = status,
		.rate = limits->body_rate_min,
		.grace_ns = apsp_clock_ns() +
			    (int64_t)limits->request_timeout_s * 1000000000,
	};
	req->exchange->stream = s;
	req->exchange->stream_begin = stream_begin;
	req->exchange->stream_free = stream_free;
	return stream_begin(req, err);
}
