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

#include <poll.h>
#include <time.h>

#include "daemon/base/budget.h"
#include "daemon/base/clock.h"
#include "storage/tables/lookup.h"
#include "storage/tables/reach_set.h"
#include "tests/endpoint_fixture.h"

enum {
	N = 1100, /* more than what is looked at in place */
	CANDIDATES = 64,
	BUFFER = 1 << 14, /* bytes that a slow client's socket takes */
	DIAMONDS = 1000,
	GROUPS = 100,
};

/* Calls of the ones come to the others (tests/meson.build). */
int __wrap_apsp_request_move(struct apsp_request *req, struct apsp_err *err);
int __real_apsp_request_move(struct apsp_request *req, struct apsp_err *err);
int __wrap_apsp_reach_search_step(
	struct apsp_reach_search *search, struct apsp_err *err);
int __real_apsp_reach_search_step(
	struct apsp_reach_search *search, struct apsp_err *err);
int __wrap_apsp_lookup_path(struct apsp_tables *tables, uint32_t from,
	uint32_t to, struct apsp_path *out, struct apsp_err *err);
int __real_apsp_lookup_path(struct apsp_tables *tables, uint32_t from,
	uint32_t to, struct apsp_path *out, struct apsp_err *err);

int __wrap_apsp_table_read_arc(struct apsp_tables *tables, uint32_t tail,
	uint32_t head, double *weight, double *length, struct apsp_err *err);
int __real_apsp_table_read_arc(struct apsp_tables *tables, uint32_t tail,
	uint32_t head, double *weight, double *length, struct apsp_err *err);

static atomic_int n_moves, n_steps, n_paths, n_arcs;

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

int __wrap_apsp_lookup_path(struct apsp_tables *tables, uint32_t from,
	uint32_t to, struct apsp_path *out, struct apsp_err *err)
{
	atomic_fetch_add(&n_paths, 1);
	return __real_apsp_lookup_path(tables, from, to, out, err);
}

int __wrap_apsp_table_read_arc(struct apsp_tables *tables, uint32_t tail,
	uint32_t head, double *weight, double *length, struct apsp_err *err)
{
	atomic_fetch_add(&n_arcs, 1);
	return __real_apsp_table_read_arc(
		tables, tail, head, weight, length, err);
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

/* Ask by a socket that takes little. */
static int slow_send(const struct fixture *f, const char *method,
	const char *target, const char *body)
{
	static char head[256];
	struct sockaddr_in address = {.sin_family = AF_INET,
		.sin_port = htons((uint16_t)f->port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const int buffer = BUFFER;
	ssize_t size = (ssize_t)strlen(body), n;

	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof(buffer));
	assert_int_equal(
		connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	n = snprintf(head, sizeof(head),
		"%s %s HTTP/1.1\r\nHost: localhost\r\n"
		"Content-Type: application/json\r\nConnection: close\r\n"
		"Content-Length: %zd\r\n\r\n",
		method, target, size);
	assert_int_equal(send(fd, head, (size_t)n, MSG_NOSIGNAL), n);
	assert_int_equal(send(fd, body, (size_t)size, MSG_NOSIGNAL), size);
	return fd;
}

/* Read on to the end. Returns the bytes; -1: the connection was reset. */
static ssize_t read_on(int fd)
{
	static char some[1 << 16];
	ssize_t n, size = 0;

	while ((n = read(fd, some, sizeof(some))) > 0 ||
		(n < 0 && errno == EINTR))
		size += n > 0 ? n : 0;
	close(fd);
	return n == 0 ? size : -1;
}

/* A path of more than 512 arcs moves to the pool, and is looked up twice at
   most; a shorter one stays, and is looked up once. */
static void test_long_path(void **state)
{
	struct fixture *f = *state;

	ring_upload(f, "/v1/graphs/g", N);
	atomic_store(&n_paths, 0);
	atomic_store(&n_moves, 0);
	EXPECT(fixture_get(f, "/v1/graphs/g/path?from=v0&to=v512"), 200,
		"{\"hops\": 512, \"...\": 0}");
	assert_int_equal(atomic_load(&n_paths), 1);
	assert_int_equal(atomic_load(&n_moves), 0);
	EXPECT(fixture_get(f, "/v1/graphs/g/path?from=v0&to=v513"), 200,
		"{\"hops\": 513, \"...\": 0}");
	assert_true(atomic_load(&n_moves) > 0);
	assert_in_range(atomic_load(&n_paths), 2, 3);
}

/* Ask for the path from each of many vertices all round the ring. */
static int batch_send(const struct fixture *f)
{
	static char body[64 * FIXTURE_PAIRS];
	char *at = body;

	for (int i = 0; i < FIXTURE_PAIRS; i++)
		at += sprintf(at, "%s[\"v%d\",\"v%d\"]",
			i ? "," : "{\"pairs\":[", i, (i + N - 1) % N);
	sprintf(at, "]}");
	return slow_send(f, "POST", "/v1/graphs/g/paths", body);
}

/* A batch of paths that come to megabytes, whose client reads slowly: when it
   has some, most are not yet made. */
static void test_batch_unread(void **state)
{
	static char some[20 * N * 4];
	struct fixture *f = *state;
	int fd;

	ring_upload(f, "/v1/graphs/g", N);
	atomic_store(&n_paths, 0);
	fd = batch_send(f);
	assert_true(http_read_bytes(fd, some, sizeof(some)));
	assert_memory_equal(some, "HTTP/1.1 200 ", 13);
	some[1000] = '\0'; /* behind the head, which keeps what begin() set */
	assert_non_null(strstr(some, "Apsp-Revision: "));
	assert_in_range(atomic_load(&n_paths), 2, FIXTURE_PAIRS / 2);
	assert_true(read_on(fd) > (ssize_t)(FIXTURE_PAIRS - 4) * 20 * N);
	assert_int_equal(atomic_load(&n_paths), FIXTURE_PAIRS);
}

/* d0 → a0, b0 → d1 → a1, b1 → … of n diamonds: 2^n paths of equal length. */
static void diamonds_upload(struct fixture *f, int n)
{
	static char text[128 * DIAMONDS];
	char *at = text;

	for (int i = 0; i < n; i++)
		at += sprintf(at,
			"d%d,a%d,1\nd%d,b%d,1\na%d,d%d,1\nb%d,d%d,1\n", i, i, i,
			i, i, i + 1, i, i + 1);
	fixture_graph(f, "/v1/graphs/g", text);
}

/*
 * Of many long paths, and of all arcs of ties, no more is made than the client
 * takes; meanwhile the answer holds the paths' vertices in the budget.
 */
static void test_search_unread(void **state)
{
	static const struct {
		int n_diamonds;
		const char *target;
		int n_arcs; /* that the answer has */
	} cases[] = {
		{100, "/v1/graphs/g/path?from=d0&to=d100&k=100", 100 * 200},
		{DIAMONDS, "/v1/graphs/g/path?from=d0&to=d1000&ties=all",
			4 * DIAMONDS},
	};
	static char some[50000];
	struct fixture *f = *state;
	struct apsp_budget_use use;
	int fd;

	for (int i = 0; i < 2; i++) {
		diamonds_upload(f, cases[i].n_diamonds);
		atomic_store(&n_arcs, 0);
		fd = slow_send(f, "GET", cases[i].target, "");
		assert_true(http_read_bytes(fd, some, sizeof(some)));
		assert_memory_equal(some, "HTTP/1.1 200 ", 13);
		assert_in_range(
			atomic_load(&n_arcs), 0, cases[i].n_arcs * 3 / 4);
		use = apsp_budget_used(apsp_store_parts(f->store)->answers);
		assert_int_equal(use.n_shares, 1);
		assert_in_range(use.memory_bytes, 1000, 400000);
		assert_true(read_on(fd) > 0);
		assert_int_equal(atomic_load(&n_arcs), cases[i].n_arcs);
	}
}

static int status_of(struct http_answer answer)
{
	int status = answer.status;

	http_answer_done(&answer);
	return status;
}

/* Groups of as many values, each of one vertex, whose sums take 402 KB. */
static void groups_upload(struct fixture *f)
{
	static char text[32 * GROUPS];
	char *at = text + sprintf(text, "label,type\n");

	ring_upload(f, "/v1/graphs/g", GROUPS);
	for (int v = 0; v < GROUPS; v++)
		at += sprintf(at, "v%d,t%d\n", v, v);
	assert_int_equal(status_of(fixture_send(f, "PUT",
				 "/v1/graphs/g/attributes", CSV, text)),
		200);
}

static const char groups_target[] = "/v1/graphs/g/groups";
static const char groups_body[] = "{\"attribute\":\"type\"}";

static int groups_ask(struct fixture *f)
{
	return status_of(fixture_send(f, "POST", groups_target,
		"Content-Type: application/json\r\n", groups_body));
}

/* A budget that has room for the sums of one answer, and half of another. */
static void budget_lower(struct fixture *f, uint32_t yield_rate)
{
	const uint64_t bytes = GROUPS * GROUPS * 60;

	f->answers = (struct apsp_budget_limits){
		.who = "answer",
		.too_large = APSP_ESEARCH,
		.max_shares = UINT32_MAX,
		.max_memory_bytes = bytes,
		.max_one_memory_bytes = bytes,
	};
	f->yield_rate = yield_rate;
	fixture_close(f);
	fixture_open(f);
}

/*
 * A request that finds the budget full waits until the client that does not
 * read loses its share, after a second, by a reset and never by an end.
 */
static void test_silent_yields(void **state)
{
	struct fixture *f = *state;
	double start = apsp_clock_s();
	int fd;

	groups_upload(f);
	budget_lower(f, 0);
	fd = slow_send(f, "POST", groups_target, groups_body);
	while (apsp_budget_used(apsp_store_parts(f->store)->answers).n_shares ==
		0)
		assert_true(apsp_clock_s() - start < 60);
	assert_int_equal(groups_ask(f), 200);
	assert_true(apsp_clock_s() - start > 1);
	assert_int_equal(read_on(fd), -1);
	assert_int_equal(
		apsp_budget_used(apsp_store_parts(f->store)->answers).n_yielded,
		1);
}

/* A stream whose compressor finds the budget full waits as well, and keeps the
   block and the headers that it has. */
static void test_stream_waits(void **state)
{
	static char text[32 * GROUPS];
	struct fixture *f = *state;
	struct http_answer answer;
	double start = apsp_clock_s();
	char *at = text, value[80];
	int fd;

	groups_upload(f);
	for (int v = 1; v < GROUPS; v++)
		at += sprintf(at, "v0,v%d,1\n", v);
	fixture_graph(f, "/v1/graphs/hub", text);
	budget_lower(f, 0);
	fd = slow_send(f, "POST", groups_target, groups_body);
	while (apsp_budget_used(apsp_store_parts(f->store)->answers)
			.memory_bytes < GROUPS * GROUPS)
		assert_true(apsp_clock_s() - start < 60);
	start = apsp_clock_s();
	answer = fixture_send(f, "GET", "/v1/graphs/hub/vertices/v0/arcs",
		"Accept-Encoding: gzip\r\n", NULL);
	assert_int_equal(answer.status, 200);
	assert_true(apsp_clock_s() - start > 0.5);
	assert_true(
		http_header(&answer, "Content-Encoding", value, sizeof(value)));
	assert_string_equal(value, "gzip");
	assert_true(
		http_header(&answer, "Apsp-Revision", value, sizeof(value)));
	http_answer_done(&answer);
	assert_int_equal(read_on(fd), -1);
}

/* A client that keeps the stated rate keeps its share, and another one is
   refused after memory_wait_s. */
static void test_reader_stays(void **state)
{
	static char some[4096];
	struct fixture *f = *state;
	const struct timespec pause = {.tv_nsec = 50000000};
	struct pollfd refused = {.events = POLLIN};
	double start;
	int fd;

	groups_upload(f);
	f->memory_wait_s = 3;
	budget_lower(f, 16384);
	fd = slow_send(f, "POST", groups_target, groups_body);
	start = apsp_clock_s();
	assert_true(http_read_bytes(fd, some, sizeof(some)));
	refused.fd = slow_send(f, "POST", groups_target, groups_body);
	while (poll(&refused, 1, 0) == 0) {
		assert_true(http_read_bytes(fd, some, sizeof(some)));
		nanosleep(&pause, NULL); /* 80 kB/s at most */
	}
	assert_true(apsp_clock_s() - start >= 3);
	memset(some, 0, sizeof(some));
	assert_true(recv(refused.fd, some, sizeof(some) - 1, 0) > 0);
	assert_memory_equal(some, "HTTP/1.1 503 ", 13);
	assert_non_null(strstr(some, "Retry-After: "));
	close(refused.fd);
	assert_true(read_on(fd) > 100000);
	assert_int_equal(groups_ask(f), 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_reach_set, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_long_path, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_batch_unread, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_search_unread, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_silent_yields, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_stream_waits, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_reader_stays, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
