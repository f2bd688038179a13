/*
 * Connections over raw sockets: clients that drip, are silent, read slowly, and
 * leave. The endpoints are the test's own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <poll.h>

#include "api/http/reply.h"
#include "api/http/rows.h"
#include "daemon/base/clock.h"
#include "tests/http_fixture.h"

enum {
	ROWS = 200000,
	ROW_SIZE = 120, /* about */
	PATIENCE_MS = 120000,
};

static int next_row(void *ctx, struct apsp_cells *cells, struct apsp_err *err)
{
	char text[ROW_SIZE + 1];
	int *row = ctx;

	(void)err;
	if (*row == ROWS)
		return 0;
	snprintf(text, sizeof(text), "%0*d", ROW_SIZE, (*row)++);
	apsp_json_string(cells->json, text, strlen(text));
	return 1;
}

/* Breaks off in the middle. */
static int next_broken_row(
	void *ctx, struct apsp_cells *cells, struct apsp_err *err)
{
	int *row = ctx;

	if (*row == ROWS / 2)
		return apsp_fail(err, APSP_EDAMAGED, "broken");
	return next_row(ctx, cells, err);
}

/* 24 MB: more than the kernel keeps for a client that does not read. */
static int list_graphs(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_rows rows = {
		.head = json_object(),
		.name = "rows",
		.write = next_row,
		.done = free,
		.ctx = calloc(1, sizeof(int)),
	};

	return apsp_rows_reply(req, &rows, err);
}

static int list_broken(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_rows rows = {
		.head = json_object(),
		.name = "rows",
		.write = next_broken_row,
		.done = free,
		.ctx = calloc(1, sizeof(int)),
	};

	return apsp_rows_reply(req, &rows, err);
}

static const struct apsp_route routes[] = {
	{APSP_METHOD_GET, "/v1/graphs", APSP_BODY_NONE, .answer = list_graphs},
	{APSP_METHOD_GET, "/v1/broken", APSP_BODY_NONE, .answer = list_broken},
	{APSP_METHOD_PUT, "/v1/graphs/{graph}", APSP_BODY_STREAM,
		.body = fixture_drop, .answer = fixture_accept},
	{APSP_METHOD_POST, "/v1/graphs/{graph}/paths", APSP_BODY_BUFFER,
		.answer = fixture_accept},
	{APSP_METHOD_GET, "/healthz", APSP_BODY_NONE,
		.answer = fixture_healthz},
	{.pattern = NULL},
};

/* Below each default limit that a test lowers to a second. */
#define SOON_S 25

/* Send a byte now and then; returns the seconds until the server closes. */
static double drip(int fd, const char *text, double most_s)
{
	const struct timeval pause = {.tv_usec = 100000};
	double start = apsp_clock_s();
	char byte;

	assert_true(client_send(fd, text));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &pause, sizeof(pause));
	while (apsp_clock_s() - start < most_s) {
		/* recv() waits for the pause, or for the server's answer */
		ssize_t n = recv(fd, &byte, 1, 0);

		if (n == 0 || (n < 0 && errno != EAGAIN))
			break;
		if (send(fd, "a", 1, MSG_NOSIGNAL) < 0)
			break;
	}
	close(fd);
	return apsp_clock_s() - start;
}

static void test_drip(void **state)
{
	struct apsp_limits limits = apsp_default_limits;
	char reply[4096];
	struct http_fixture f;
	int fd;

	(void)state;
	limits.request_timeout_s = 1;
	limits.idle_timeout_s = 1;
	limits.body_grace_s = 1;
	limits.body_rate_min = 1000;
	fixture_start(&f, routes, &limits);
	assert_true(drip(client_open(&f), GET "X: ", 29) < SOON_S);
	assert_true(drip(client_open(&f), "GET /", 29) < SOON_S);
	assert_true(drip(client_open(&f), PUT "Content-Length: 1000\r\n" END,
			    29) < SOON_S);
	assert_true(drip(client_open(&f),
			    "POST /v1/graphs/g/paths HTTP/1.1\r\n"
			    "Content-Length: 1000\r\n" END,
			    29) < SOON_S);
	fd = client_open(&f);
	assert_true(client_send(fd, GET END));
	assert_int_equal(client_read(fd, reply, sizeof(reply), true), 200);
	assert_true(drip(fd, GET "X: ", 29) < SOON_S);
	/* silence is ended, too */
	fd = client_open(&f);
	assert_int_equal(client_read(fd, reply, sizeof(reply), true), 0);
	close(fd);
	fixture_stop(&f);
}

/*
 * Bytes that were sent buy silence, but no more than the idle timeout: by their
 * average rate, these would buy 200 s.
 */
static void test_silent_upload(void **state)
{
	struct apsp_limits limits = apsp_default_limits;
	const struct timeval most = {.tv_sec = SOON_S + 4};
	static char piece[200001];
	struct http_fixture f;
	double start;
	char byte;
	int fd;

	(void)state;
	limits.idle_timeout_s = 1;
	limits.body_grace_s = 1;
	limits.body_rate_min = 1000;
	fixture_start(&f, routes, &limits);
	fd = client_open(&f);
	memset(piece, 'a', sizeof(piece) - 1);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most));
	assert_true(client_send(fd, PUT "Content-Length: 1000000\r\n" END));
	assert_true(client_send(fd, piece));
	start = apsp_clock_s();
	while (recv(fd, &byte, 1, 0) > 0)
		continue;
	assert_true(apsp_clock_s() - start < SOON_S);
	close(fd);
	fixture_stop(&f);
}

/* Who says nothing has less time than who has asked. */
static void test_silent(void **state)
{
	struct apsp_limits limits = apsp_default_limits;
	char reply[4096];
	struct http_fixture f;
	double start;
	int fds[2];

	(void)state;
	limits.head_timeout_s = 1;
	limits.request_timeout_s = 300;
	limits.idle_timeout_s = 300;
	fixture_start(&f, routes, &limits);
	fds[0] = client_open(&f);
	assert_true(client_send(fds[0], GET END));
	assert_int_equal(client_read(fds[0], reply, sizeof(reply), true), 200);
	fds[1] = client_open(&f);
	start = apsp_clock_s();
	assert_int_equal(recv(fds[1], reply, 1, 0), 0);
	assert_true(apsp_clock_s() - start < 100); /* not 300 */
	close(fds[1]);
	/* who has asked is served on, and has as little for the next head */
	assert_true(client_send(fds[0], GET END "GET /heal"));
	assert_int_equal(client_read(fds[0], reply, sizeof(reply), true), 200);
	start = apsp_clock_s();
	assert_int_equal(recv(fds[0], reply, 1, 0), 0);
	assert_true(apsp_clock_s() - start < 100); /* not 300 */
	close(fds[0]);
	fixture_stop(&f);
}

/*
 * However many are connected and idle, the next one is served; it asks again
 * while the answers of those before it have reached them and not ended yet.
 */
static void test_idle_make_room(void **state)
{
	struct apsp_limits limits = apsp_default_limits;
	struct http_fixture f;
	char reply[4096];
	double start = apsp_clock_s();
	int fds[300], status;

	(void)state;
	limits.max_connections = 4;
	fixture_start(&f, routes, &limits);
	for (int i = 0; i < 300; i++) {
		fds[i] = client_open(&f);
		if (i % 3 == 0)
			continue; /* this one is silent */
		assert_true(client_send(fds[i], GET END));
		status = client_read(fds[i], reply, sizeof(reply), true);
		if (status == 503 && apsp_clock_s() - start < 60)
			close(fds[i--]);
		else
			assert_int_equal(status, 200);
	}
	for (int i = 0; i < 300; i++)
		close(fds[i]);
	fixture_stop(&f);
}

/* A client with small buffers, so that the server soon waits for it. */
static int slow_open(const struct http_fixture *f)
{
	struct sockaddr_storage address;
	const struct timeval patience = {.tv_sec = PATIENCE_MS / 1000};
	socklen_t size = sizeof(address);
	int fd, bytes = 4096;

	assert_return_code(
		getsockname(f->listener.fd, (struct sockaddr *)&address, &size),
		0);
	fd = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_return_code(fd, 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	assert_return_code(connect(fd, (struct sockaddr *)&address, size), 0);
	return fd;
}

/* Read to the end; returns the bytes, and the last ones in tail. */
static size_t read_rest(int fd, char tail[16], ssize_t *out_last)
{
	static char buffer[1 << 16];
	size_t total = 0;
	ssize_t n;

	while ((n = recv(fd, buffer, sizeof(buffer), 0)) > 0) {
		total += (size_t)n;
		if (n >= 16)
			memcpy(tail, buffer + n - 16, 16);
	}
	*out_last = n;
	return total;
}

/* A pause that is longer than an idle connection may have cuts nothing off. */
static void test_slow_reader(void **state)
{
	struct apsp_limits limits = apsp_default_limits;
	struct http_fixture f;
	struct pollfd none;
	char tail[16] = "";
	ssize_t last;
	int fd;

	(void)state;
	limits.idle_timeout_s = 1;
	limits.body_rate_min = 1024;
	fixture_start(&f, routes, &limits);
	fd = slow_open(&f);
	assert_true(client_send(fd, "GET /v1/graphs HTTP/1.0\r\n" END));
	none = (struct pollfd){.fd = fd, .events = 0};
	assert_int_equal(poll(&none, 1, 3000), 0); /* not cut off meanwhile */
	assert_true(read_rest(fd, tail, &last) > (size_t)ROWS * ROW_SIZE);
	assert_int_equal(last, 0);
	assert_memory_equal(tail + 16 - 3, "]}\n", 3);
	close(fd);
	fixture_stop(&f);
}

/* One request on a connection that is open. */
static bool is_served(int fd)
{
	char reply[4096];

	return client_send(fd, GET END) &&
	       client_read(fd, reply, sizeof(reply), true) == 200;
}

/* A pause since then ends. */
static void pause_note(double since, double *longest_s)
{
	double pause_s = apsp_clock_s() - since;

	if (pause_s > *longest_s)
		*longest_s = pause_s;
}

/*
 * Whether all are served when clients that do not read hold four places of
 * five, and four others come. The fifth is that of one that asks in between;
 * tells its longest pause.
 */
static bool slow_make_room(struct http_fixture *f, double *out_pause_s)
{
	struct pollfd first[4];
	bool served = true;
	int fds[4], kept = client_open(f);
	double since = apsp_clock_s();

	*out_pause_s = 0;
	for (int i = 0; i < 4; i++) {
		first[i] = (struct pollfd){slow_open(f), POLLIN, 0};
		assert_true(client_send(
			first[i].fd, "GET /v1/graphs HTTP/1.1\r\n" END));
	}
	for (int i = 0; i < 4; i++)
		assert_int_equal(poll(&first[i], 1, PATIENCE_MS), 1);
	/* long enough for a pace, and shorter than any answer may take */
	assert_int_equal(poll(NULL, 0, 200), 0);
	for (int i = 0; i < 4; i++) {
		pause_note(since, out_pause_s);
		served &= is_served(kept);
		since = apsp_clock_s();
		fds[i] = client_open(f);
		served &= is_served(fds[i]);
	}
	pause_note(since, out_pause_s);
	served &= is_served(kept);
	for (int i = 0; i < 4; i++) {
		close(first[i].fd);
		close(fds[i]);
	}
	close(kept);
	return served;
}

/*
 * Clients that do not read take all places, and one that pauses between two
 * requests keeps its own: whoever comes then is served at once, and the clients
 * that do not read make room. Who pauses for a second makes room, too: where
 * this process had to wait so long for a processor, it tries again.
 */
static void test_slow_make_room(void **state)
{
	struct apsp_limits limits = apsp_default_limits;
	struct http_fixture f;
	double pause_s = 1;
	bool served = false;

	(void)state;
	limits.max_connections = 5;
	for (int i = 0; i < 20 && !served && pause_s >= 0.5; i++) {
		fixture_start(&f, routes, &limits);
		served = slow_make_room(&f, &pause_s);
		fixture_stop(&f);
	}
	assert_true(served);
}

/* What is cut off ends in a reset, or it would look whole. */
static void test_cut_off(void **state)
{
	struct apsp_limits limits = apsp_default_limits;
	struct http_fixture f;
	struct pollfd hup;
	char tail[16] = "";
	ssize_t last;
	int fd;

	(void)state;
	limits.request_timeout_s = 1;
	limits.body_rate_min = 1 << 30;
	fixture_start(&f, routes, &limits);
	/* a client below the least rate */
	fd = slow_open(&f);
	assert_true(client_send(fd, "GET /v1/graphs HTTP/1.0\r\n" END));
	hup = (struct pollfd){.fd = fd, .events = 0};
	assert_int_equal(poll(&hup, 1, PATIENCE_MS), 1);
	assert_true(read_rest(fd, tail, &last) < (size_t)ROWS * ROW_SIZE);
	assert_int_equal(last, -1);
	assert_int_equal(errno, ECONNRESET);
	close(fd);
	/* rows that fail in the middle */
	fd = client_open(&f);
	assert_true(client_send(fd, "GET /v1/broken HTTP/1.0\r\n" END));
	read_rest(fd, tail, &last);
	assert_int_equal(last, -1);
	assert_int_equal(errno, ECONNRESET);
	close(fd);
	fixture_stop(&f);
}

/* The end of file comes with the last bytes, in one edge of epoll. */
static void test_left(void **state)
{
	struct apsp_limits limits = apsp_default_limits;
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
	start = apsp_clock_s();
	while (status != 200 && apsp_clock_s() - start < SOON_S)
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
	} while (status != 200 && apsp_clock_s() - start < SOON_S);
	assert_int_equal(status, 200);
	assert_true(apsp_clock_s() - start < SOON_S);
	fixture_stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_drip),
		cmocka_unit_test(test_silent_upload),
		cmocka_unit_test(test_silent),
		cmocka_unit_test(test_idle_make_room),
		cmocka_unit_test(test_slow_reader),
		cmocka_unit_test(test_slow_make_room),
		cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
