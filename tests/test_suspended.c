/*
 * Requests that wait: resumed by a change, a deadline or a stop, and never
 * twice. The endpoint that waits is the test's own.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <semaphore.h>

#include "daemon/base/clock.h"
#include "api/http/query.h"
#include "api/http/reply.h"
#include "tests/http_fixture.h"

static sem_t waiting;  /* posted when a request begins to wait */
static atomic_int act; /* of a test; answers tell in which they were made */

/* The first call waits, the next one answers. */
static int get_job(struct apsp_request *req, struct apsp_err *err)
{
	bool has_progress;
	uint64_t wait_ms;
	int64_t deadline;
	double progress;
	int r;

	if (req->state)
		return apsp_reply_json(req, MHD_HTTP_OK,
			json_pack("{s:i}", "act", atomic_load(&act)), err);
	r = apsp_query_uint(req, "wait", 0, 100000, 100000, &wait_ms, err);
	if (r == 0)
		r = apsp_query_number(
			req, "progress", &has_progress, &progress, err);
	if (r < 0)
		return r;
	deadline = apsp_clock_ns() + (int64_t)wait_ms * 1000000;
	req->state = req;
	r = apsp_request_wait_job(req, strtoull(req->params[0], NULL, 10),
		has_progress ? progress : (double)NAN, deadline, err);
	sem_post(&waiting);
	return r;
}

static struct apsp_request *held[8]; /* that wait for the "writer" */
static size_t n_held;

/* DELETE waits within the limit, PUT past it. */
static int wait_for_writer(struct apsp_request *req, struct apsp_err *err)
{
	int r;

	if (req->state)
		return apsp_reply_json(req, MHD_HTTP_OK, json_object(), err);
	req->state = req;
	r = apsp_request_suspend(req, req->method == APSP_METHOD_PUT, err);
	if (r == 0)
		held[n_held++] = req;
	sem_post(&waiting);
	return r;
}

static const struct apsp_route routes[] = {
	{APSP_METHOD_PUT, "/v1/jobs/{job}", APSP_BODY_NONE,
		.answer = wait_for_writer},
	{APSP_METHOD_DELETE, "/v1/jobs/{job}", APSP_BODY_NONE,
		.answer = wait_for_writer},
	{APSP_METHOD_GET, "/v1/jobs/{job}", APSP_BODY_NONE, .answer = get_job},
	{.pattern = NULL},
};

#define WAIT(id, ms) "GET /v1/jobs/" id "?wait=" ms " HTTP/1.1\r\n" END

static void test_waiting(void **state)
{
	struct apsp_limits limits = apsp_default_limits;
	struct http_fixture f;
	char reply[4096];
	int fds[3];

	(void)state;
	limits.max_suspended = 2;
	limits.request_timeout_s = 1; /* a wait may be longer than that */
	fixture_start(&f, routes, &limits);
	/* the deadline */
	fds[0] = client_open(&f);
	assert_true(client_send(fds[0], WAIT("7", "1500")));
	assert_int_equal(client_read(fds[0], reply, sizeof(reply), true), 200);
	sem_wait(&waiting);
	/* a change of the right job */
	fds[1] = client_open(&f);
	fds[2] = client_open(&f);
	assert_true(client_send(fds[0], WAIT("7", "90000")));
	assert_true(client_send(fds[1], WAIT("8", "90000")));
	sem_wait(&waiting);
	sem_wait(&waiting);
	/* the limit */
	assert_true(client_send(fds[2], WAIT("9", "90000")));
	assert_int_equal(client_read(fds[2], reply, sizeof(reply), true), 503);
	assert_non_null(strstr(reply, "Retry-After: 1"));
	sem_wait(&waiting);
	apsp_server_job_changed(f.server, 7);
	assert_int_equal(client_read(fds[0], reply, sizeof(reply), true), 200);
	/* a client that went away while it waited, and a stop */
	assert_true(client_send(fds[0], WAIT("7", "90000")));
	sem_wait(&waiting);
	close(fds[0]);
	fixture_stop(&f);
	assert_int_equal(client_read(fds[1], reply, sizeof(reply), true), 200);
	assert_non_null(strstr(reply, "Connection: close"));
	close(fds[1]);
	close(fds[2]);
}

/*
 * A hundredth of progress ends the waits that ask for it, a quarter of a second
 * after they began at the earliest, and no others.
 */
static void test_progress(void **state)
{
	static const char *const targets[] = {"7?wait=90000&progress=0.3",
		"7?wait=90000&progress=0.395", "7?wait=90000",
		"8?wait=90000&progress=0.1"};
	struct http_fixture f;
	char reply[4096];
	int64_t start;
	int fds[4];

	(void)state;
	fixture_start(&f, routes, NULL);
	start = apsp_clock_ns();
	for (int i = 0; i < 4; i++) {
		fds[i] = client_open(&f);
		dprintf(fds[i], "GET /v1/jobs/%s HTTP/1.1\r\n" END, targets[i]);
		sem_wait(&waiting);
	}
	atomic_store(&act, 1);
	apsp_server_job_progressed(f.server, 7, 0.4);
	assert_int_equal(client_read(fds[0], reply, sizeof(reply), true), 200);
	assert_non_null(strstr(reply, "{\"act\":1}"));
	assert_true(apsp_clock_ns() - start >= 250000000);
	/* that tick and a later one have looked at all */
	assert_int_equal(ask(&f, WAIT("9", "1"), reply, sizeof(reply)), 200);
	sem_wait(&waiting);
	atomic_store(&act, 2);
	apsp_server_job_progressed(f.server, 7, 0.405);
	assert_int_equal(client_read(fds[1], reply, sizeof(reply), true), 200);
	assert_non_null(strstr(reply, "{\"act\":2}"));
	atomic_store(&act, 3);
	apsp_server_job_changed(f.server, 7);
	apsp_server_job_changed(f.server, 8);
	for (int i = 2; i < 4; i++) {
		assert_int_equal(
			client_read(fds[i], reply, sizeof(reply), true), 200);
		assert_non_null(strstr(reply, "{\"act\":3}"));
	}
	for (int i = 0; i < 4; i++)
		close(fds[i]);
	fixture_stop(&f);
}

/* Clients that hung up free their places, long before their deadline. */
static void test_hung_up(void **state)
{
	struct apsp_limits limits = apsp_default_limits;
	struct http_fixture f;
	char reply[4096];
	int64_t start;
	int status = 0;

	(void)state;
	limits.max_suspended = 2;
	fixture_start(&f, routes, &limits);
	for (int i = 0; i < 2; i++) {
		int fd = client_open(&f);

		assert_true(client_send(fd, WAIT("7", "90000")));
		sem_wait(&waiting);
		close(fd);
	}
	start = apsp_clock_ns();
	while (status != 200 && apsp_clock_ns() - start < 60000000000)
		status = ask(&f, WAIT("8", "1"), reply, sizeof(reply));
	assert_int_equal(status, 200);
	fixture_stop(&f);
}

/* What is complete but for the writer's part is never refused. */
static void test_surely(void **state)
{
	struct apsp_limits limits = apsp_default_limits;
	struct http_fixture f;
	char reply[4096];
	int fds[6];

	(void)state;
	limits.max_suspended = 2;
	fixture_start(&f, routes, &limits);
	for (int round = 0; round < 2; round++) {
		n_held = 0;
		for (int i = 0; i < 6; i++) {
			fds[i] = client_open(&f);
			assert_true(client_send(fds[i],
				i < 2 ? "DELETE /v1/jobs/1 HTTP/1.1\r\n" END
				      : "PUT /v1/jobs/1 HTTP/1.1\r\n"
					"Content-Length: 0\r\n" END));
			sem_wait(&waiting);
		}
		assert_int_equal(n_held, 6);
		for (int i = 5; i >= 0; i--) {
			apsp_request_finish(held[i], 0, NULL);
			assert_int_equal(
				client_read(fds[i], reply, sizeof(reply), true),
				200);
			close(fds[i]);
		}
	}
	fixture_stop(&f);
}

static void *change_jobs(void *arg)
{
	struct http_fixture *f = arg;

	for (int i = 0; i < 20000; i++)
		apsp_server_job_changed(f->server, 7);
	return NULL;
}

/* Waiters come and go, some by closing, while the job changes all the time. */
static void test_waiting_race(void **state)
{
	struct http_fixture f;
	pthread_t thread;
	char reply[4096];

	(void)state;
	fixture_start(&f, routes, NULL);
	assert_int_equal(pthread_create(&thread, NULL, change_jobs, &f), 0);
	for (int i = 0; i < 300; i++) {
		int fd = client_open(&f);

		assert_true(client_send(fd, WAIT("7", "20")));
		if (i % 3)
			assert_int_equal(
				client_read(fd, reply, sizeof(reply), true),
				200);
		close(fd);
	}
	pthread_join(thread, NULL);
	fixture_stop(&f);
}

/* Each test counts its own requests, whatever others left uncounted. */
static int count_from_0(void **state)
{
	(void)state;
	return sem_init(&waiting, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_waiting, count_from_0),
		cmocka_unit_test_setup(test_progress, count_from_0),
		cmocka_unit_test_setup(test_hung_up, count_from_0),
		cmocka_unit_test_setup(test_surely, count_from_0),
		cmocka_unit_test_setup(test_waiting_race, count_from_0),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
