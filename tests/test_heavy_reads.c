/*
 * Reads that take long or answer at length: they leave the connections'
 * threads, come back after each part, and make no more of their answer than
 * their client takes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "storage/tables/path.h"
#include "storage/tables/reach_set.h"
#include "tests/endpoint_fixture.h"

enum {
	N = 1100, /* more than what is looked at in place */
	CANDIDATES = 64,
	BUFFER = 1 << 14, /* bytes that a slow client's socket takes */
};

/* Calls of the ones come to the others (tests/meson.build). */
int __wrap_apsp_request_move(struct apsp_request *req, struct apsp_err *err);
int __real_apsp_request_move(struct apsp_request *req, struct apsp_err *err);
int __wrap_apsp_reach_search_step(
	struct apsp_reach_search *search, struct apsp_err *err);
int __real_apsp_reach_search_step(
	struct apsp_reach_search *search, struct apsp_err *err);
int __wrap_apsp_path_find(struct apsp_tables *tables, uint32_t from,
	uint32_t to, struct apsp_path *out, struct apsp_err *err);
int __real_apsp_path_find(struct apsp_tables *tables, uint32_t from,
	uint32_t to, struct apsp_path *out, struct apsp_err *err);

static atomic_int n_moves, n_steps, n_paths;

int __wrap_apsp_request_move(struct apsp_request *req, struct apsp_err *err)
{
	atomic_fetch_add(&n_moves, 1);
	return __real_apsp_request_move(req, err);
}

int __wrap_apsp_reach_search_step(
	struct apsp_reach_search *search, struct apsp_err *err)
{
	atomic_fetch_add(&n_steps, 1);
	return __real_apsp_reach_search_step(search, err);
}

int __wrap_apsp_path_find(struct apsp_tables *tables, uint32_t from,
	uint32_t to, struct apsp_path *out, struct apsp_err *err)
{
	atomic_fetch_add(&n_paths, 1);
	return __real_apsp_path_find(tables, from, to, out, err);
}

/* A ring v0 → v1 → … → v0 of n vertices, with its tables. */
static void ring_upload(struct fixture *f, const char *target, int n)
{
	static char text[32 * N];
	char *at = text;

	for (int v = 0; v < n; v++)
		at += sprintf(at, "v%d,v%d,1\n", v, (v + 1) % n);
	fixture_graph(f, target, text);
}

/* In which direction, how far; and whether it is of a small graph. */
static void test_reach_set(void **state)
{
	static const struct {
		const char *target;
		bool is_long;
	} questions[] = {
		{"/v1/graphs/g/vertices/v9/reachable?direction=in&"
		 "max_distance=5",
			true},
		{"/v1/graphs/g/vertices/v9/reachable?max_distance=5", true},
		{"/v1/graphs/small/vertices/v9/reachable?direction=in&"
		 "max_distance=5",
			false},
	};
	struct fixture *f = *state;

	ring_upload(f, "/v1/graphs/g", N);
	ring_upload(f, "/v1/graphs/small", N / 2);
	for (size_t i = 0; i < 3; i++) {
		int parts = N / CANDIDATES;

		atomic_store(&n_moves, 0);
		atomic_store(&n_steps, 0);
		EXPECT(fixture_get(f, questions[i].target), 200,
			"{\"count\": 6, \"...\": 0}");
		assert_true(
			(atomic_load(&n_moves) > 0) == questions[i].is_long);
		/* a block of the file may be hashed for each candidate */
		assert_true(atomic_load(&n_steps) >=
			    (questions[i].is_long ? parts : parts / 2));
	}
}

/* Ask for the path from each of many vertices all round the ring, by a socket
   that takes little. */
static int batch_send(const struct fixture *f)
{
	static char body[64 * FIXTURE_PAIRS], head[256];
	struct sockaddr_in address = {.sin_family = AF_INET,
		.sin_port = htons((uint16_t)f->port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const int buffer = BUFFER;
	char *at = body;
	int n;

	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof(buffer));
	assert_int_equal(
		connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	for (int i = 0; i < FIXTURE_PAIRS; i++)
		at += sprintf(at, "%s[\"v%d\",\"v%d\"]",
			i ? "," : "{\"pairs\":[", i, (i + N - 1) % N);
	at += sprintf(at, "]}");
	n = snprintf(head, sizeof(head),
		"POST /v1/graphs/g/paths HTTP/1.1\r\nHost: localhost\r\n"
		"Content-Type: application/json\r\nConnection: close\r\n"
		"Content-Length: %zu\r\n\r\n",
		(size_t)(at - body));
	assert_int_equal(send(fd, head, (size_t)n, MSG_NOSIGNAL), n);
	assert_int_equal(
		send(fd, body, (size_t)(at - body), MSG_NOSIGNAL), at - body);
	return fd;
}

/* A batch of paths that come to megabytes, whose client reads slowly: when it
   has some, most are not yet made. */
static void test_batch_unread(void **state)
{
	static char some[20 * N * 4];
	struct fixture *f = *state;
	size_t size = sizeof(some);
	ssize_t n;
	int fd;

	ring_upload(f, "/v1/graphs/g", N);
	atomic_store(&n_paths, 0);
	fd = batch_send(f);
	assert_true(http_read_bytes(fd, some, sizeof(some)));
	assert_memory_equal(some, "HTTP/1.1 200 ", 13);
	assert_in_range(atomic_load(&n_paths), 2, FIXTURE_PAIRS / 2);
	while ((n = read(fd, some, sizeof(some))) > 0 ||
		(n < 0 && errno == EINTR))
		size += n > 0 ? (size_t)n : 0;
	close(fd);
	assert_true(size > (size_t)FIXTURE_PAIRS * 20 * N);
	assert_int_equal(atomic_load(&n_paths), FIXTURE_PAIRS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_reach_set, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_batch_unread, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
