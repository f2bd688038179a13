/*
 * How many connections there may be, who gets no place, and what /metrics tells
 * of it, over raw sockets. The endpoints are the test's own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <semaphore.h>

#include "api/http/request_end.h"
#include "api/http/reply.h"
#include "daemon/base/clock.h"
#include "tests/http_fixture.h"

enum {
	PATIENCE_S = 120,
};

static sem_t begun; /* posted when an upload has begun */

static int put_graph_begin(struct apsp_request *req, struct apsp_err *err)
{
	(void)req;
	(void)err;
	sem_post(&begun);
	return 0;
}

static int get_metrics(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_text text = {0};

	apsp_request_counts_write(req, &text);
	return apsp_reply_bytes(req, MHD_HTTP_OK, "text/plain", &text, err);
}

static const struct apsp_route routes[] = {
	{APSP_METHOD_GET, "/metrics", APSP_BODY_NONE, .answer = get_metrics},
	{APSP_METHOD_PUT, "/v1/graphs/{graph}", APSP_BODY_STREAM,
		put_graph_begin, fixture_drop, fixture_accept},
	{APSP_METHOD_GET, "/healthz", APSP_BODY_NONE,
		.answer = fixture_healthz},
	{.pattern = NULL},
};

/* An upload whose body never comes; the server has its head. */
static int upload_open(const struct http_fixture *f)
{
	int fd = client_open(f);

	assert_true(client_send(fd, PUT "Content-Length: 1000\r\n" END));
	sem_wait(&begun);
	return fd;
}

/* The value of a series, without "apspd_connections", asked for on fd. */
static int counted(int fd, const char *series)
{
	static char reply[65536];
	char line[128];
	const char *at;

	assert_true(client_send(fd, "GET /metrics HTTP/1.1\r\n" END));
	assert_int_equal(client_read(fd, reply, sizeof(reply), true), 200);
	snprintf(line, sizeof(line), "\napspd_connections%s ", series);
	at = strstr(reply, line);
	assert_non_null(at);
	return atoi(at + strlen(line));
}

static void await_count(int fd, const char *series, int wanted)
{
	double start = apsp_clock_s();

	while (counted(fd, series) != wanted)
		assert_true(apsp_clock_s() - start < PATIENCE_S);
}

/* Who got a place, who lost it, who got none. */
static void test_counts(void **state)
{
	struct apsp_limits limits = apsp_default_limits;
	static char reply[65536], body[1001];
	struct http_fixture f;
	int asker, fds[4];

	(void)state;
	limits.max_connections = 2;
	fixture_start(&f, routes, &limits);
	asker = client_open(&f);
	assert_int_equal(counted(asker, "_limit"), 2);
	fds[0] = client_open(&f);
	/* only connections that have been handed to their thread count as taken
	   and can be closed for others; the asker's last request comes later */
	await_count(asker, "_taken_total", 2);
	fds[1] = client_open(&f);
	assert_int_equal(recv(fds[0], reply, 1, 0), 0);
	await_count(asker, "_closed_total{reason=\"room\"}", 1);
	close(fds[1]);
	await_count(asker, "{state=\"idle\"}", 0);
	fds[2] = upload_open(&f);
	assert_int_equal(counted(asker, "{state=\"busy\"}"), 2);
	assert_true(client_send(asker, PUT "Content-Length: 1000\r\n" END));
	sem_wait(&begun);
	fds[3] = client_open(&f);
	assert_int_equal(client_read(fds[3], reply, sizeof(reply), true), 503);
	memset(body, 'a', sizeof(body) - 1);
	assert_true(client_send(asker, body));
	assert_int_equal(client_read(asker, reply, sizeof(reply), true), 202);
	assert_int_equal(counted(asker, "_refused_total"), 1);
	assert_int_equal(counted(asker, "_taken_total"), 4);
	assert_int_equal(counted(asker, "_closed_total{reason=\"room\"}"), 1);
	assert_int_equal(
		counted(asker, "_closed_total{reason=\"deadline\"}"), 0);
	close(fds[0]);
	close(fds[2]);
	close(fds[3]);
	close(asker);
	fixture_stop(&f);

	limits.head_timeout_s = 1;
	fixture_start(&f, routes, &limits);
	asker = client_open(&f);
	fds[0] = client_open(&f);
	assert_int_equal(recv(fds[0], reply, 1, 0), 0);
	close(fds[0]);
	close(asker);
	asker = client_open(&f);
	await_count(asker, "{state=\"idle\"}", 0);
	assert_int_equal(
		counted(asker, "_closed_total{reason=\"deadline\"}"), 2);
	close(asker);
	fixture_stop(&f);
}

static void test_connection_limit(void **state)
{
	struct apsp_limits limits = apsp_default_limits;
	struct http_fixture f;
	char reply[4096];
	int fds[3], fd, status = 0;
	double start;

	(void)state;
	limits.max_connections = 3;
	fixture_start(&f, routes, &limits);
	for (int i = 0; i < 3; i++)
		fds[i] = upload_open(&f);
	fd = client_open(&f);
	assert_true(client_send(fd, GET END));
	assert_int_equal(client_read(fd, reply, sizeof(reply), true), 503);
	assert_non_null(strstr(reply, "Retry-After: 1"));
	assert_non_null(strstr(reply, "Connection: close"));
	assert_non_null(strstr(reply, "/problems/busy"));
	assert_non_null(strstr(reply, "\"request_id\":\""));
	assert_null(strstr(reply, "X-Request-Id: 0000000000000000"));
	assert_int_equal(recv(fd, reply, 1, 0), 0);
	close(fd);
	/* connected clients are served on; one that leaves makes room */
	assert_true(client_send(fds[0], "a"));
	close(fds[1]);
	start = apsp_clock_s();
	while (status != 200 && apsp_clock_s() - start < 60)
		status = ask(&f, GET "Connection: close\r\n" END, reply,
			sizeof(reply));
	assert_int_equal(status, 200);
	close(fds[0]);
	close(fds[2]);
	fixture_stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_connection_limit),
	};

	sem_init(&begun, 0, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
