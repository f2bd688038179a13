/*
 * Connections over raw sockets: clients that drip, that are too many, and that
 * leave. The endpoints are the test's own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <time.h>

#include "api/http/reply.h"
#include "tests/http_fixture.h"

static int put_graph_begin(struct apsp_request *req, struct apsp_err *err)
{
	(void)req;
	(void)err;
	return 0;
}

static int put_graph_body(struct apsp_request *req, const char *data,
	size_t size, struct apsp_err *err)
{
	(void)req;
	(void)data;
	(void)size;
	(void)err;
	return 0;
}

static int put_graph(struct apsp_request *req, struct apsp_err *err)
{
	return apsp_reply_json(req, MHD_HTTP_ACCEPTED, json_object(), err);
}

static const struct apsp_route routes[] = {
	{APSP_METHOD_PUT, "/v1/graphs/{graph}", APSP_BODY_STREAM,
		put_graph_begin, put_graph_body, put_graph},
	{APSP_METHOD_POST, "/v1/graphs/{graph}/paths", APSP_BODY_BUFFER,
		.answer = put_graph},
	{APSP_METHOD_GET, "/healthz", APSP_BODY_NONE,
		.answer = fixture_healthz},
	{.pattern = NULL},
};

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Send a byte now and then; returns the seconds until the server closes. */
static double drip(int fd, const char *text, double most_s)
{
	const struct timeval pause = {.tv_usec = 100000};
	double start = now_s();
	char byte;

	assert_true(client_send(fd, text));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &pause, sizeof(pause));
	while (now_s() - start < most_s) {
		/* recv() waits for the pause, or for the server's answer */
		ssize_t n = recv(fd, &byte, 1, 0);

		if (n == 0 || (n < 0 && errno != EAGAIN))
			break;
		if (send(fd, "a", 1, MSG_NOSIGNAL) < 0)
			break;
	}
	close(fd);
	return now_s() - start;
}

static void test_drip(void **state)
{
	struct apsp_server_limits limits = apsp_server_default_limits;
	char reply[4096];
	struct http_fixture f;
	int fd;

	(void)state;
	limits.request_timeout_s = 1;
	limits.idle_timeout_s = 1;
	limits.body_grace_s = 1;
	limits.body_rate_min = 1000;
	fixture_start(&f, routes, &limits);
	assert_true(drip(client_open(&f), GET "X: ", 15) < 10);
	assert_true(drip(client_open(&f), "GET /", 15) < 10);
	assert_true(drip(client_open(&f), PUT "Content-Length: 1000\r\n" END,
			    15) < 10);
	assert_true(drip(client_open(&f),
			    "POST /v1/graphs/g/paths HTTP/1.1\r\n"
			    "Content-Length: 1000\r\n" END,
			    15) < 10);
	fd = client_open(&f);
	assert_true(client_send(fd, GET END));
	assert_int_equal(client_read(fd, reply, sizeof(reply), true), 200);
	assert_true(drip(fd, GET "X: ", 15) < 10);
	/* silence is ended, too */
	fd = client_open(&f);
	assert_int_equal(client_read(fd, reply, sizeof(reply), true), 0);
	close(fd);
	fixture_stop(&f);
}

static void test_connection_limit(void **state)
{
	struct apsp_server_limits limits = apsp_server_default_limits;
	struct http_fixture f;
	char reply[4096];
	int fds[3], fd, status = 0;

	(void)state;
	limits.max_connections = 3;
	fixture_start(&f, routes, &limits);
	for (int i = 0; i < 3; i++) {
		fds[i] = client_open(&f);
		assert_true(client_send(fds[i], GET END));
		assert_int_equal(
			client_read(fds[i], reply, sizeof(reply), true), 200);
	}
	fd = client_open(&f);
	assert_true(client_send(fd, GET END));
	assert_int_equal(client_read(fd, reply, sizeof(reply), true), 503);
	assert_non_null(strstr(reply, "Retry-After: 1"));
	assert_non_null(strstr(reply, "Connection: close"));
	assert_non_null(strstr(reply, "/problems/busy"));
	assert_int_equal(recv(fd, reply, 1, 0), 0);
	close(fd);
	/* connected clients are served on; one that leaves makes room */
	assert_true(client_send(fds[0], GET END));
	assert_int_equal(client_read(fds[0], reply, sizeof(reply), true), 200);
	close(fds[1]);
	for (int i = 0; i < 10000 && status != 200; i++)
		status = ask(&f, GET "Connection: close\r\n" END, reply,
			sizeof(reply));
	assert_int_equal(status, 200);
	close(fds[0]);
	close(fds[2]);
	fixture_stop(&f);
}

/* The end of file comes with the last bytes, in one edge of epoll. */
static void test_left(void **state)
{
	struct apsp_server_limits limits = apsp_server_default_limits;
	struct http_fixture f;
	char reply[4096];
	int fd, status = 0;
	double start;

	(void)state;
	limits.max_connections = 1;
	fixture_start(&f, routes, &limits);
	/* a client that gives up its upload makes room */
	fd = client_open(&f);
	assert_true(
		client_send(fd, PUT "Content-Length: 1000\r\n" END "a,b,1\n"));
	close(fd);
	start = now_s();
	while (status != 200 && now_s() - start < 10)
		status = ask(&f, GET "Connection: close\r\n" END, reply,
			sizeof(reply));
	assert_int_equal(status, 200);

	/* a client that only stops sending is answered, then closed */
	do {
		fd = client_open(&f);
		client_send(fd, GET END);
		shutdown(fd, SHUT_WR);
		status = client_read(fd, reply, sizeof(reply), true);
		assert_true(client_read_all(fd, reply, sizeof(reply)) == 0);
		close(fd);
	} while (status != 200 && now_s() - start < 10);
	assert_int_equal(status, 200);
	assert_true(now_s() - start < 10);
	fixture_stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_drip),
		cmocka_unit_test(test_connection_limit),
		cmocka_unit_test(test_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
