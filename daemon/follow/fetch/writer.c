/*
 * Requests through libcurl; see writer.h.
 */
#include "daemon/follow/fetch/writer.h"

#include <curl/curl.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "daemon/base/fixed_text.h"

enum {
	URL_SIZE = 2048,
	CONNECT_S = 10,
	/* longest silence of the writer within an answer, in seconds */
	SILENCE_S = 20,
	/* largest sum, in milliseconds, of consecutive pauses without a new
	   byte. It is less than 60 s, because our daemon drops a request whose
	   body has no new byte for 60 s. */
	BREAK_MS = 45000,
	PAUSE_FIRST_MS = 250,
	PAUSE_MOST_MS = 4000,
	TOKEN_MAX = 512,
};

struct apsp_writer {
	CURL *curl;
	const char *url;
	const char *token_file;
	char why[CURL_ERROR_SIZE];
};

/* An answer of the writer that is being received. */
struct answer {
	struct apsp_writer *writer;
	long status;
	uint64_t length; /* Content-Length; UINT64_MAX: the answer has
			    none */
	uint64_t range_at, range_of; /* Content-Range; UINT64_MAX: the answer
					has none */
	char tag[APSP_WRITER_TAG_SIZE];
	int r; /* code of `err` if a function of this file ended the transfer;
		  else 0 */
	struct apsp_err err;
	/* text of the answer if the answer is a list or a refusal; owned */
	char *text;
	size_t size;
	/* the transfer of the bundle; NULL: the answer is a list */
	struct transfer *transfer;
};

struct transfer {
	const struct apsp_writer_sink *sink;
	char tag[APSP_WRITER_TAG_SIZE];
	/* `size` is the size of the bundle in bytes; `at` is the number of
	   bytes that the sink has received */
	uint64_t size, at;
	bool begun;
};

APSP_AUTO_DEFINE(headers_end, struct curl_slist, curl_slist_free_all);

static void answer_done(struct answer *answer)
{
	free(answer->text);
}

int apsp_writer_new(const char *url, const char *token_file,
	struct apsp_writer **out, struct apsp_err *err)
{
	struct apsp_writer *writer = calloc(1, sizeof(*writer));

	if (!writer || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK ||
		!(writer->curl = curl_easy_init())) {
		free(writer);
		return apsp_fail(err, APSP_ENOMEM, "libcurl cannot start");
	}
	writer->url = url;
	writer->token_file = token_file;
	*out = writer;
	return 0;
}

static int header_add(
	struct curl_slist **list, const char *text, struct apsp_err *err)
{
	struct curl_slist *longer = curl_slist_append(*list, text);

	if (!longer)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a request");
	*list = longer;
	return 0;
}

/* Add the header with the token. The token is the first word of the file
   writer->token_file. */
static int token_add(const struct apsp_writer *writer, struct curl_slist **list,
	struct apsp_err *err)
{
	char text[TOKEN_MAX + 1], header[TOKEN_MAX + 64];
	FILE *file;
	size_t n;

	if (!writer->token_file)
		return 0;
	file = fopen(writer->token_file, "re");
	if (!file)
		return apsp_fail_errno(
			err, errno, "the file of --follow-token");
	n = fread(text, 1, TOKEN_MAX, file);
	fclose(file);
	text[n] = '\0';
	text[strcspn(text, " \t\r\n")] = '\0';
	if (!*text)
		return apsp_fail(err, APSP_EIO,
			"the file of --follow-token has no token in its first "
			"line");
	snprintf(header, sizeof(header), "Authorization: Bearer %s", text);
	return header_add(list, header, err);
}

static size_t header_take(char *data, size_t one, size_t size, void *ctx)
{
	struct answer *answer = ctx;
	char line[256], *value;
	uint64_t last;

	if (size >= sizeof(line)) /* skip a long header, because the headers
				     that this file needs are shorter */
		return one * size;
	memcpy(line, data, size);
	line[size] = '\0';
	line[strcspn(line, "\r\n")] = '\0';
	value = strchr(line, ':');
	if (strncmp(line, "HTTP/", 5) ==
		0) { /* another answer begins, so forget the headers of the
			previous answer */
		answer->length = answer->range_at = answer->range_of =
			UINT64_MAX;
		answer->tag[0] = '\0';
	}
	if (!value)
		return one * size;
	*value++ = '\0';
	value += strspn(value, " ");
	if (strcasecmp(line, "ETag") == 0 &&
		!apsp_fixed_text_set(answer->tag, sizeof(answer->tag), value))
		answer->tag[0] = '\0';
	if (strcasecmp(line, "Content-Length") == 0)
		answer->length = strtoull(value, NULL, 10);
	if (strcasecmp(line, "Content-Range") == 0 &&
		sscanf(value, "bytes %" SCNu64 "-%" SCNu64 "/%" SCNu64,
			&answer->range_at, &last, &answer->range_of) != 3)
		answer->range_at = answer->range_of = UINT64_MAX;
	return one * size;
}

static bool text_take(struct answer *answer, const char *data, size_t size)
{
	char *larger;

	if (answer->size + size > APSP_GRAPH_LIST_PAGE_BYTES) {
		answer->r = apsp_fail(&answer->err, APSP_EDATA,
			"a page of the list has more than %d bytes",
			APSP_GRAPH_LIST_PAGE_BYTES);
		return false;
	}
	larger = realloc(answer->text, answer->size + size + 1);
	if (!larger) {
		answer->r = apsp_fail(
			&answer->err, APSP_ENOMEM, "no memory for a list");
		return false;
	}
	answer->text = larger;
	memcpy(answer->text + answer->size, data, size);
	answer->size += size;
	return true;
}

/* Check the head of an answer that has the bundle or a part of it. */
static bool bundle_check(struct answer *answer, struct transfer *t)
{
	if (!answer->tag[0] || answer->length == UINT64_MAX) {
		answer->r = apsp_fail(&answer->err, APSP_EDATA,
			"the writer sends a bundle without its size or ETag");
		return false;
	}
	if (t->begun &&
		(answer->status != 206 || strcmp(answer->tag, t->tag) != 0 ||
			answer->range_at != t->at ||
			answer->range_of != t->size)) {
		answer->r = apsp_fail(&answer->err, APSP_EDATA,
			"the bundle changed while it was fetched");
		return false;
	}
	if (t->begun)
		return true;
	t->begun = true;
	t->size = answer->length;
	strcpy(t->tag, answer->tag);
	if (t->sink->begin(t->sink->ctx, t->size))
		return true;
	answer->r = apsp_fail(
		&answer->err, APSP_ECANCELLED, "our daemon ended the transfer");
	return false;
}

static bool bundle_take(struct answer *answer, const char *data, size_t size)
{
	struct transfer *t = answer->transfer;

	if (answer->size == 0 && !bundle_check(answer, t))
		return false;
	answer->size += size;
	if (size > t->size - t->at) {
		answer->r = apsp_fail(&answer->err, APSP_EDATA,
			"the writer sends more than the bundle's size");
		return false;
	}
	t->at += size;
	if (t->sink->bytes(t->sink->ctx, data, size))
		return true;
	answer->r = apsp_fail(
		&answer->err, APSP_ECANCELLED, "our daemon ended the transfer");
	return false;
}

static size_t body_take(char *data, size_t one, size_t size, void *ctx)
{
	struct answer *answer = ctx;
	bool ok = true;

	if (answer->status == 0)
		curl_easy_getinfo(answer->writer->curl, CURLINFO_RESPONSE_CODE,
			&answer->status);
	if (answer->status == 200 || answer->status == 206)
		ok = answer->transfer ? bundle_take(answer, data, size)
				      : text_take(answer, data, size);
	else if (answer->size + size > 65536)
		ok = false; /* end the transfer, because the long text of a
			       refusal is not needed */
	else
		ok = text_take(answer, data, size);
	return ok ? one * size : 0;
}

/* Describe in *err an answer whose status is not a success. Returns APSP_EIO if
   the writer redirects or wants a token, because it would refuse every request.
   Otherwise returns `code`. */
static int refused(
	const struct answer *answer, enum apsp_code code, struct apsp_err *err)
{
	char detail[APSP_MESSAGE_SIZE];

	if (answer->status == 401 || answer->status == 403)
		return apsp_fail(err, APSP_EIO,
			"the writer refuses (%ld): it wants a token of scope "
			"read by --follow-token",
			answer->status);
	if (answer->status / 100 == 3)
		return apsp_fail(err, APSP_EIO,
			"the writer redirects (%ld); --follow must name the "
			"address to which it redirects",
			answer->status);
	apsp_detail_write(answer->text, answer->size, detail);
	return apsp_fail(err, code, "the writer answers with status %ld%s",
		answer->status, detail);
}

static void options_set(CURL *curl, const char *url, struct answer *answer)
{
	const char *certificates = getenv("SSL_CERT_FILE");

	curl_easy_reset(curl);
	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
	curl_easy_setopt(curl, CURLOPT_USERAGENT, "apspd-follow");
	curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, header_take);
	curl_easy_setopt(curl, CURLOPT_HEADERDATA, answer);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, body_take);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, answer);
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, answer->writer->why);
	if (certificates && *certificates)
		curl_easy_setopt(curl, CURLOPT_CAINFO, certificates);
}

/*
 * Send a GET. The headers `one` and `two` are added unless they are "". Returns
 * 0 if the whole answer was received, whatever its status is. APSP_EIO: no
 * whole answer was received.
 */
static int get(struct apsp_writer *writer, const char *url, const char *one,
	const char *two, struct answer *answer, struct apsp_err *err)
{
	APSP_AUTO(headers_end) struct curl_slist *headers = NULL;
	CURLcode code;
	int r = token_add(writer, &headers, err);

	if (r == 0 && *one)
		r = header_add(&headers, one, err);
	if (r == 0 && *two)
		r = header_add(&headers, two, err);
	if (r < 0)
		return r;
	answer->writer = writer;
	answer->length = answer->range_at = answer->range_of = UINT64_MAX;
	options_set(writer->curl, url, answer);
	if (headers)
		curl_easy_setopt(writer->curl, CURLOPT_HTTPHEADER, headers);
	if (answer->transfer) {
		curl_easy_setopt(writer->curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
		curl_easy_setopt(
			writer->curl, CURLOPT_LOW_SPEED_TIME, (long)SILENCE_S);
	} else {
		curl_easy_setopt(writer->curl, CURLOPT_TIMEOUT,
			(long)(APSP_WRITER_WAIT_S + SILENCE_S));
	}
	writer->why[0] = '\0';
	code = curl_easy_perform(writer->curl);
	curl_easy_getinfo(
		writer->curl, CURLINFO_RESPONSE_CODE, &answer->status);
	if (answer->r < 0) {
		*err = answer->err;
		return answer->r;
	}
	/* a refusal is a whole answer, even if body_take() has ended the
	   transfer of its text */
	if (code == CURLE_OK ||
		(code == CURLE_WRITE_ERROR && answer->status / 100 != 2))
		return 0;
	return apsp_fail(err, APSP_EIO, "the writer cannot be read: %s",
		writer->why[0] ? writer->why : curl_easy_strerror(code));
}

static int page_get(struct apsp_writer *writer, int wait_s,
	char tag[APSP_WRITER_TAG_SIZE], struct apsp_graph_list *out,
	struct apsp_err *err)
{
	APSP_AUTO(answer_done) struct answer answer = {0};
	char url[URL_SIZE], wait[24] = "",
			    known[APSP_WRITER_TAG_SIZE + 32] = "";
	bool first = !out->next[0];
	int r;

	if (first && tag[0]) {
		snprintf(wait, sizeof(wait), "&wait=%d", wait_s);
		snprintf(known, sizeof(known), "If-None-Match: %s", tag);
	}
	snprintf(url, sizeof(url), "%s/v1/graphs?limit=%d%s%s%s", writer->url,
		APSP_GRAPH_LIST_PAGE, wait, first ? "" : "&cursor=", out->next);
	r = get(writer, url, known, "", &answer, err);
	if (r == 0 && answer.status == 304 && *known)
		return 0;
	if (r == 0 && answer.status != 200)
		r = refused(&answer, APSP_EIO, err);
	if (r == 0 && !answer.tag[0])
		r = apsp_fail(err, APSP_EDATA,
			"the list has no ETag; the writer may be an older "
			"apspd");
	if (r == 0)
		r = apsp_graph_list_add(
			out, answer.text ? answer.text : "", answer.size, err);
	if (r < 0)
		return r;
	/* if the list has changed since the first page, the next request with
	   the ETag of the first page is answered at once */
	if (first)
		strcpy(tag, answer.tag);
	return 1;
}

int apsp_writer_list(struct apsp_writer *writer, int wait_s,
	char tag[APSP_WRITER_TAG_SIZE], struct apsp_graph_list *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_graph_list_done) struct apsp_graph_list list = {0};
	char now[APSP_WRITER_TAG_SIZE];
	int r;

	strcpy(now, tag);
	do
		r = page_get(writer, wait_s, now, &list, err);
	while (r == 1 && list.next[0]);
	if (r <= 0)
		return r;
	strcpy(tag, now);
	*out = APSP_TAKE(list);
	return 1;
}

/* Request a bundle, or the rest of a bundle after a break. Returns 1 if the
   bundle is complete, or 0 if the ETag of the writer's bundle is in `known`. */
static int bundle_get(struct apsp_writer *writer, const char *url,
	const char *known, struct transfer *t, struct apsp_err *err)
{
	APSP_AUTO(answer_done) struct answer answer = {.transfer = t};
	char one[2 * APSP_WRITER_TAG_SIZE + 64] = "";
	char two[APSP_WRITER_TAG_SIZE + 32] = "";
	int r;

	if (t->begun) {
		snprintf(one, sizeof(one), "Range: bytes=%" PRIu64 "-", t->at);
		snprintf(two, sizeof(two), "If-Range: %s", t->tag);
	} else if (*known) {
		snprintf(one, sizeof(one), "If-None-Match: %s", known);
	}
	r = get(writer, url, one, two, &answer, err);
	if (r < 0)
		return r;
	if (answer.status == 304 && !t->begun && *known)
		return 0;
	if (answer.status == 404)
		return apsp_fail(
			err, APSP_ENOGRAPH, "the writer has no such graph");
	if (answer.status == 412)
		return apsp_fail(err, APSP_EREVISION,
			"the writer has another upload of the graph");
	/* If no byte of the bundle has arrived yet, a refusal concerns only
	   this graph. After a break, a refusal may come from a proxy while the
	   writer restarts, so APSP_EIO makes the caller try again. */
	if (answer.status != 200 && answer.status != 206)
		return refused(&answer, t->begun ? APSP_EIO : APSP_EDATA, err);
	if (t->begun && t->at == t->size)
		return 1;
	return apsp_fail(
		err, APSP_EDATA, "the bundle is shorter than the writer said");
}

int apsp_writer_bundle(struct apsp_writer *writer, const char *target,
	const char *known, const struct apsp_writer_sink *sink,
	char tag[APSP_WRITER_TAG_SIZE], struct apsp_err *err)
{
	struct transfer t = {.sink = sink};
	char url[URL_SIZE];
	int ms = PAUSE_FIRST_MS, waited_ms = 0, r;
	uint64_t at = 0;

	snprintf(url, sizeof(url), "%s%s", writer->url, target);
	for (;;) {
		r = bundle_get(writer, url, known, &t, err);
		if (t.at > at) { /* bytes have arrived since the last break, so
				    count the pauses from 0 again */
			waited_ms = 0;
			ms = PAUSE_FIRST_MS;
		}
		at = t.at;
		if (r != APSP_EIO || !t.begun || waited_ms + ms > BREAK_MS)
			break;
		fprintf(stderr, "%s: %s; going on at byte %" PRIu64 "\n",
			target, err->message, t.at);
		poll(NULL, 0, ms);
		waited_ms += ms;
		ms = apsp_pause_double(ms, PAUSE_MOST_MS);
	}
	if (r == 1)
		strcpy(tag, t.tag);
	return r;
}
