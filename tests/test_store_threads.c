/*
 * Readers, while graphs are overwritten, redefined and deleted: each answer is
 * of one whole generation, and a job that a reader finds ended has tables that
 * answer. Also meant for -Db_sanitize=thread.
 */
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "storage/snapshots/snapshot_map.h"
#include "tests/store_fixture.h"

enum {
	N_READERS = 4,
	N_CLIENTS = 2,
	ROUNDS = 30,
};

struct shared {
	struct fixture *fixture;
	atomic_bool stop;
	atomic_uint n_answers;
	atomic_uint n_lists;
};

static void *reader_main(void *arg)
{
	struct shared *shared = arg;
	const struct apsp_graph_snapshot *views[4];
	struct apsp_job_record records[4];
	uint64_t n_arcs;

	while (!atomic_load(&shared->stop)) {
		size_t n;
		int r;

		/*
		 * fixture_read() checks that tables and generation belong
		 * together
		 */
		for (int i = 0; i < 50; i++) {
			r = fixture_read(
				shared->fixture, "a", "default", &n_arcs);
			if (r == 0)
				atomic_fetch_add(&shared->n_answers, 1);
			fixture_read(shared->fixture, "b", "h", &n_arcs);
		}
		n = apsp_snapshot_map_list(
			apsp_store_parts(shared->fixture->store)->graphs, "",
			views, 4);
		for (size_t i = 0; i < n; i++)
			apsp_graph_snapshot_unref(views[i]);
		r = apsp_jobs_list(shared->fixture->store,
			&(struct apsp_job_filter){0}, records, 4, NULL);
		CHECK(r >= 0);
		for (int i = 0; i < r; i++)
			apsp_job_record_done(&records[i]);
		if (apsp_job_queue_reserve(shared->fixture->store, 1, NULL) ==
			0)
			apsp_job_queue_release(shared->fixture->store, 1);
		apsp_store_check(shared->fixture->store, NULL);
		atomic_fetch_add(&shared->n_lists, 1);
	}
	return NULL;
}

/* Two clients for each graph, so that uploads of one name meet. */
static void *client_main(void *arg)
{
	struct shared *shared = arg;
	struct apsp_put_result result;

	for (unsigned int i = 0; i < ROUNDS; i++) {
		/* there are changes until the readers have had their turns */
		while (i == ROUNDS - 1 &&
			atomic_load(&shared->n_lists) <= N_READERS)
			usleep(100);
		fixture_put(shared->fixture, "a", 10 + i, "none");
		fixture_put(shared->fixture, "b", 10 + i % 3, "none");
		fixture_profile_put(shared->fixture, "b", "h",
			i % 2 ? "hops" : "inv", &result);
		if (i % 4 == 3)
			fixture_delete(shared->fixture, "b");
		if (i % 8 == 7)
			fixture_profile_delete(shared->fixture, "b", "h");
	}
	return NULL;
}

static void *worker_main(void *arg)
{
	struct shared *shared = arg;
	struct apsp_job_spec job;
	struct apsp_err err;

	while (!atomic_load(&shared->stop)) {
		int r = apsp_job_claim(
			shared->fixture->store, &job, NULL);

		CHECK(r >= 0);
		if (r == 0) {
			usleep(100);
			continue;
		}
		r = fixture_work(shared->fixture, &job, &err);
		CHECK(r == 0 || r == APSP_ECANCELLED);
		if (r < 0)
			fixture_fail(
				shared->fixture, &job, APSP_ECANCELLED, false);
	}
	return NULL;
}

static void test_threads(void **state)
{
	struct shared shared = {.fixture = *state};
	pthread_t readers[N_READERS], clients[N_CLIENTS], worker;
	uint64_t n_arcs;

	fixture_put(*state, "a", 10, "none");
	assert_int_equal(fixture_work_all(*state), 1);
	for (int i = 0; i < N_READERS; i++)
		assert_int_equal(
			pthread_create(&readers[i], NULL, reader_main, &shared),
			0);
	for (int i = 0; i < N_CLIENTS; i++)
		assert_int_equal(
			pthread_create(&clients[i], NULL, client_main, &shared),
			0);
	assert_int_equal(
		pthread_create(&worker, NULL, worker_main, &shared), 0);
	for (int i = 0; i < N_CLIENTS; i++)
		pthread_join(clients[i], NULL);
	atomic_store(&shared.stop, true);
	for (int i = 0; i < N_READERS; i++)
		pthread_join(readers[i], NULL);
	pthread_join(worker, NULL);
	/* the graph never stopped answering */
	assert_true(shared.n_answers > 100);
	assert_true(shared.n_lists > N_READERS);
	fixture_work_all(*state);
	assert_int_equal(fixture_read(*state, "a", "default", &n_arcs), 0);
	assert_int_equal(n_arcs, 10 + ROUNDS - 1);
	fixture_reopen(*state);
	assert_int_equal(fixture_read(*state, "a", "default", &n_arcs), 0);
	assert_int_equal(n_arcs, 10 + ROUNDS - 1);
}

void __wrap_apsp_snapshot_map_set(struct apsp_snapshot_map *map,
	const char *name, const struct apsp_graph_snapshot *snapshot);
void __real_apsp_snapshot_map_set(struct apsp_snapshot_map *map,
	const char *name, const struct apsp_graph_snapshot *snapshot);

/* How a job's end can be learned. */
enum way {
	GETS,
	LISTS,
	LISTS_RUNNING, /* which lack it */
	COUNTS,
	N_WAYS,
};

/* Who asks for a job once its end is committed, and then for its tables. */
static struct {
	struct fixture *fixture; /* NULL: nobody does */
	enum way way;
	uint64_t job;
	pthread_t thread;
	sem_t heard;
	bool answered;
} asker;

/* Whether the job has ended, as far as the asker is told. */
static bool asker_told(struct apsp_store *store)
{
	const struct apsp_job_filter running = {.state = "running"}, all = {0};
	struct apsp_job_record record = {0};
	uint64_t counts[APSP_N_JOB_STATES];
	int n = 1;

	if (asker.way == COUNTS) {
		CHECK(apsp_jobs_count(store, counts, NULL) == 0);
		return counts[APSP_JOB_RUNNING] == 0;
	}
	if (asker.way == GETS)
		CHECK(apsp_jobs_get(store, asker.job, &record, NULL) == 0);
	else
		n = apsp_jobs_list(store,
			asker.way == LISTS_RUNNING ? &running : &all, &record,
			1, NULL);
	CHECK(n >= 0);
	apsp_job_record_done(&record);
	if (asker.way == LISTS_RUNNING)
		return n == 0;
	return n == 1 && record.state == APSP_JOB_SUCCEEDED;
}

static void *asker_main(void *arg)
{
	uint64_t n_arcs;

	(void)arg;
	/* again and again while the commit is there and not shown */
	while (!asker_told(asker.fixture->store))
		usleep(1000);
	asker.answered =
		fixture_read(asker.fixture, "a", "default", &n_arcs) == 0;
	CHECK(sem_post(&asker.heard) == 0);
	return NULL;
}

/* The writer is as slow as can be here: the asker has time to be wrong. */
void __wrap_apsp_snapshot_map_set(struct apsp_snapshot_map *map,
	const char *name, const struct apsp_graph_snapshot *snapshot)
{
	struct timespec until;

	if (asker.fixture) {
		CHECK(pthread_create(&asker.thread, NULL, asker_main, NULL) ==
			0);
		CHECK(clock_gettime(CLOCK_MONOTONIC, &until) == 0);
		until.tv_nsec += 200000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		sem_clockwait(&asker.heard, CLOCK_MONOTONIC, &until);
	}
	__real_apsp_snapshot_map_set(map, name, snapshot);
}

/* A job that is told to have succeeded has tables that answer. */
static void test_end_is_shown(void **state)
{
	struct apsp_job_spec job;

	for (enum way way = 0; way < N_WAYS; way++) {
		fixture_put(*state, "a", 10, "none");
		assert_int_equal(
			apsp_job_claim(
				((struct fixture *)*state)->store, &job, NULL),
			1);
		CHECK(sem_init(&asker.heard, 0, 0) == 0);
		asker.way = way;
		asker.job = job.id;
		asker.fixture = *state;
		assert_int_equal(fixture_work(*state, &job, NULL), 0);
		pthread_join(asker.thread, NULL);
		asker.fixture = NULL;
		assert_true(asker.answered);
		assert_int_equal(fixture_delete(*state, "a"), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_threads, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_end_is_shown, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
