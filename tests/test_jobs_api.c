/*
 * Jobs over HTTP: states, waits, live progress, cancelling, and the errors of
 * failed jobs.
 */
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/patience.h"
#include "tests/endpoint_fixture.h"

static const char small[] = "a,b,4\nb,c,5\n";

static void upload(struct fixture *f, const char *target, const char *csv)
{
	struct http_answer answer = fixture_send(f, "PUT", target, CSV, csv);

	assert_int_equal(answer.status, 202);
	http_answer_done(&answer);
}

static void expect_state(struct http_answer answer, const char *wanted)
{
	assert_string_equal(
		json_string_value(json_object_get(answer.json, "state")),
		wanted);
	http_answer_done(&answer);
}

static void test_states(void **state)
{
	struct fixture *f = *state;

	upload(f, "/v1/graphs/g?transform=none", small);
	EXPECT(fixture_get(f, "/v1/jobs/1"), 200,
		"{\"id\": \"1\", \"graph\": \"g\", \"profile\": \"default\","
		" \"revision\": \"*\", \"state\": \"queued\", \"phase\": null,"
		" \"progress\": 0, \"eta_s\": null, \"algorithm\": null,"
		" \"device\": null, \"element\": null, \"plan\": null, "
		"\"tries\": 0,"
		" \"queued_at\": \"*\", \"started_at\": null,"
		" \"ended_at\": null, \"stages\": {\"store\": \"*\"}, "
		"\"proof_seed\": null,"
		" \"error\": null}");
	assert_int_equal(fixture_work_all(f), 1);
	EXPECT(fixture_get(f, "/v1/jobs/1"), 200,
		"{\"id\": \"1\", \"graph\": \"g\", \"profile\": \"default\","
		" \"revision\": \"*\", \"state\": \"succeeded\","
		" \"phase\": \"predecessor\", \"progress\": 1, \"eta_s\": null,"
		" \"algorithm\": \"reference\", \"device\": \"host\","
		" \"element\": \"*\", \"plan\": \"*\", \"tries\": 1, "
		"\"queued_at\": \"*\","
		" \"started_at\": \"*\", \"ended_at\": \"*\","
		" \"stages\": {\"publish\": \"*\"}, \"proof_seed\": null, "
		"\"error\": null}");
	REFUSED(fixture_get(f, "/v1/jobs/2"), 404, "unknown-job", "");
	REFUSED(fixture_get(f, "/v1/jobs/-1"), 404, "unknown-job", "'-1'");
	REFUSED(fixture_get(f, "/v1/jobs/99999999999999999999"), 404,
		"unknown-job", "");
	REFUSED(fixture_get(f, "/v1/jobs/1?wait=31"), 400, "malformed-request",
		"wait");
	REFUSED(fixture_get(f, "/v1/jobs/1?progress=1"), 400,
		"malformed-request", "requires a wait");
}

static void test_cycle(void **state)
{
	struct fixture *f = *state;
	struct http_answer answer;
	json_t *error, *cycle;

	upload(f, "/v1/graphs/g?transform=none", "a,b,1\nb,c,-3\nc,a,1\n");
	assert_int_equal(fixture_work_all(f), 1);
	answer = fixture_get(f, "/v1/jobs/1");
	error = json_object_get(answer.json, "error");
	cycle = json_object_get(error, "cycle");
	assert_string_equal(json_string_value(json_object_get(error, "type")),
		"/problems/negative-cycle");
	assert_int_equal(json_array_size(cycle), 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(
			strlen(json_string_value(json_array_get(cycle, i))), 1);
	expect_state(answer, "failed");
	/* the same upload again is another job */
	upload(f, "/v1/graphs/g?transform=none", "a,b,1\nb,c,-3\nc,a,1\n");
	expect_state(fixture_get(f, "/v1/jobs/2"), "queued");
}

/* A job's I/O error is told in full, as every other error of a job. */
static void test_io(void **state)
{
	static const char why[] = "make 'jobs/1': Read-only file system";
	struct fixture *f = *state;
	struct apsp_job_progress last = {0};
	struct apsp_job_failure failure = {0};
	struct apsp_job_spec job;
	struct http_answer answer;
	json_t *error;

	upload(f, "/v1/graphs/g?transform=none", small);
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
	apsp_fail(&failure.err, APSP_EIO, "%s", why);
	apsp_job_tries_fail(f->store, &job, &last, &failure, false);
	answer = fixture_get(f, "/v1/jobs/1");
	error = json_object_get(answer.json, "error");
	assert_string_equal(json_string_value(json_object_get(error, "title")),
		"Reading or writing failed");
	assert_string_equal(
		json_string_value(json_object_get(error, "detail")), why);
	expect_state(answer, "failed");
}

static size_t listed(struct fixture *f, const char *target)
{
	struct http_answer answer = fixture_get(f, target);
	size_t n = json_array_size(json_object_get(answer.json, "jobs"));

	assert_int_equal(answer.status, 200);
	http_answer_done(&answer);
	return n;
}

static void test_list(void **state)
{
	struct fixture *f = *state;
	struct http_answer answer;
	char link[120];
	json_t *jobs;

	upload(f, "/v1/graphs/g?transform=none", small);
	upload(f, "/v1/graphs/h?transform=none", small);
	upload(f, "/v1/graphs/i?transform=none", small);
	answer = fixture_get(f, "/v1/jobs?limit=2");
	jobs = json_object_get(answer.json, "jobs");
	assert_int_equal(json_array_size(jobs), 2);
	assert_string_equal(json_string_value(json_object_get(
				    json_array_get(jobs, 0), "id")),
		"3");
	assert_string_equal(
		json_string_value(json_object_get(answer.json, "next")), "2");
	http_answer_done(&answer);
	answer = fixture_get(f, "/v1/jobs?limit=2&cursor=2");
	jobs = json_object_get(answer.json, "jobs");
	assert_int_equal(json_array_size(jobs), 1);
	assert_true(json_is_null(json_object_get(answer.json, "next")));
	http_answer_done(&answer);
	answer = fixture_get(f, "/v1/jobs?limit=3");
	assert_true(json_is_null(json_object_get(answer.json, "next")));
	http_answer_done(&answer);
	answer = fixture_get(f, "/v1/jobs?graph=h");
	jobs = json_object_get(answer.json, "jobs");
	assert_int_equal(json_array_size(jobs), 1);
	assert_string_equal(json_string_value(json_object_get(
				    json_array_get(jobs, 0), "id")),
		"2");
	http_answer_done(&answer);
	assert_int_equal(listed(f, "/v1/jobs?state=cancelled"), 0);
	assert_int_equal(listed(f, "/v1/jobs?state=queued"), 3);
	assert_int_equal(listed(f, "/v1/jobs?state=queued&graph=i"), 1);
	REFUSED(fixture_get(f, "/v1/jobs?state=done"), 400, "malformed-request",
		"expected queued, running");
	assert_int_equal(listed(f, "/v1/jobs?graph=never"), 0);
	REFUSED(fixture_get(f, "/v1/jobs?graph="), 400, "malformed-request",
		"graph");
	REFUSED(fixture_get(f, "/v1/jobs?graph=h%2Fi"), 400,
		"malformed-request", "graph");
	/* the next page is that of the same question */
	upload(f, "/v1/graphs/h?transform=none", "a,b,7\n");
	answer = fixture_get(f, "/v1/jobs?graph=h&limit=1&format=ndjson");
	assert_true(http_header(&answer, "Link", link, sizeof(link)));
	assert_string_equal(link, "<?graph=h&limit=1&format=ndjson&cursor=4>; "
				  "rel=\"next\"");
	http_answer_done(&answer);
}

struct watcher {
	struct fixture *fixture;
	const char *target;
	struct http_answer answer;
};

static void *watch(void *arg)
{
	struct watcher *watcher = arg;

	watcher->answer = fixture_get(watcher->fixture, watcher->target);
	return NULL;
}

/*
 * The change ends a wait, not the clock: the test's own limit is below the 30 s
 * of the wait. It does not matter whether the wait or the change comes first.
 */
static void test_wait(void **state)
{
	struct fixture *f = *state;
	struct watcher watcher = {f, "/v1/jobs/1?wait=30", {0}};
	struct timespec before, after;
	struct apsp_job_spec job;
	pthread_t thread;

	upload(f, "/v1/graphs/g?transform=none", small);
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
	clock_gettime(CLOCK_MONOTONIC, &before);
	assert_int_equal(pthread_create(&thread, NULL, watch, &watcher), 0);
	fixture_work(f, &job);
	pthread_join(thread, NULL);
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert_in_range(after.tv_sec - before.tv_sec, 0, 20);
	expect_state(watcher.answer, "succeeded");

	/* without a change the wait ends, and the job is shown as it is */
	upload(f, "/v1/graphs/h?transform=none", "a,b,1\n");
	clock_gettime(CLOCK_MONOTONIC, &before);
	expect_state(fixture_get(f, "/v1/jobs/2?wait=1"), "queued");
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert_true((after.tv_sec - before.tv_sec) * 1000000000 +
			    after.tv_nsec - before.tv_nsec >=
		    1000000000);
}

/*
 * One try: a client waits for a queued job, which then runs. True if the answer
 * was "running"; the client may also have come too late to wait.
 */
static bool saw_running(struct fixture *f, int i)
{
	struct http_answer answer = {0};
	struct pollfd watcher = {.events = POLLIN};
	struct apsp_job_spec job;
	char csv[32];
	bool told;

	snprintf(csv, sizeof(csv), "a,b,%d\n", i);
	upload(f, "/v1/graphs/g?transform=none", csv);
	watcher.fd = http_connect(f->port);
	dprintf(watcher.fd,
		"GET /v1/jobs/%d?wait=30 HTTP/1.1\r\nHost: localhost\r\n"
		"Connection: close\r\n\r\n",
		i);
	for (int other = 0; other < 5; other++)
		expect_state(fixture_get(f, "/v1/jobs/1"),
			i == 1 ? "queued" : "succeeded");
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
	told = poll(&watcher, 1, 15000) == 1;
	fixture_work(f, &job);
	http_read(watcher.fd, &answer);
	close(watcher.fd);
	expect_state(answer, told ? "running" : "succeeded");
	return told;
}

/* Any change of state ends a wait, not only the last one. */
static void test_wait_running(void **state)
{
	bool told = false;

	for (int i = 1; i <= 5 && !told; i++)
		told = saw_running(*state, i);
	assert_true(told);
}

static void test_cancel_queued(void **state)
{
	struct fixture *f = *state;
	struct http_answer answer;

	upload(f, "/v1/graphs/g?transform=none", small);
	answer = fixture_send(f, "DELETE", "/v1/jobs/1", NULL, NULL);
	assert_int_equal(answer.status, 200);
	expect_state(answer, "cancelled");
	/* a second DELETE changes nothing */
	answer = fixture_send(f, "DELETE", "/v1/jobs/1", NULL, NULL);
	assert_int_equal(answer.status, 200);
	expect_state(answer, "cancelled");
	assert_int_equal(fixture_work_all(f), 0);
	answer = fixture_get(f, "/v1/graphs/g/path?from=a&to=b");
	assert_string_equal(
		json_string_value(json_object_get(answer.json, "job")), "1");
	REFUSED(answer, 409, "tables-failed", "");
	REFUSED(fixture_send(f, "DELETE", "/v1/jobs/9", NULL, NULL), 404,
		"unknown-job", "");
}

/* Poll a running job until its solver has told its phase. */
static void wait_for_phase(struct fixture *f, const char *phase)
{
	for (unsigned int turns = 0; patience_lasts(&turns);) {
		struct http_answer answer = fixture_get(f, "/v1/jobs/1");
		const char *found = json_string_value(
			json_object_get(answer.json, "phase"));
		bool right = found && strcmp(found, phase) == 0;

		http_answer_done(&answer);
		if (right)
			return;
	}
	fail_msg("no phase '%s'", phase);
}

static void test_cancel_running(void **state)
{
	struct fixture *f = *state;
	struct http_answer answer;

	upload(f, "/v1/graphs/g?transform=none", small);
	atomic_store(&f->worker_takes, true);
	apsp_worker_wake(f->worker);
	/* only the worker knows a running job's phase */
	wait_for_phase(f, "distance");
	answer = fixture_send(f, "DELETE", "/v1/jobs/1", NULL, NULL);
	assert_int_equal(answer.status, 202);
	http_answer_done(&answer);
	expect_state(fixture_get(f, "/v1/jobs/1?wait=30"), "cancelled");
}

/*
 * Called once by the thread that reads records for an answer, before it reads
 * them or behind that.
 */
static struct hook {
	atomic_bool armed;
	bool behind;
	void (*call)(struct fixture *f);
	struct fixture *f;
} hook;

static void hook_set(
	struct fixture *f, bool behind, void (*call)(struct fixture *f))
{
	hook.behind = behind;
	hook.call = call;
	hook.f = f;
	atomic_store(&hook.armed, true);
}

static void hook_pass(bool behind)
{
	if (hook.behind == behind && atomic_exchange(&hook.armed, false))
		hook.call(hook.f);
}

/* Calls of the ones come to the others (tests/meson.build). */
int __real_apsp_jobs_get(struct apsp_store *store, uint64_t id,
	struct apsp_job_record *out, struct apsp_err *err);
int __wrap_apsp_jobs_get(struct apsp_store *store, uint64_t id,
	struct apsp_job_record *out, struct apsp_err *err);

int __wrap_apsp_jobs_get(struct apsp_store *store, uint64_t id,
	struct apsp_job_record *out, struct apsp_err *err)
{
	int r;

	hook_pass(false);
	r = __real_apsp_jobs_get(store, id, out, err);
	hook_pass(true);
	return r;
}

int __real_apsp_jobs_list(struct apsp_store *store,
	const struct apsp_job_filter *filter, struct apsp_job_record *out,
	size_t max, struct apsp_err *err);
int __wrap_apsp_jobs_list(struct apsp_store *store,
	const struct apsp_job_filter *filter, struct apsp_job_record *out,
	size_t max, struct apsp_err *err);

int __wrap_apsp_jobs_list(struct apsp_store *store,
	const struct apsp_job_filter *filter, struct apsp_job_record *out,
	size_t max, struct apsp_err *err)
{
	int r;

	hook_pass(false);
	r = __real_apsp_jobs_list(store, filter, out, max, err);
	hook_pass(true);
	return r;
}

static void try_fail(struct fixture *f, const struct apsp_job_spec *job)
{
	struct apsp_job_progress last = {.phase = "write",
		.progress = 0.98,
		.algorithm = "fw",
		.stages.seconds[APSP_STAGE_STORE] = 1,
		.stages.seconds[APSP_STAGE_DISTANCE] = 5};
	struct apsp_job_failure failure = {0};

	apsp_fail(&failure.err, APSP_ESOLVER, "it died");
	apsp_job_tries_fail(f->store, job, &last, &failure, true);
}

#define BEGUN                                                                  \
	"\"state\": \"running\", \"phase\": null, \"progress\": 0,"            \
	" \"eta_s\": null, \"algorithm\": null, \"tries\": 2,"                 \
	" \"stages\": {\"store\": 1}, \"...\": 0}"

/* A second try begins without what the first one told. */
static void test_second_try(void **state)
{
	struct fixture *f = *state;
	struct apsp_job_spec job;

	upload(f, "/v1/graphs/g?transform=none", small);
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
	try_fail(f, &job);
	/* the worker does not know of it so far */
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
	EXPECT(fixture_get(f, "/v1/jobs/1"), 200, "{\"id\": \"1\", " BEGUN);
	EXPECT(fixture_get(f, "/v1/jobs"), 200,
		"{\"jobs\": [{\"id\": \"1\", " BEGUN "], \"next\": null}");
}

/* Have the worker run job 1 until its solver has told that half is done. */
static void half_run(struct fixture *f)
{
	struct apsp_job_present now;

	f->behaviour = "halfway";
	upload(f, "/v1/graphs/g?transform=none", small);
	atomic_store(&f->worker_takes, true);
	apsp_worker_wake(f->worker);
	apsp_worker_present(f->worker, &now);
	for (unsigned int turns = 0; now.id != 1 || now.progress.progress < 0.5;
		apsp_worker_present(f->worker, &now))
		CHECK(patience_lasts(&turns));
}

static void run_end(struct fixture *f)
{
	struct apsp_job_present now;
	unsigned int turns = 0;

	apsp_worker_cancel(f->worker, 1);
	for (apsp_worker_present(f->worker, &now); now.id == 1;
		apsp_worker_present(f->worker, &now))
		CHECK(patience_lasts(&turns));
}

#define HALF                                                                   \
	"\"state\": \"running\", \"phase\": \"distance\", \"progress\": 0.5,"  \
	" \"...\": 0}"

/* A job that ends while its record is read is told as it was just before. */
static void test_end_in_read(void **state)
{
	struct fixture *f = *state;

	half_run(f);
	EXPECT(fixture_get(f, "/v1/jobs"), 200,
		"{\"jobs\": [{\"id\": \"1\", " HALF "], \"next\": null}");
	hook_set(f, true, run_end);
	EXPECT(fixture_get(f, "/v1/jobs/1"), 200, "{\"id\": \"1\", " HALF);
	expect_state(fixture_get(f, "/v1/jobs/1"), "cancelled");
}

static void test_end_in_list(void **state)
{
	struct fixture *f = *state;

	half_run(f);
	hook_set(f, true, run_end);
	EXPECT(fixture_get(f, "/v1/jobs"), 200,
		"{\"jobs\": [{\"id\": \"1\", " HALF "], \"next\": null}");
	expect_state(fixture_get(f, "/v1/jobs/1"), "cancelled");
}

/* What the worker told of the first try is not told of the second one. */
static void again_run(struct fixture *f)
{
	struct apsp_job_spec job = {.id = 1, .graph = "g"};

	try_fail(f, &job);
	CHECK(apsp_job_claim(f->store, &job, NULL) == 1);
}

static void test_try_in_read(void **state)
{
	struct fixture *f = *state;

	half_run(f);
	hook_set(f, false, again_run);
	EXPECT(fixture_get(f, "/v1/jobs/1"), 200, "{\"id\": \"1\", " BEGUN);
	EXPECT(fixture_get(f, "/v1/jobs"), 200,
		"{\"jobs\": [{\"id\": \"1\", " BEGUN "], \"next\": null}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_states, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_cycle, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_io, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_list, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_wait, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_wait_running, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_cancel_queued, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_cancel_running, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_second_try, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_end_in_read, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_end_in_list, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_try_in_read, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
