/*
 * Requests over raw sockets: what the server lets in, refuses and answers. The
 * endpoints are the test's own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "api/connection/connection.h"
#include "api/connection/event_threads.h"
#include "api/connection/inflow.h"
#include "api/http/query.h"
#include "api/http/reply.h"
#include "api/http/rows.h"
#include "tests/http_fixture.h"

/* Calls of the ones come to the others (tests/meson.build). */
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);
int __real_nanosleep(const struct timespec *time, struct timespec *left);
bool __wrap_apsp_inflow_start(
	struct apsp_connection *conn, const struct apsp_upward *upward);
bool __real_apsp_inflow_start(
	struct apsp_connection *conn, const struct apsp_upward *upward);

static atomic_bool reads_past_us;
static atomic_bool nobody_sleeps;

/* A libmicrohttpd that reads by another call than recv() brings bytes that no
   inflow has seen. */
bool __wrap_apsp_inflow_start(
	struct apsp_connection *conn, const struct apsp_upward *upward)
{
	bool made = __real_apsp_inflow_start(conn, upward);

	if (atomic_load(&reads_past_us))
		apsp_inflow_stop(conn->fd);
	return made;
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
	return atomic_load(&nobody_sleeps) ? 0 : __real_nanosleep(time, left);
}

static atomic_int n_deleted; /* a smuggled request would delete */
static atomic_size_t n_uploaded;

static int delete_graph(struct apsp_request *req, struct apsp_err *err)
{
	atomic_fetch_add(&n_deleted, 1);
	return apsp_reply_json(req, MHD_HTTP_OK, json_object(), err);
}

static int put_graph_begin(struct apsp_request *req, struct apsp_err *err)
{
	if (strcmp(req->params[0], "full") == 0)
		return apsp_fail(err, APSP_EQUEUEFULL, "the queue is full");
	return 0;
}

static int put_graph_body(struct apsp_request *req, const char *data,
	size_t size, struct apsp_err *err)
{
	(void)req;
	if (memchr(data, '!', size))
		return apsp_fail_at(err, APSP_EDATA, 3, 4, "found a '!'");
	atomic_fetch_add(&n_uploaded, size);
	return 0;
}

/* Answers with the name and the query that routing decoded. */
static int get_graph(struct apsp_request *req, struct apsp_err *err)
{
	const char *q = apsp_query_get(req, "q");
	int r;

	r = apsp_reply_etag(req, "tag", err);
	if (r != 0)
		return r < 0 ? r : 0;
	return apsp_reply_json(req, MHD_HTTP_OK,
		json_pack("{s:s, s:s?}", "name", req->params[0], "q", q), err);
}

static int post_paths(struct apsp_request *req, struct apsp_err *err)
{
	return apsp_reply_json(req, MHD_HTTP_OK,
		json_pack("{s:s}", "body", req->body ? req->body : ""), err);
}

static int next_row(void *ctx, struct apsp_cells *cells, struct apsp_err *err)
{
	int *row = ctx;

	(void)err;
	if (*row == 20000)
		return 0;
	apsp_json_integer(cells->json, (*row)++);
	return 1;
}

static int list_graphs(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_rows rows = {
		.head = json_pack("{s:i}", "n", 20000),
		.name = "rows",
		.write = next_row,
		.done = free,
		.ctx = calloc(1, sizeof(int)),
	};

	return apsp_rows_reply(req, &rows, err);
}

static const struct apsp_route routes[] = {
	{APSP_METHOD_GET, "/v1/graphs", APSP_BODY_NONE, .answer = list_graphs},
	{APSP_METHOD_PUT, "/v1/graphs/{graph}", APSP_BODY_STREAM,
		put_graph_begin, put_graph_body, fixture_accept},
	{APSP_METHOD_GET, "/v1/graphs/{graph}", APSP_BODY_NONE,
		.answer = get_graph},
	{APSP_METHOD_DELETE, "/v1/graphs/{graph}", APSP_BODY_NONE,
		.answer = delete_graph},
	{APSP_METHOD_POST, "/v1/graphs/{graph}/paths", APSP_BODY_BUFFER,
		.answer = post_paths},
	{APSP_METHOD_GET, "/healthz", APSP_BODY_NONE,
		.answer = fixture_healthz},
	{.pattern = NULL},
};

#define SMUGGLED "DELETE /v1/graphs/g HTTP/1.1\r\n" END

static const struct refusal {
	const char *text;
	int status;
} refusals[] = {
	/* two programs could see different requests here */
	{PUT HOST "Content-Length: 0\r\nContent-Length: 40\r\n\r\n" SMUGGLED,
		400},
	{PUT HOST "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
		  "0\r\n\r\n" SMUGGLED,
		400},
	{PUT HOST "Transfer-Encoding: gzip\r\n\r\n" SMUGGLED, 400},
	{PUT HOST "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n" SMUGGLED,
		400},
	{PUT HOST "Transfer-Encoding: chunked\r\n"
		  "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" SMUGGLED,
		400},
	{"PUT /v1/graphs/g HTTP/1.0\r\n" HOST
	 "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" SMUGGLED,
		400},
	{PUT HOST "Transfer-Encoding: chunked\r\n x\r\n\r\n" SMUGGLED, 400},
	{PUT HOST "Content-Length : 5\r\n\r\n" SMUGGLED, 400},
	{PUT HOST "Content-Length: 5,5\r\n\r\n" SMUGGLED, 400},
	{PUT HOST "Content-Length: +5\r\n\r\n" SMUGGLED, 400},
	{GET HOST HOST "\r\n" SMUGGLED, 400},
	{GET "\r\n" SMUGGLED, 400},
	{GET HOST "Bad(name: x\r\n\r\n" SMUGGLED, 400},
	{GET HOST "A: b\r\n\tfolded\r\n\r\n" SMUGGLED, 400},
	{GET HOST "Expect: miracles\r\n\r\n" SMUGGLED, 400},
	/* targets */
	{"GET /v1/graphs/a%00b HTTP/1.1\r\n" END, 400},
	{"GET /v1/graphs/a?q=%00 HTTP/1.1\r\n" END, 400},
	{"GET /v1/graphs/%zz HTTP/1.1\r\n" END, 400},
	{"GET /v1/graphs/%ff HTTP/1.1\r\n" END, 400},
	{"GET /v1/graphs/a?q=1&q=2 HTTP/1.1\r\n" END, 400},
	{"GET /heal thz HTTP/1.1\r\n" END, 400},
	{"GET http://elsewhere/healthz HTTP/1.1\r\n" END, 400},
	{"GET ftp://localhost/healthz HTTP/1.1\r\n" END, 400},
	{"GET http://localhost/healthz HTTP/1.1\r\n" END, 200},
	{"GET /nothing HTTP/1.1\r\n" END, 404},
	{"GET /v1/graphs/ HTTP/1.1\r\n" END, 404},
	/* methods */
	{"POST /healthz HTTP/1.1\r\n" END, 405},
	{"OPTIONS /healthz HTTP/1.1\r\n" END, 405},
	{"OPTIONS * HTTP/1.1\r\n" END, 405},
	{"TRACE /healthz HTTP/1.1\r\n" END, 405},
	{"CONNECT localhost:80 HTTP/1.1\r\n" END, 405},
	{"BREW /healthz HTTP/1.1\r\n" END, 405},
	/* hosts */
	{GET "Host: evil.example\r\n\r\n", 421},
	{GET "Host: localhost.evil.example\r\n\r\n", 421},
	{GET "Host: 127.0.0.1.evil.example\r\n\r\n", 421},
	{GET "Host: 192.168.0.1\r\n\r\n", 421},
	{GET "Host: localhost:80:80\r\n\r\n", 421},
	{GET "Host: [::2]\r\n\r\n", 421},
	{GET "Host: [\r\n\r\n", 421},
	{GET "Host: \r\n\r\n", 421},
	{"GET /healthz HTTP/1.0\r\n\r\n", 421},
	{GET "Host: localhost:1234\r\n\r\n", 200},
	{GET "Host: 127.0.0.1:8080\r\n\r\n", 200},
	{GET "Host: 127.9.9.9\r\n\r\n", 200},
	{GET "Host: [::1]:8080\r\n\r\n", 200},
	{GET "Host: APSP.example:99\r\n\r\n", 200},
	{GET "Host: LocalHost:1\r\n\r\n", 200},
	{GET "Host: 127.0.0.1:65535\r\n\r\n", 200},
	{GET "Host: 127.255.0.1\r\n\r\n", 200},
	{GET "Host: [::1]\r\n\r\n", 200},
	{GET "Host: [0:0::1]:80\r\n\r\n", 200},
	{GET "Host: b.example:81\r\n\r\n", 200},
	{GET "Host: b.example:82\r\n\r\n", 421},
	{GET "Host: :80\r\n\r\n", 421},
	{GET "Host: [::1\r\n\r\n", 421},
	{GET "Host: []\r\n\r\n", 421},
	{GET "Host: [::1]x\r\n\r\n", 421},
	{GET "Host: ::1\r\n\r\n", 421},
	{GET "Host: localhost:80x\r\n\r\n", 421},
	{GET "Host: localhost:123456\r\n\r\n", 421},
	{GET "Host: localhost:65536\r\n\r\n", 421},
	{GET "Host: 0.0.0.0\r\n\r\n", 421},
	{GET "Host: 127.1\r\n\r\n", 421},
	{GET "Host: x.localhost\r\n\r\n", 421},
	{GET "Host: localhost.\r\n\r\n", 421},
	/* origins */
	{GET HOST "Origin: http://evil.example\r\n"
		  "Origin: http://localhost\r\n\r\n",
		400},
	{PUT HOST "Origin: http://evil.example\r\nContent-Length: 1\r\n\r\nx",
		403},
	{PUT HOST "Origin: null\r\nContent-Length: 1\r\n\r\nx", 403},
	{PUT HOST "Origin: http://localhost\r\nContent-Length: 1\r\n\r\nx",
		202},
	/* bodies and representations */
	{GET HOST "Content-Length: 3\r\n\r\nabc", 400},
	{PUT HOST "Content-Length: 5000000000000\r\n\r\n", 413},
	{PUT HOST "Content-Length: 3\r\n\r\na!c", 422},
	{GET HOST "Accept: text/html\r\n\r\n", 406},
	{GET HOST "Accept: text/html, */*;q=0.8\r\n\r\n", 200},
	{GET HOST "Accept: text/html\r\nAccept: application/json\r\n\r\n", 200},
	{"GET /healthz?format=xml HTTP/1.1\r\n" END, 400},
};

static void test_refusals(void **state)
{
	static char reply[65536];
	struct http_fixture f;

	(void)state;
	fixture_start(&f, routes, NULL);
	atomic_store(&n_deleted, 0);
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		int status = ask(&f, refusals[i].text, reply, sizeof(reply));

		if (status != refusals[i].status)
			fail_msg("%d instead of %d for:\n%s\n%s", status,
				refusals[i].status, refusals[i].text, reply);
		if (status == 405)
			assert_non_null(strstr(reply, "Allow: GET, HEAD"));
	}
	assert_int_equal(atomic_load(&n_deleted), 0);
	assert_int_equal(ask(&f, SMUGGLED, reply, sizeof(reply)), 200);
	assert_int_equal(atomic_load(&n_deleted), 1);
	fixture_stop(&f);
}

/* Whatever libmicrohttpd is there: what was not judged is not served. */
static void test_unjudged(void **state)
{
	static const char *const texts[] = {
		GET END, SMUGGLED, PUT HOST "Content-Length: 3\r\n\r\nabc"};
	static char reply[65536];
	struct http_fixture f;

	(void)state;
	atomic_store(&reads_past_us, true);
	fixture_start(&f, routes, NULL);
	atomic_store(&n_deleted, 0);
	atomic_store(&n_uploaded, 0);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		assert_int_equal(ask(&f, texts[i], reply, sizeof(reply)), 500);
		assert_non_null(strstr(reply, "Connection: close"));
		assert_non_null(strstr(reply, "\"request_id\""));
		assert_null(strstr(reply, "recv"));
	}
	assert_int_equal(atomic_load(&n_deleted), 0);
	assert_int_equal(atomic_load(&n_uploaded), 0);
	fixture_stop(&f);
	atomic_store(&reads_past_us, false);
}

/* Threads of a libmicrohttpd that waits by another call than epoll_wait(). */
static void test_unwatched(void **state)
{
	struct apsp_event_threads threads;
	struct apsp_err err;

	(void)state;
	atomic_store(&nobody_sleeps, true);
	assert_int_equal(apsp_event_threads_expect(&threads, 1, 1000, &err), 0);
	assert_int_equal(apsp_event_threads_await(&threads, &err), APSP_EIO);
	assert_non_null(strstr(err.message, "does not call epoll_wait()"));
	apsp_event_threads_done(&threads);
	/* nobody watches */
	assert_int_equal(apsp_event_threads_expect(&threads, 1, 0, &err), 0);
	assert_int_equal(apsp_event_threads_await(&threads, &err), 0);
	apsp_event_threads_done(&threads);
	atomic_store(&nobody_sleeps, false);
}

/* As many arguments as a URL may have, and more. */
static void test_long_query(void **state)
{
	static char text[16384], reply[65536];
	struct http_fixture f;

	(void)state;
	fixture_start(&f, routes, NULL);
	for (size_t n = 64; n <= 4000; n *= 62) {
		char *at = stpcpy(text, "GET /healthz?a=?");

		for (size_t i = 1; i < n; i++)
			at = stpcpy(at, "&a=?");
		stpcpy(at, " HTTP/1.1\r\n" END);
		assert_int_equal(ask(&f, text, reply, sizeof(reply)),
			n == 64 ? 400 : 431);
		assert_non_null(strstr(reply,
			n == 64 ? "'a' twice" : "more than 64 arguments"));
	}
	fixture_stop(&f);
}

static void test_unix(void **state)
{
	char dir[] = "/tmp/apsp-server-XXXXXX";
	char spec[64], reply[4096];
	struct http_fixture f;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(spec, sizeof(spec), "unix:%s/s", dir);
	fixture_start_at(&f, routes, spec, NULL);
	assert_int_equal(ask(&f, GET END, reply, sizeof(reply)), 200);
	assert_int_equal(
		ask(&f, "GET /healthz HTTP/1.0\r\n\r\n", reply, sizeof(reply)),
		200);
	assert_int_equal(
		ask(&f, GET "Host: evil.example\r\n\r\n", reply, sizeof(reply)),
		421);
	fixture_stop(&f);
	assert_return_code(rmdir(dir), 0);
}

static void test_replies(void **state)
{
	static char reply[65536];
	struct http_fixture f;
	int fd;

	(void)state;
	fixture_start(&f, routes, NULL);
	fd = client_open(&f);
	/* keep-alive, HEAD, and three in one packet */
	for (int i = 0; i < 3; i++) {
		assert_true(client_send(fd, GET END));
		assert_int_equal(
			client_read(fd, reply, sizeof(reply), true), 200);
		assert_non_null(strstr(reply, "X-Request-Id: "));
		assert_non_null(strstr(reply, "Cache-Control: no-store"));
		assert_non_null(strstr(reply, "nosniff"));
		assert_non_null(strstr(reply, "{\"status\":\"ok\"}"));
	}
	assert_true(client_send(fd, "HEAD /healthz HTTP/1.1\r\n" END));
	assert_int_equal(client_read(fd, reply, sizeof(reply), false), 200);
	assert_non_null(strstr(reply, "Content-Length: 16"));
	assert_true(
		client_send(fd, GET END "GET /none HTTP/1.1\r\n" END GET END));
	assert_int_equal(client_read(fd, reply, sizeof(reply), true), 200);
	assert_int_equal(client_read(fd, reply, sizeof(reply), true), 404);
	assert_non_null(strstr(reply, "application/problem+json"));
	assert_non_null(strstr(reply, "/problems/not-found"));
	assert_string_equal(reply + strlen(reply) - 3, "\"}\n");
	assert_int_equal(client_read(fd, reply, sizeof(reply), true), 200);

	/* an encoded slash stays in its segment; '+' and queries */
	assert_true(client_send(
		fd, "GET /v1/graphs/a%2Fb+c?q=d%26e+f HTTP/1.1\r\n" END));
	assert_int_equal(client_read(fd, reply, sizeof(reply), true), 200);
	assert_non_null(strstr(reply, "{\"name\":\"a/b+c\",\"q\":\"d&e f\"}"));
	assert_non_null(strstr(reply, "ETag: \"tag\""));
	assert_non_null(strstr(reply, "Cache-Control: no-cache"));
	assert_true(client_send(fd, "GET /v1/graphs/a HTTP/1.1\r\n"
				    "If-None-Match: \"x\", W/\"tag\"\r\n" END));
	assert_int_equal(client_read(fd, reply, sizeof(reply), false), 304);

	/* a buffered body, in chunks */
	assert_true(client_send(fd, "POST /v1/graphs/g/paths HTTP/1.1\r\n"
				    "Transfer-Encoding: chunked\r\n" END
				    "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"));
	assert_int_equal(client_read(fd, reply, sizeof(reply), true), 200);
	assert_non_null(strstr(reply, "{\"body\":\"abcde\"}"));

	/* line and column of bad data, after the whole body is read */
	assert_true(
		client_send(fd, PUT "Content-Length: 3\r\n" END "a!c" GET END));
	assert_int_equal(client_read(fd, reply, sizeof(reply), true), 422);
	assert_non_null(strstr(reply, "\"line\":3,\"column\":4"));
	assert_int_equal(client_read(fd, reply, sizeof(reply), true), 200);
	close(fd);
	fixture_stop(&f);
}

/* Rows that fill more than one buffer. */
static void test_streams(void **state)
{
	static char reply[200000];
	struct http_fixture f;

	(void)state;
	fixture_start(&f, routes, NULL);
	assert_int_equal(ask(&f,
				 "GET /v1/graphs HTTP/1.1\r\n"
				 "Connection: close\r\n" END,
				 reply, sizeof(reply)),
		200);
	assert_non_null(strstr(reply, "{\"n\":20000,\"rows\":[0,1,2,3,"));
	assert_non_null(strstr(reply, "19998,19999]}\n"));
	assert_int_equal(ask(&f,
				 "GET /v1/graphs HTTP/1.1\r\nConnection: close"
				 "\r\nAccept: application/x-ndjson\r\n" END,
				 reply, sizeof(reply)),
		200);
	assert_non_null(strstr(reply, "0\n1\n2\n3\n"));
	fixture_stop(&f);
}

static void test_continue(void **state)
{
	static char piece[1 << 20], reply[65536];
	struct http_fixture f;
	int fd;

	(void)state;
	fixture_start(&f, routes, NULL);
	fd = client_open(&f);
	atomic_store(&n_uploaded, 0);
	assert_true(client_send(
		fd, PUT "Expect: 100-continue\r\nContent-Length: 3\r\n" END));
	assert_int_equal(client_read(fd, reply, sizeof(reply), false), 100);
	assert_true(client_send(fd, "abc"));
	assert_int_equal(client_read(fd, reply, sizeof(reply), true), 202);
	assert_int_equal(atomic_load(&n_uploaded), 3);
	close(fd);

	/* a refusal comes first, with no 100 before it */
	fd = client_open(&f);
	assert_true(client_send(fd,
		"PUT /v1/graphs/full HTTP/1.1\r\nExpect: 100-continue\r\n"
		"Content-Length: 3\r\n" END));
	assert_int_equal(client_read(fd, reply, sizeof(reply), true), 429);
	assert_non_null(strstr(reply, "Retry-After: "));
	assert_non_null(strstr(reply, "Connection: close"));
	close(fd);

	/* a client that sends on still gets to read the refusal */
	fd = client_open(&f);
	memset(piece, 'x', sizeof(piece) - 1);
	assert_true(
		client_send(fd, "PUT /v1/graphs/full "
				"HTTP/1.1\r\nContent-Length: 9999999\r\n" END));
	for (int i = 0; i < 4; i++)
		assert_true(client_send(fd, piece));
	assert_int_equal(client_read(fd, reply, sizeof(reply), true), 429);
	close(fd);
	assert_int_equal(atomic_load(&n_uploaded), 3);
	fixture_stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_unjudged),
		cmocka_unit_test(test_unwatched),
		cmocka_unit_test(test_long_query),
		cmocka_unit_test(test_unix),
		cmocka_unit_test(test_replies),
		cmocka_unit_test(test_streams),
		cmocka_unit_test(test_continue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
