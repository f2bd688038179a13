/*
 * The pool for long work: turns, waits for memory, clients that go, its end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <malloc.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "api/http/work_pool.h"
#include "daemon/base/clock.h"

enum { WAIT_S = 2 };

/* Instead of the allocator's: counts how often memory was given back. */
static atomic_int n_trims;

int malloc_trim(size_t pad)
{
	(void)pad;
	atomic_fetch_add(&n_trims, 1);
	return 1;
}

/* Work of n_steps steps for a client at the other end of a socket pair. */
struct job {
	struct apsp_work work;
	int client;
	atomic_int n_steps;  /* left; -1: no end */
	atomic_int n_done;   /* steps done */
	int n_refused;	     /* the first n_refused steps wait */
	int waits;	     /* what these steps return */
	atomic_bool waiting; /* the step waits while this is set */
	atomic_bool ended;
	atomic_int result;
};

static int job_step(void *ctx, struct apsp_err *err)
{
	struct job *job = ctx;

	while (atomic_load(&job->waiting))
		sched_yield();
	if (atomic_fetch_add(&job->n_done, 1) < job->n_refused) {
		apsp_fail(err, APSP_EBUSY, "no memory");
		return job->waits;
	}
	if (atomic_load(&job->n_steps) < 0)
		return 1;
	return atomic_fetch_sub(&job->n_steps, 1) > 1;
}

static void job_done(void *ctx, int result, const struct apsp_err *err)
{
	struct job *job = ctx;

	assert_int_equal(result < 0 ? err->code : 0, result);
	atomic_store(&job->result, result);
	atomic_store(&job->ended, true);
}

static void job_init(struct job *job, int n_steps, bool waiting)
{
	int fds[2];

	memset(job, 0, sizeof(*job));
	assert_int_equal(
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	job->client = fds[0];
	job->waits = APSP_WORK_WAITS;
	job->work = (struct apsp_work){
		.step = job_step, .done = job_done, .ctx = job, .fd = fds[1]};
	atomic_init(&job->n_steps, n_steps);
	atomic_init(&job->waiting, waiting);
}

static void job_wait(struct job *job)
{
	while (!atomic_load(&job->ended))
		sched_yield();
}

static void job_close(struct job *job)
{
	if (job->client >= 0)
		close(job->client);
	close(job->work.fd);
}

static struct apsp_work_pool *pool_of(unsigned int n_threads)
{
	struct apsp_work_pool *pool = NULL;

	assert_int_equal(
		apsp_work_pool_start(n_threads, WAIT_S, &pool, NULL), 0);
	return pool;
}

/* Work is cancelled while it waits in the queue, and in the middle of an
   endless step after step. */
static void test_cancel(void **state)
{
	struct apsp_work_pool *pool = pool_of(1);
	struct job endless, queued, after;
	int n;

	(void)state;
	job_init(&endless, -1, true);
	job_init(&queued, 1, false);
	job_init(&after, 1, false);
	apsp_work_pool_add(pool, &endless.work);
	apsp_work_pool_add(pool, &queued.work);
	apsp_work_pool_cancel(pool, &queued.work);
	atomic_store(&endless.waiting, false);
	while (atomic_load(&endless.n_done) < 2)
		sched_yield();
	apsp_work_pool_cancel(pool, &endless.work);
	n = atomic_load(&endless.n_done);
	apsp_work_pool_add(pool, &after.work);
	job_wait(&after);
	assert_int_equal(atomic_load(&endless.n_done), n);
	assert_int_equal(atomic_load(&queued.n_done), 0);
	assert_false(atomic_load(&endless.ended));
	assert_false(atomic_load(&queued.ended));
	apsp_work_pool_cancel(pool, &after.work); /* it has ended */
	apsp_work_pool_stop(pool);
	job_close(&endless);
	job_close(&queued);
	job_close(&after);
}

/* On one thread, work without an end does not keep other work from its turn. */
static void test_turns(void **state)
{
	struct apsp_work_pool *pool = pool_of(1);
	struct job endless, short_one;

	(void)state;
	job_init(&endless, -1, true);
	job_init(&short_one, 3, false);
	apsp_work_pool_add(pool, &endless.work);
	apsp_work_pool_add(pool, &short_one.work);
	atomic_store(&endless.waiting, false);
	job_wait(&short_one);
	assert_int_equal(atomic_load(&short_one.result), 0);
	assert_int_equal(atomic_load(&short_one.n_done), 3);
	assert_true(atomic_load(&endless.n_done) >= 2);
	assert_false(atomic_load(&endless.ended));
	apsp_work_pool_stop(pool);
	assert_int_equal(atomic_load(&endless.result), APSP_ESTOPPING);
	job_close(&endless);
	job_close(&short_one);
}

/* Nobody works on for a client that has gone. */
static void test_gone(void **state)
{
	struct apsp_work_pool *pool = pool_of(2);
	struct job job, half;
	int n_done;

	(void)state;
	job_init(&job, -1, false);
	apsp_work_pool_add(pool, &job.work);
	while (atomic_load(&job.n_done) == 0)
		sched_yield();
	atomic_store(&job.waiting, true);
	close(job.client);
	job.client = -1;
	n_done = atomic_load(&job.n_done);
	atomic_store(&job.waiting, false);
	job_wait(&job);
	assert_int_equal(atomic_load(&job.result), APSP_ECANCELLED);
	assert_true(atomic_load(&job.n_done) <= n_done + 2);

	/* one that has closed its sending half gets what is soon ready … */
	job_init(&half, 5, false);
	shutdown(half.client, SHUT_WR);
	apsp_work_pool_add(pool, &half.work);
	job_wait(&half);
	assert_int_equal(atomic_load(&half.result), 0);
	job_close(&half);
	/* … and nothing else */
	job_init(&half, -1, false);
	shutdown(half.client, SHUT_WR);
	apsp_work_pool_add(pool, &half.work);
	job_wait(&half);
	assert_int_equal(atomic_load(&half.result), APSP_ECANCELLED);
	job_close(&half);
	/* a wait for rows ends soon, although others wait for a minute */
	job_init(&half, 5, false);
	half.waits = APSP_WORK_WAITS_ROWS;
	half.work.row_wait_s = 60;
	half.n_refused = INT_MAX;
	shutdown(half.client, SHUT_WR);
	apsp_work_pool_add(pool, &half.work);
	job_wait(&half);
	assert_int_equal(atomic_load(&half.result), APSP_EBUSY);
	assert_in_range(atomic_load(&half.n_done), 2, 400);
	job_close(&half);
	job_close(&job);
	apsp_work_pool_stop(pool);
}

/*
 * A step that has no memory is repeated, but not at once, while other work has
 * its turns. The wait ends after WAIT_S, with the step's error; and at once
 * when the client has gone or the pool ends.
 */
static void test_waits(void **state)
{
	struct apsp_work_pool *pool = pool_of(1);
	struct job patient, refused, gone, last, other;
	double began = apsp_clock_s();

	(void)state;
	job_init(&patient, 2, false);
	job_init(&refused, 2, false);
	job_init(&gone, 2, false);
	job_init(&last, 2, false);
	job_init(&other, 2, false);
	patient.n_refused = 2;
	refused.n_refused = gone.n_refused = last.n_refused = INT_MAX;
	apsp_work_pool_add(pool, &patient.work);
	apsp_work_pool_add(pool, &gone.work);
	apsp_work_pool_add(pool, &refused.work);
	close(gone.client);
	gone.client = -1;
	apsp_work_pool_add(pool, &other.work);
	job_wait(&other);
	assert_false(atomic_load(&patient.ended));
	job_wait(&gone);
	assert_int_equal(atomic_load(&gone.result), APSP_ECANCELLED);
	job_wait(&patient);
	assert_int_equal(atomic_load(&patient.result), 0);
	assert_int_equal(atomic_load(&patient.n_done), 4);
	assert_false(atomic_load(&refused.ended));
	job_wait(&refused);
	assert_int_equal(atomic_load(&refused.result), APSP_EBUSY);
	assert_true(apsp_clock_s() - began >= WAIT_S);
	assert_in_range(atomic_load(&refused.n_done), 2, 400);
	apsp_work_pool_add(pool, &last.work);
	while (atomic_load(&last.n_done) == 0)
		sched_yield();
	apsp_work_pool_stop(pool);
	assert_int_equal(atomic_load(&last.result), APSP_ESTOPPING);
	job_close(&patient);
	job_close(&refused);
	job_close(&gone);
	job_close(&last);
	job_close(&other);
}

/* Memory goes to the work that has waited longest, although another one needs
   fewer tries. */
static void test_oldest_first(void **state)
{
	struct apsp_work_pool *pool = pool_of(1);
	struct job old, young;

	(void)state;
	job_init(&old, 1, true);
	job_init(&young, 1, false);
	old.n_refused = 4;
	young.n_refused = 1;
	apsp_work_pool_add(pool, &old.work);
	apsp_work_pool_add(pool, &young.work);
	atomic_store(&old.waiting, false);
	job_wait(&young);
	assert_true(atomic_load(&old.ended));
	assert_int_equal(atomic_load(&old.n_done), 5);
	apsp_work_pool_stop(pool);
	job_close(&old);
	job_close(&young);
}

/* Work that waits for rows is tried again and again, and does not keep work
   that waits for memory from its turn. */
static void test_rows(void **state)
{
	struct apsp_work_pool *pool = pool_of(1);
	struct job rows, memory;

	(void)state;
	job_init(&rows, 1, true);
	job_init(&memory, 1, false);
	rows.waits = APSP_WORK_WAITS_ROWS;
	rows.work.row_wait_s = 60;
	rows.n_refused = INT_MAX;
	memory.n_refused = 4;
	apsp_work_pool_add(pool, &rows.work);
	apsp_work_pool_add(pool, &memory.work);
	atomic_store(&rows.waiting, false);
	job_wait(&memory);
	assert_int_equal(atomic_load(&memory.result), 0);
	while (atomic_load(&rows.n_done) < 3)
		sched_yield();
	assert_false(atomic_load(&rows.ended));
	apsp_work_pool_stop(pool);
	assert_int_equal(atomic_load(&rows.result), APSP_ESTOPPING);
	job_close(&rows);
	job_close(&memory);
}

/* After the end, work is told so at once. */
static void test_finish(void **state)
{
	struct apsp_work_pool *pool = pool_of(1);
	struct job running, queued, late;

	(void)state;
	job_init(&running, 2, true);
	job_init(&queued, 2, false);
	job_init(&late, 2, false);
	apsp_work_pool_add(pool, &running.work);
	apsp_work_pool_add(pool, &queued.work);
	atomic_store(&running.waiting, false);
	apsp_work_pool_finish(pool);
	assert_true(atomic_load(&running.ended));
	assert_true(atomic_load(&queued.ended));
	apsp_work_pool_add(pool, &late.work);
	assert_true(atomic_load(&late.ended));
	assert_int_equal(atomic_load(&late.result), APSP_ESTOPPING);
	assert_int_equal(atomic_load(&late.n_done), 0);
	apsp_work_pool_stop(pool);
	job_close(&running);
	job_close(&queued);
	job_close(&late);
}

/* Memory is given back behind long work, and not behind each short one. */
static void test_trim(void **state)
{
	static const struct {
		int n_steps, n_trims;
	} cases[] = {{3, 0}, {200, 1}};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct apsp_work_pool *pool = pool_of(1);
		struct job job;

		atomic_store(&n_trims, 0);
		job_init(&job, cases[i].n_steps, false);
		apsp_work_pool_add(pool, &job.work);
		job_wait(&job);
		apsp_work_pool_stop(pool); /* its threads have ended */
		assert_int_equal(atomic_load(&n_trims), cases[i].n_trims);
		job_close(&job);
	}
}

/* A step of work with parts. */
struct parts {
	struct job job;
	struct apsp_work_pool *pool;
	bool meet; /* each part waits until another part has begun */
	int results[3];
	atomic_int n_begun;
	atomic_int calls[3];
	int result;
	struct apsp_err err;
};

static int one_part(void *ctx, unsigned int i, struct apsp_err *err)
{
	struct parts *parts = ctx;

	atomic_fetch_add(&parts->n_begun, 1);
	atomic_fetch_add(&parts->calls[i], 1);
	while (parts->meet && atomic_load(&parts->n_begun) < 2)
		sched_yield();
	if (parts->results[i] < 0)
		return apsp_fail(
			err, (enum apsp_code)parts->results[i], "part %u", i);
	return parts->results[i];
}

static int parts_step(void *ctx, struct apsp_err *err)
{
	struct parts *parts = ctx;

	(void)err;
	parts->result = apsp_work_pool_parts(
		parts->pool, 3, one_part, parts, &parts->err);
	atomic_store(&parts->job.ended, true);
	return 0;
}

static void parts_done(void *ctx, int result, const struct apsp_err *err)
{
	struct parts *parts = ctx;

	(void)err;
	assert_int_equal(result, 0);
	atomic_store(&parts->job.n_done, 1);
}

/* The parts of a step are done once each, at the same time if a thread has
   nothing else to do, and the first of their errors is that of the step. */
static void test_parts(void **state)
{
	static const struct {
		unsigned int n_threads;
		int results[3], result;
		const char *message;
	} cases[] = {
		{1, {0, 0, 0}, 0, ""},
		{1, {0, 2, 1}, 2, ""},
		{1, {1, APSP_EDAMAGED, APSP_ENOMEM}, APSP_EDAMAGED, "part 1"},
		{2, {1, 0, APSP_ENOMEM}, APSP_ENOMEM, "part 2"},
		{4, {0, 1, 0}, 1, ""},
	};

	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		struct parts parts;

		memset(&parts, 0, sizeof(parts));
		job_init(&parts.job, 1, false);
		parts.job.work.step = parts_step;
		parts.job.work.done = parts_done;
		parts.job.work.ctx = &parts;
		parts.pool = pool_of(cases[k].n_threads);
		parts.meet = cases[k].n_threads > 1;
		memcpy(parts.results, cases[k].results, sizeof(parts.results));
		apsp_work_pool_add(parts.pool, &parts.job.work);
		job_wait(&parts.job);
		apsp_work_pool_stop(parts.pool);
		assert_int_equal(atomic_load(&parts.job.n_done), 1);
		for (int i = 0; i < 3; i++)
			assert_int_equal(atomic_load(&parts.calls[i]), 1);
		assert_int_equal(parts.result, cases[k].result);
		assert_string_equal(parts.err.message, cases[k].message);
		job_close(&parts.job);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_cancel),
		cmocka_unit_test(test_gone),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_oldest_first),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_finish),
		cmocka_unit_test(test_trim),
		cmocka_unit_test(test_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
