/*
 * Streamed replies: memory does not grow with the answer. libmicrohttpd calls
 * read_stream() on the connection's thread, without a lock of ours.
 */
#include "api/http/rows.h"

#include <stdlib.h>
#include <string.h>

#include "api/http/clock.h"
#include "api/http/connections.h"
#include "api/http/internal.h"
#include "api/http/json.h"
#include "api/http/reply.h"

enum {
	BLOCK_BYTES = 32768,
};

struct stream {
	struct apsp_rows rows; /* head is NULL once it is in text */
	struct apsp_connection *conn;
	int64_t grace_ns; /* until the rate counts */
	uint32_t rate;	  /* bytes a second that the client must take */
	bool ndjson;
	bool first; /* no row yet */
	bool ended; /* text is the last piece */
	char *text; /* the present piece, owned */
	size_t size;
	size_t sent;
};

static void stream_free(void *cls)
{
	struct stream *s = cls;

	s->rows.done(s->rows.ctx);
	json_decref(s->rows.head);
	free(s->text);
	free(s);
}

/* Make text from before, the value and after; value is taken over. */
static int make_text(
	struct stream *s, const char *before, json_t *value, const char *after)
{
	char *middle = value ? apsp_json_text(value) : NULL;
	size_t n_before = strlen(before), n_after = strlen(after), n_middle;
	char *text;

	if (value && !middle) {
		json_decref(value);
		return -1;
	}
	json_decref(value);
	n_middle = middle ? strlen(middle) : 0;
	text = malloc(n_before + n_middle + n_after + 1);
	if (text) {
		memcpy(text, before, n_before);
		if (middle)
			memcpy(text + n_before, middle, n_middle);
		memcpy(text + n_before + n_middle, after, n_after + 1);
	}
	free(middle);
	if (!text)
		return -1;
	free(s->text);
	s->text = text;
	s->size = n_before + n_middle + n_after;
	s->sent = 0;
	return 0;
}

/* The object up to the array: {…,"name":[ */
static int open_object(struct stream *s)
{
	json_t *head = s->rows.head ? s->rows.head : json_object();
	char *close;
	int r;

	s->rows.head = NULL;
	if (!head ||
		json_object_set_new(head, s->rows.name, json_array()) < 0) {
		json_decref(head);
		return -1;
	}
	r = make_text(s, "", head, "");
	if (r < 0)
		return r;
	close = s->text + s->size - strlen("]}");
	*close = '\0';
	s->size -= strlen("]}");
	return 0;
}

/* Make the next piece of text. */
static int advance(struct stream *s)
{
	json_t *row = NULL;
	int r;

	r = s->rows.next(s->rows.ctx, &row, NULL);
	if (r < 0)
		return r;
	if (r == 0) {
		s->ended = true;
		return make_text(s, s->ndjson ? "" : "]}\n", NULL, "");
	}
	if (!row)
		return -1;
	r = make_text(s, s->ndjson || s->first ? "" : ",", row,
		s->ndjson ? "\n" : "");
	s->first = false;
	return r;
}

static ssize_t read_stream(void *cls, uint64_t pos, char *buffer, size_t max)
{
	struct stream *s = cls;
	size_t n = 0;

	while (n < max) {
		size_t part = s->size - s->sent;

		if (part == 0 && s->ended)
			break;
		if (part == 0) {
			if (advance(s) < 0) {
				/* its end may be all that tells of the end */
				apsp_connection_reset(s->conn);
				return MHD_CONTENT_READER_END_WITH_ERROR;
			}
			continue;
		}
		part = part < max - n ? part : max - n;
		memcpy(buffer + n, s->text + s->sent, part);
		s->sent += part;
		n += part;
	}
	if (s->rate > 0)
		apsp_connection_set_deadline(s->conn,
			s->grace_ns +
				(int64_t)((pos + n) / s->rate * 1000000000));
	return n > 0 ? (ssize_t)n : MHD_CONTENT_READER_END_OF_STREAM;
}

int apsp_rows_reply(struct apsp_request *req, unsigned int status,
	struct apsp_rows *rows, struct apsp_err *err)
{
	const struct apsp_server_limits *limits = &req->server->config.limits;
	struct MHD_Response *response = NULL;
	struct stream *s;

	s = calloc(1, sizeof(*s));
	if (!s) {
		rows->done(rows->ctx);
		json_decref(rows->head);
		return apsp_fail(err, APSP_ENOMEM, "no memory for a reply");
	}
	s->rows = *rows;
	s->conn = req->exchange->conn;
	s->rate = limits->body_rate_min;
	s->grace_ns = apsp_clock_now_ns() +
		      (int64_t)limits->request_timeout_s * 1000000000;
	s->ndjson = req->exchange->ndjson;
	s->first = true;
	if (s->ndjson || open_object(s) == 0)
		response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN,
			BLOCK_BYTES, read_stream, s, stream_free);
	if (!response) {
		stream_free(s);
		return apsp_fail(err, APSP_ENOMEM, "no memory for a reply");
	}
	MHD_add_response_header(response, "Content-Type",
		s->ndjson ? "application/x-ndjson" : "application/json");
	return apsp_reply_queue(req, status, response, 0, err);
}
