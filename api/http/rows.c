/*
 * Streamed replies: memory does not grow with the answer. Rows are made into a
 * block of text, which libmicrohttpd takes as its client does: read_stream() is
 * called on the connection's thread, without a lock of ours. Rows that take
 * time are made by the pool, while the connection is suspended.
 */
#include "api/http/rows.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "api/http/connections.h"
#include "api/http/internal.h"
#include "api/http/json.h"
#include "api/http/reply.h"

enum {
	BLOCK_BYTES = 32768,
	KEPT_BYTES = 4 * BLOCK_BYTES, /* a larger block is freed once sent */
	STEP_MS = 5,		      /* of a turn on the pool */
};

struct stream {
	struct apsp_rows rows; /* head is NULL once it is in text */
	struct MHD_Connection *connection;
	struct apsp_connection *conn;
	struct apsp_work_pool *pool;
	struct apsp_work work;
	int64_t working_since_ns;
	int64_t grace_ns; /* until the rate counts */
	uint32_t rate;	  /* bytes a second that the client must take */
	bool ndjson;
	bool first;  /* no row yet */
	bool ended;  /* the block has the last bytes */
	bool failed; /* the block has the last bytes, and more were due */
	char *text;  /* the present block, owned */
	size_t room, size, sent;
};

static void stream_free(void *cls)
{
	struct stream *s = cls;

	s->rows.done(s->rows.ctx);
	json_decref(s->rows.head);
	free(s->text);
	free(s);
}

static int append(
	struct stream *s, const char *text, size_t size, struct apsp_err *err)
{
	size_t room = s->room ? s->room : BLOCK_BYTES;
	char *bigger;

	while (room - s->size < size)
		room *= 2;
	if (room > s->room) {
		bigger = realloc(s->text, room);
		if (!bigger)
			return apsp_fail(
				err, APSP_ENOMEM, "no memory for a reply");
		s->text = bigger;
		s->room = room;
	}
	memcpy(s->text + s->size, text, size);
	s->size += size;
	return 0;
}

/* Append a value, which is taken over, but for the last `cut` bytes. */
static int append_json(
	struct stream *s, json_t *value, size_t cut, struct apsp_err *err)
{
	char *text = value ? apsp_json_text(value) : NULL;
	int r;

	json_decref(value);
	if (!text)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a reply");
	r = append(s, text, strlen(text) - cut, err);
	free(text);
	return r;
}

/* The object up to the array: {…,"name":[ */
static int open_object(struct stream *s, struct apsp_err *err)
{
	json_t *head = s->rows.head ? s->rows.head : json_object();

	s->rows.head = NULL;
	if (head)
		json_object_set_new(head, s->rows.name, json_array());
	return append_json(s, head, strlen("]}"), err);
}

/* Append the next row, or the end. */
static int advance(struct stream *s, struct apsp_err *err)
{
	const char *end = s->ndjson ? "" : "]}\n";
	json_t *row = NULL;
	int r;

	r = s->rows.next(s->rows.ctx, &row, err);
	if (r < 0)
		return r;
	if (r == 0) {
		s->ended = true;
		return append(s, end, strlen(end), err);
	}
	r = 0;
	if (!s->ndjson && !s->first)
		r = append(s, ",", 1, err);
	s->first = false;
	if (r < 0)
		json_decref(row);
	else
		r = append_json(s, row, 0, err);
	return r == 0 && s->ndjson ? append(s, "\n", 1, err) : r;
}

/* Fill the block. Returns 1 if it is not full and time is up. */
static int fill(struct stream *s, struct apsp_err *err)
{
	int64_t until = apsp_clock_ns() + (int64_t)STEP_MS * 1000000;
	int r = 0;

	while (r == 0 && !s->ended && s->size < BLOCK_BYTES) {
		r = advance(s, err);
		if (r == 0 && s->rows.in_pool && apsp_clock_ns() > until)
			return !s->ended && s->size < BLOCK_BYTES;
	}
	return r;
}

static int fill_step(void *ctx, struct apsp_err *err)
{
	return fill(ctx, err);
}

static void fill_done(void *ctx, int result, const struct apsp_err *err)
{
	struct stream *s = ctx;

	(void)err; /* the client sees the end of the connection */
	s->failed = result < 0;
	/* our time is not the client's */
	s->grace_ns += apsp_clock_ns() - s->working_since_ns;
	MHD_resume_connection(s->connection);
}

/* The block was sent: make the next one. */
static void block_begin(struct stream *s)
{
	s->size = s->sent = 0;
	if (s->room > KEPT_BYTES) {
		free(s->text);
		s->text = NULL;
		s->room = 0;
	}
	if (!s->rows.in_pool) {
		s->failed = fill(s, NULL) < 0;
		return;
	}
	s->working_since_ns = apsp_clock_ns();
	apsp_connection_set_deadline(s->conn, APSP_NO_DEADLINE);
	MHD_suspend_connection(s->connection);
	apsp_work_pool_add(s->pool, &s->work);
}

static ssize_t read_stream(void *cls, uint64_t pos, char *buffer, size_t max)
{
	struct stream *s = cls;
	size_t n;

	if (s->sent == s->size && !s->ended && !s->failed) {
		block_begin(s);
		if (s->rows.in_pool)
			return 0; /* suspended */
	}
	n = s->size - s->sent;
	if (n == 0 && !s->failed)
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (n == 0) {
		/* its end may be all that tells of the end */
		apsp_connection_reset(s->conn);
		return MHD_CONTENT_READER_END_WITH_ERROR;
	}
	n = n < max ? n : max;
	memcpy(buffer, s->text + s->sent, n);
	s->sent += n;
	if (s->rate > 0)
		apsp_connection_set_deadline(s->conn,
			s->grace_ns +
				(int64_t)((pos + n) / s->rate * 1000000000));
	return (ssize_t)n;
}

static struct stream *stream_new(
	struct apsp_request *req, const struct apsp_rows *rows)
{
	const struct apsp_server_limits *limits = &req->server->config.limits;
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		req->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct stream *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->rows = *rows;
	s->connection = req->connection;
	s->conn = req->exchange->conn;
	s->pool = req->server->pool;
	s->work = (struct apsp_work){
		.step = fill_step,
		.done = fill_done,
		.ctx = s,
		.fd = info->connect_fd,
	};
	s->rate = limits->body_rate_min;
	s->grace_ns = apsp_clock_ns() +
		      (int64_t)limits->request_timeout_s * 1000000000;
	s->ndjson = req->exchange->ndjson;
	s->first = true;
	return s;
}

int apsp_rows_reply(struct apsp_request *req, unsigned int status,
	struct apsp_rows *rows, struct apsp_err *err)
{
	struct MHD_Response *response;
	struct stream *s;
	int r = 0;

	s = stream_new(req, rows);
	if (!s) {
		rows->done(rows->ctx);
		json_decref(rows->head);
		return apsp_fail(err, APSP_ENOMEM, "no memory for a reply");
	}
	if (!s->ndjson)
		r = open_object(s, err);
	/* the first block: what fails here still gets a status of its own */
	if (r == 0)
		r = fill(s, err);
	if (r < 0) {
		stream_free(s);
		return r;
	}
	response = MHD_create_response_from_callback(
		MHD_SIZE_UNKNOWN, BLOCK_BYTES, read_stream, s, stream_free);
	if (!response) {
		stream_free(s);
		return apsp_fail(err, APSP_ENOMEM, "no memory for a reply");
	}
	MHD_add_response_header(response, "Content-Type",
		s->ndjson ? "application/x-ndjson" : "application/json");
	return apsp_reply_queue(req, status, response, 0, err);
}
