/*
 * Handlers that move to the pool, and rows that it makes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>

#include "api/http/query.h"
#include "api/http/reply.h"
#include "api/http/rows.h"
#include "tests/http_fixture.h"

enum {
	N_ROWS = 20000, /* some blocks of 32 KiB */
	TURNS = 5,
	ENDLESS = -2, /* no row comes, and no end */
};

static atomic_int n_calls; /* on the pool */

/* Counts to TURNS, a call each, on the pool; then replies. */
static int turns(struct apsp_request *req, struct apsp_err *err)
{
	int *left, r;

	if (!req->state) {
		/* dropped: the handler begins again on the pool */
		apsp_reply_header(req, "ETag", "\"a\"", NULL);
		r = apsp_request_move(req, err);
		if (r < 0)
			return r;
		left = malloc(sizeof(*left));
		*left = TURNS;
		req->state = left;
		req->state_free = free;
	}
	left = req->state;
	atomic_fetch_add(&n_calls, 1);
	while (--*left > 0)
		if (apsp_request_again(req))
			return 0;
	return apsp_reply_json(
		req, MHD_HTTP_OK, json_pack("{s:i}", "turns", TURNS), err);
}

static int refusing(struct apsp_request *req, struct apsp_err *err)
{
	int r = apsp_request_move(req, err);

	return r < 0 ? r : apsp_fail(err, APSP_EDATA, "refused on the pool");
}

struct count {
	int next;
	int fail_at; /* -1: never; or ENDLESS */
};

static int count_next(void *ctx, struct apsp_cells *cells, struct apsp_err *err)
{
	struct count *count = ctx;

	if (count->fail_at == ENDLESS)
		return 1;
	if (count->next == count->fail_at)
		return apsp_fail(
			err, APSP_EDAMAGED, "row %d fails", count->fail_at);
	if (count->next == N_ROWS)
		return 0;
	apsp_json_integer(cells->json, count->next++);
	return 1;
}

/* ?fail_at=N&in_pool=1 */
static int rows(struct apsp_request *req, struct apsp_err *err)
{
	const char *fail_at = apsp_query_get(req, "fail_at");
	bool in_pool = apsp_query_get(req, "in_pool") != NULL;
	struct count *count;
	struct apsp_rows stream = {.name = "rows",
		.write = count_next,
		.in_pool = in_pool,
		.done = free};
	int r = in_pool ? apsp_request_move(req, err) : 0;

	if (r < 0)
		return r;
	count = calloc(1, sizeof(*count));
	count->fail_at = fail_at ? atoi(fail_at) : -1;
	stream.head = json_object();
	stream.ctx = count;
	return apsp_rows_reply(req, &stream, err);
}

static const struct apsp_route routes[] = {
	{.pattern = "/turns", .answer = turns},
	{.pattern = "/refusing", .answer = refusing},
	{.pattern = "/rows", .answer = rows},
	{.pattern = NULL},
};

static char answer[1 << 20];

/* The status of a GET; answer holds the whole of it. */
static int get(const struct http_fixture *f, const char *target)
{
	int fd = client_open(f), status = 0;
	char request[256];

	snprintf(request, sizeof(request),
		"GET %s HTTP/1.1\r\nConnection: close\r\n" END, target);
	assert_true(client_send(fd, request));
	client_read_all(fd, answer, sizeof(answer));
	close(fd);
	return sscanf(answer, "HTTP/1.1 %d", &status) == 1 ? status : 0;
}

static void test_move(void **state)
{
	struct http_fixture f = {0};

	(void)state;
	fixture_start(&f, routes, NULL);
	for (int i = 1; i <= 50; i++) {
		assert_int_equal(get(&f, "/turns"), 200);
		assert_non_null(strstr(answer, "{\"turns\":5}\n"));
		assert_null(strstr(answer, "ETag"));
		assert_int_equal(atomic_load(&n_calls), TURNS * i);
	}
	assert_int_equal(get(&f, "/refusing"), 422);
	assert_non_null(strstr(answer, "refused on the pool"));
	fixture_stop(&f);
}

/* Every row comes, once and in order, whoever makes it. */
static void test_rows(void **state)
{
	struct http_fixture f = {0};

	(void)state;
	fixture_start(&f, routes, NULL);
	for (int in_pool = 0; in_pool < 2; in_pool++) {
		const char *at;

		assert_int_equal(get(&f, in_pool ? "/rows?format=ndjson&"
						   "in_pool=1"
						 : "/rows?format=ndjson"),
			200);
		at = strstr(answer, "\r\n\r\n");
		assert_non_null(at);
		assert_non_null(strstr(at, "\n0\r\n\r\n")); /* the last chunk */
		assert_non_null(strstr(at, "19999\n"));
		assert_int_equal(
			get(&f, in_pool ? "/rows?in_pool=1" : "/rows"), 200);
		assert_non_null(strstr(answer, "{\"rows\":[0,1,2,"));
		assert_non_null(strstr(answer, "\r\n0\r\n\r\n"));
	}
	fixture_stop(&f);
}

/*
 * A failure of the first rows has a status of its own; a later one cuts the
 * answer off, without the last chunk.
 */
static void test_failures(void **state)
{
	struct http_fixture f = {0};
	char target[64];

	(void)state;
	fixture_start(&f, routes, NULL);
	for (int in_pool = 0; in_pool < 2; in_pool++) {
		const char *more = in_pool ? "&in_pool=1" : "";

		for (int at = 0; at <= 100; at += 50) {
			snprintf(target, sizeof(target), "/rows?fail_at=%d%s",
				at, more);
			assert_int_equal(get(&f, target), 503);
			assert_non_null(strstr(answer, "damaged-table"));
		}
		snprintf(target, sizeof(target), "/rows?fail_at=19000%s", more);
		assert_int_equal(get(&f, target), 200);
		assert_null(strstr(answer, "\r\n0\r\n\r\n"));
		assert_null(strstr(answer, "19000"));
	}
	fixture_stop(&f);
}

struct hasty {
	const struct http_fixture *f;
};

static void *leave_early(void *arg)
{
	struct hasty *hasty = arg;

	for (int i = 0; i < 100; i++) {
		int fd = client_open(hasty->f);

		client_send(fd, i % 2 ? "GET /rows?in_pool=1 HTTP/1.1\r\n" END
				      : "GET /turns HTTP/1.1\r\n" END);
		close(fd);
	}
	return NULL;
}

/* Clients that do not wait, and a stop meanwhile. */
static void test_stop(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++) {
		struct http_fixture f = {0};
		struct hasty hasty = {&f};
		pthread_t threads[2];
		int fd;

		fixture_start(&f, routes, NULL);
		for (int t = 0; t < 2; t++)
			assert_int_equal(pthread_create(&threads[t], NULL,
						 leave_early, &hasty),
				0);
		for (int t = 0; t < 2; t++)
			pthread_join(threads[t], NULL);
		fd = client_open(&f);
		client_send(fd, "GET /rows?in_pool=1 HTTP/1.1\r\n" END);
		fixture_stop(&f);
		close(fd);
	}
}

/* Answers that a stop ends are no fault, so the log does not have them. Some
   wait for a thread of the pool. */
static void test_stop_of_an_answer(void **state)
{
	struct http_fixture f = {0};
	int kept = dup(STDERR_FILENO), fds[8];
	FILE *log = tmpfile();

	(void)state;
	fixture_start(&f, routes, NULL);
	for (int i = 0; i < 8; i++) {
		fds[i] = client_open(&f);
		client_send(fds[i],
			"GET /rows?in_pool=1&fail_at=-2 HTTP/1.1\r\n" END);
		assert_true(recv(fds[i], answer, sizeof(answer), 0) > 0);
	}
	dup2(fileno(log), STDERR_FILENO);
	apsp_server_stop(f.server, 0);
	dup2(kept, STDERR_FILENO);
	close(kept);
	apsp_settings_done(&f.settings);
	apsp_listener_close(&f.listener);
	for (int i = 0; i < 8; i++)
		close(fds[i]);
	rewind(log);
	while (fgets(answer, sizeof(answer), log))
		assert_null(strstr(answer, "cut off"));
	fclose(log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_move),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_stop),
		cmocka_unit_test(test_stop_of_an_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
