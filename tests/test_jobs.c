/*
 * Job records and the worker's calls: order, tries, cancellation, and what a
 * record keeps.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tests/store_fixture.h"

#include "daemon/base/auto.h"
#include "storage/stored_arcs.h"

static struct apsp_job_record get(struct fixture *f, uint64_t id)
{
	struct apsp_job_record record = {0};

	assert_int_equal(apsp_jobs_get(f->store, id, &record, NULL), 0);
	return record;
}

static int cancel(
	struct fixture *f, uint64_t id, enum apsp_job_state *out_state)
{
	struct command_wait *wait = command_wait_new();

	apsp_jobs_cancel(f->store, id, out_state, command_wait_done(wait));
	return command_wait_for(wait, NULL);
}

static void test_record(void **state)
{
	static const char cycle[] = "a\0b\0c";
	struct fixture *f = *state;
	struct apsp_job_progress last = {
		.phase = "read",
		.progress = 0.25,
		.algorithm = "fw",
		.device = "a device",
		.element = "u16",
		.plan = "fw, as asked for",
		.proof_seed = UINT32_MAX,
	};
	struct apsp_job_failure failure = {.cycle_size = sizeof(cycle)};
	struct apsp_job_record record;
	struct apsp_job_spec job;
	uint64_t id = fixture_put(f, "g", 10, "inv");

	assert_int_equal(
		apsp_jobs_get(f->store, 999, &record, NULL), APSP_ENOJOB);
	record = get(f, id);
	assert_string_equal(record.graph, "g");
	assert_string_equal(record.profile, "default");
	assert_int_equal(strlen(record.revision), 64);
	assert_true(record.queued_at_ms > 1600000000000);
	assert_int_equal(record.started_at_ms, 0);
	assert_int_equal(record.tries, 0);
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
	assert_int_equal(job.profile.transform, APSP_TRANSFORM_INV);
	assert_int_equal(job.tries, 1);
	record = get(f, id);
	assert_true(record.started_at_ms >= record.queued_at_ms);
	assert_int_equal(record.ended_at_ms, 0);
	assert_int_equal(record.tries, 1);
	failure.cycle = malloc(sizeof(cycle));
	memcpy(failure.cycle, cycle, sizeof(cycle));
	apsp_fail_at(&failure.err, APSP_ENEGCYCLE, 3, 4, "a cycle");
	apsp_job_tries_fail(f->store, &job, &last, &failure, false);
	apsp_job_failure_done(&failure);
	record = get(f, id);
	assert_int_equal(record.state, APSP_JOB_FAILED);
	assert_true(record.ended_at_ms >= record.started_at_ms);
	assert_int_equal(record.failure.err.code, APSP_ENEGCYCLE);
	assert_int_equal(record.failure.err.line, 3);
	assert_int_equal(record.failure.err.column, 4);
	assert_string_equal(record.failure.err.message, "a cycle");
	assert_int_equal(record.failure.cycle_size, sizeof(cycle));
	assert_memory_equal(record.failure.cycle, cycle, sizeof(cycle));
	assert_string_equal(record.last.phase, "read");
	assert_string_equal(record.last.algorithm, "fw");
	assert_string_equal(record.last.device, "a device");
	assert_string_equal(record.last.element, "u16");
	assert_string_equal(record.last.plan, "fw, as asked for");
	assert_int_equal(record.last.proof_seed, UINT32_MAX);
	assert_true(record.last.progress == 0.25);
	apsp_job_record_done(&record);
}

static void test_load(void **state)
{
	struct fixture *f = *state;
	struct apsp_graph graph = {0};
	struct apsp_job_spec job;
	char path[320], label[16];

	fixture_put(f, "g", 12, "hops");
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
	snprintf(path, sizeof(path), "%s/graph", f->cache_dir);
	assert_int_equal(
		apsp_job_graph_write(f->store, &job, path, NULL, NULL), 0);
	assert_int_equal(apsp_graph_open(path, &graph, NULL), 0);
	assert_int_equal(graph.n_vertices, FIXTURE_N);
	assert_int_equal(graph.n_arcs, 12);
	assert_int_equal(graph.profile.transform, APSP_TRANSFORM_HOPS);
	for (unsigned int i = 0; i < 12; i++) {
		assert_int_equal(graph.arcs[i].from, i % FIXTURE_N);
		assert_int_equal(graph.arcs[i].to, (i + 1) % FIXTURE_N);
		assert_true(graph.arcs[i].weight == 1 + i % 7);
	}
	apsp_graph_label(&graph, 3, label, sizeof(label));
	assert_string_equal(label, "v3");
	apsp_graph_done(&graph);
	unlink(path);
	assert_int_equal(
		apsp_job_graph_write(f->store, &job, "/no/where", NULL, NULL),
		APSP_EIO);
	assert_int_equal(fixture_delete(f, "g"), 0);
	assert_int_equal(apsp_job_graph_write(f->store, &job, path, NULL, NULL),
		APSP_ECANCELLED);
}

/* Looks at the stop until one is asked for; 0: none is. */
static unsigned int looks_left;

int __real_apsp_stop_check(const struct apsp_stop *stop, struct apsp_err *err);
int __wrap_apsp_stop_check(const struct apsp_stop *stop, struct apsp_err *err);

int __wrap_apsp_stop_check(const struct apsp_stop *stop, struct apsp_err *err)
{
	static const struct apsp_stop asked = {APSP_STOP_CANCEL, NULL};

	if (looks_left > 0 && --looks_left == 0)
		stop = &asked;
	return __real_apsp_stop_check(stop, err);
}

/* A stop is heard between two chunks of arcs. */
static void test_load_stop(void **state)
{
	const unsigned int n_arcs = APSP_STORED_ARCS_CHUNK + 1;
	struct fixture *f = *state;
	struct apsp_stop stop = {0};
	struct apsp_job_spec job;
	struct stat found;
	char path[320];

	fixture_put(f, "g", n_arcs, "none");
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
	snprintf(path, sizeof(path), "%s/graph", f->cache_dir);
	looks_left = 2;
	assert_int_equal(
		apsp_job_graph_write(f->store, &job, path, &stop, NULL),
		APSP_ECANCELLED);
	assert_int_equal(looks_left, 0);
	assert_int_equal(stat(path, &found), 0);
	assert_int_equal(
		found.st_size, sizeof(struct apsp_graph_header) +
				       (n_arcs - 1) * sizeof(struct apsp_arc));
	/* nobody asks for it, and the reader is free again */
	assert_int_equal(
		apsp_job_graph_write(f->store, &job, path, &stop, NULL), 0);
	/* a stop of the parent counts, too */
	apsp_stop_ask(&stop, APSP_STOP_END);
	assert_int_equal(apsp_job_graph_write(f->store, &job, path,
				 &(struct apsp_stop){.parent = &stop}, NULL),
		APSP_ECANCELLED);
	unlink(path);
}

/* Records of a graph in a state; NULL: any. */
static int listed(struct fixture *f, const char *graph, const char *state,
	struct apsp_job_record records[4])
{
	struct apsp_job_filter filter = {.graph = graph, .state = state};

	return apsp_jobs_list(f->store, &filter, records, 4, NULL);
}

static void test_list(void **state)
{
	struct fixture *f = *state;
	struct apsp_job_record records[4] = {0};
	uint64_t ids[3];

	ids[0] = fixture_put(f, "a", 10, "none");
	ids[1] = fixture_put(f, "b", 11, "none");
	ids[2] = fixture_put(f, "a", 12, "none");
	assert_int_equal(apsp_jobs_list(f->store, &(struct apsp_job_filter){0},
				 records, 4, NULL),
		3);
	assert_int_equal(records[0].id, ids[2]);
	assert_int_equal(records[2].id, ids[0]);
	assert_int_equal(apsp_jobs_list(f->store,
				 &(struct apsp_job_filter){.before_id = ids[2]},
				 records, 1, NULL),
		1);
	assert_int_equal(records[0].id, ids[1]);
	assert_int_equal(listed(f, "a", NULL, records), 2);
	assert_int_equal(records[1].id, ids[0]);
	assert_int_equal(listed(f, "x", NULL, records), 0);
	assert_int_equal(listed(f, NULL, "cancelled", records), 1);
	assert_int_equal(records[0].id, ids[0]);
	assert_int_equal(listed(f, "a", "queued", records), 1);
	assert_int_equal(records[0].id, ids[2]);
	assert_int_equal(listed(f, "b", "cancelled", records), 0);
	for (int i = 0; i < 3; i++)
		apsp_job_record_done(&records[i]);
	/* the newer upload cancelled these, and their records say so */
	records[0] = get(f, ids[0]);
	assert_int_equal(records[0].state, APSP_JOB_CANCELLED);
	assert_int_equal(records[0].failure.err.code, APSP_ECANCELLED);
	assert_string_equal(
		records[0].failure.err.message, "replaced by a newer upload");
	apsp_job_record_done(&records[0]);
}

static void expect_reason(struct fixture *f, uint64_t id, const char *reason)
{
	struct apsp_job_record record = get(f, id);

	assert_int_equal(record.state, APSP_JOB_CANCELLED);
	assert_string_equal(record.failure.err.message, reason);
	apsp_job_record_done(&record);
}

static const char another_rule[] = "replaced by another rule for the same file";

/*
 * A job that was replaced by the same file under another rule says so, and not
 * that a newer upload replaced it, also while the file is served under its
 * first rule.
 */
static void expect_replaced(struct fixture *f, bool runs)
{
	struct apsp_job_spec job;
	uint64_t first, second;

	fixture_put(f, "g", 10, "none");
	assert_int_equal(fixture_work_all(f), 1);
	first = fixture_put(f, "g", 10, "hops");
	if (runs)
		assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
	second = fixture_put(f, "g", 10, "inv");
	if (runs)
		fixture_fail(f, &job, APSP_ECANCELLED, false);
	expect_reason(f, first, another_rule);
	if (runs)
		assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
	fixture_put(f, "g", 11, "inv");
	if (runs)
		fixture_fail(f, &job, APSP_ECANCELLED, false);
	expect_reason(f, second, "replaced by a newer upload");
	assert_int_equal(fixture_delete(f, "g"), 0);
}

static void test_replaced(void **state)
{
	expect_replaced(*state, false);
	expect_replaced(*state, true);
}

/* Jobs that no profile wants any more say why, whether they ran or waited. */
static void test_unwanted(void **state)
{
	struct fixture *f = *state;
	struct apsp_put_result result;
	struct apsp_job_spec job;
	uint64_t ran, waited;

	ran = fixture_put(f, "g", 10, "none");
	assert_int_equal(fixture_profile_put(f, "g", "p", "hops", &result), 0);
	waited = result.job;
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
	assert_int_equal(fixture_profile_put(f, "g", "p", "inv", &result), 0);
	expect_reason(f, waited, another_rule);
	assert_int_equal(fixture_profile_delete(f, "g", "p"), 0);
	expect_reason(f, result.job, "its profile was deleted");
	waited = fixture_put(f, "g", 11, "none");
	fixture_fail(f, &job, APSP_ECANCELLED, false);
	expect_reason(f, ran, "replaced by a newer upload");
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
	assert_int_equal(job.id, waited);
	assert_int_equal(fixture_profile_put(f, "g", "p", "hops", &result), 0);
	assert_int_equal(fixture_delete(f, "g"), 0);
	expect_reason(f, result.job, "its graph was deleted");
	fixture_fail(f, &job, APSP_ECANCELLED, false);
	expect_reason(f, waited, "its graph was deleted");
	/* a job that was cancelled on request says just that */
	waited = fixture_put(f, "g", 12, "none");
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
	fixture_fail(f, &job, APSP_ECANCELLED, false);
	expect_reason(f, waited, "it did not work");
}

/* A job is reported as changed when a profile no longer needs it, also if
   another profile or graph does: requests may wait for the first profile. */
static void test_shared_left(void **state)
{
	static const char *const names[] = {"p", "q", "r"};
	struct fixture *f = *state;
	struct apsp_put_result result;
	struct apsp_job_spec job;

	fixture_put(f, "g", 10, "none");
	assert_int_equal(fixture_work_all(f), 1);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(
			fixture_profile_put(f, "g", names[i], "hops", &result),
			0);
		assert_int_equal(result.job, 2);
	}
	atomic_store(&f->last_changed, 0);
	assert_int_equal(fixture_profile_delete(f, "g", "p"), 0);
	assert_int_equal(f->last_changed, 2);
	atomic_store(&f->last_changed, 0);
	assert_int_equal(fixture_profile_put(f, "g", "q", "inv", &result), 0);
	assert_int_equal(f->last_changed, 2);
	assert_int_equal(get(f, 2).state, APSP_JOB_QUEUED);
	/* a profile that has no job reports none */
	assert_int_equal(fixture_profile_delete(f, "g", "q"), 0);
	assert_int_equal(fixture_profile_put(f, "g", "q", "none", &result), 0);
	atomic_store(&f->n_changed, 0);
	assert_int_equal(fixture_profile_delete(f, "g", "q"), 0);
	assert_int_equal(f->n_changed, 0);
	/* another graph needs the tables of the running job */
	fixture_put(f, "h", 10, "hops");
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
	assert_int_equal(job.id, 2);
	atomic_store(&f->last_changed, 0);
	assert_int_equal(fixture_delete(f, "g"), 0);
	assert_int_equal(f->n_unwanted, 0);
	assert_int_equal(f->last_changed, 2);
}

static void test_order_and_tries(void **state)
{
	struct fixture *f = *state;
	uint64_t first = fixture_put(f, "a", 10, "none");
	uint64_t second = fixture_put(f, "b", 11, "none");
	struct apsp_job_spec job;

	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
	assert_int_equal(job.id, first);
	/* a job that was put back has not used up a try */
	apsp_job_tries_put_back(f->store, &job);
	assert_int_equal(get(f, first).tries, 0);
	assert_int_equal(get(f, first).state, APSP_JOB_QUEUED);
	for (unsigned int i = 1; i <= APSP_JOB_TRIES; i++) {
		assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
		assert_int_equal(job.id, first);
		assert_int_equal(get(f, first).tries, i);
		assert_int_equal(job.tries, i);
		fixture_fail(f, &job, APSP_ESOLVER, true);
	}
	assert_int_equal(get(f, first).state, APSP_JOB_FAILED);
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
	assert_int_equal(job.id, second);
	assert_int_equal(fixture_work(f, &job, NULL), 0);
	/* a second report of the end changes nothing */
	fixture_fail(f, &job, APSP_ESOLVER, false);
	assert_int_equal(get(f, second).state, APSP_JOB_SUCCEEDED);
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 0);
}

/*
 * A job that is still recorded as running at a claim is one whose end could not
 * be recorded.
 */
static void test_lost_end(void **state)
{
	struct fixture *f = *state;
	uint64_t id = fixture_put(f, "a", 10, "none");
	struct apsp_job_record record;
	struct apsp_job_spec job;

	for (int i = 0; i < APSP_JOB_TRIES; i++) {
		assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
		assert_int_equal(job.id, id);
	}
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 0);
	record = get(f, id);
	assert_int_equal(record.state, APSP_JOB_FAILED);
	assert_int_equal(record.failure.err.code, APSP_ESOLVER);
	apsp_job_record_done(&record);
}

/* What a first try took is told apart from the waiting, which it is no part of.
 */
static void test_stages_of_tries(void **state)
{
	struct fixture *f = *state;
	struct apsp_job_progress last = {0};
	struct apsp_job_failure failure = {0};
	struct apsp_job_spec job;
	const double *s = job.stages.seconds;
	char path[320];
	sqlite3 *db;

	fixture_put(f, "g", 10, "inv");
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
	assert_true(s[APSP_STAGE_TRIED] == 0);
	last.stages = job.stages;
	last.stages.seconds[APSP_STAGE_GRAPH_FILE] = 100;
	last.stages.seconds[APSP_STAGE_DISTANCE] = 500;
	apsp_fail(&failure.err, APSP_EDEVICE, "a driver failed");
	apsp_job_tries_fail(f->store, &job, &last, &failure, true);
	/* as if it had been queued a thousand seconds ago */
	snprintf(path, sizeof(path), "%s/apspd.sqlite", f->state_dir);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(
		sqlite3_exec(db,
			"UPDATE jobs SET queued_at_ms = queued_at_ms - 1000000",
			NULL, NULL, NULL),
		SQLITE_OK);
	sqlite3_close(db);
	/* a daemon that stops meanwhile changes nothing in that */
	for (int claim = 0; claim < 2; claim++) {
		assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
		assert_true(s[APSP_STAGE_TRIED] == 600);
		assert_true(s[APSP_STAGE_QUEUED] >= 399);
		assert_true(s[APSP_STAGE_QUEUED] < 900);
		assert_true(s[APSP_STAGE_GRAPH_FILE] == 0);
		assert_true(s[APSP_STAGE_DISTANCE] == 0);
		apsp_job_tries_put_back(f->store, &job);
	}
}

static void test_cancel(void **state)
{
	struct fixture *f = *state;
	enum apsp_job_state at = APSP_JOB_FAILED;
	struct apsp_put_result result;
	struct apsp_job_spec job;
	uint64_t id, found, again;

	assert_int_equal(cancel(f, 5, &at), APSP_ENOJOB);
	id = fixture_put(f, "g", 10, "none");
	assert_int_equal(cancel(f, id, &at), 0);
	assert_int_equal(at, APSP_JOB_CANCELLED);
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 0);
	assert_int_equal(fixture_read(f, "g", "default", &found), APSP_ETABLES);
	again = fixture_put(f, "g", 10, "none");
	assert_int_not_equal(again, id);
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
	/* A cancelled job runs until the worker reports its end. Until then, a
	   request for the same tables gets another job. */
	assert_int_equal(cancel(f, again, &at), 0);
	assert_int_equal(at, APSP_JOB_RUNNING);
	assert_int_equal(fixture_profile_put(f, "g", "p", "none", &result), 0);
	assert_int_equal(result.job, again + 1);
	assert_int_equal(fixture_put(f, "g", 10, "none"), again + 1);
	fixture_fail(f, &job, APSP_ECANCELLED, true);
	assert_int_equal(get(f, again).state, APSP_JOB_CANCELLED);
	expect_reason(f, again, "cancelled on request");
	assert_int_equal(get(f, again + 1).state, APSP_JOB_QUEUED);
	assert_int_equal(cancel(f, again, &at), 0);
	assert_int_equal(at, APSP_JOB_CANCELLED);
	/* the worker ends the try before it gets the request */
	for (int fails = 0; fails < 2; fails++) {
		id = fixture_put(f, "g", 10, "none");
		assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
		assert_int_equal(cancel(f, id, &at), 0);
		if (fails)
			fixture_fail(f, &job, APSP_ESOLVER, true);
		else
			apsp_job_tries_put_back(f->store, &job);
		expect_reason(f, id, "cancelled on request");
		assert_true(get(f, id).ended_at_ms > 0);
	}
	/* the daemon dies before the worker reports the end */
	id = fixture_put(f, "g", 10, "none");
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
	assert_int_equal(cancel(f, id, &at), 0);
	fixture_reopen(f);
	expect_reason(f, id, "cancelled on request");
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 0);
	fixture_put(f, "g", 10, "none");
	assert_int_equal(fixture_work_all(f), 1);
	assert_int_equal(fixture_read(f, "g", "default", &found), 0);
}

/* The solver's file is not whole: nothing is published, and the job goes on. */
static void test_bad_file(void **state)
{
	struct fixture *f = *state;
	struct apsp_job_progress last = {0};
	struct apsp_job_spec job;
	char path[320];
	FILE *file;

	fixture_put(f, "g", 10, "none");
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
	snprintf(path, sizeof(path), "%s/result", f->cache_dir);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("half", file);
	fclose(file);
	assert_int_equal(apsp_job_publish(f->store, &job, &last, path, NULL),
		APSP_EDAMAGED);
	unlink(path);
	assert_int_equal(fixture_n_files(f), 0);
	assert_int_equal(get(f, job.id).state, APSP_JOB_RUNNING);
	assert_int_equal(fixture_work(f, &job, NULL), 0);
}

int main(void)
{
#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_record),
		TEST(test_load),
		TEST(test_load_stop),
		TEST(test_list),
		TEST(test_replaced),
		TEST(test_unwanted),
		TEST(test_shared_left),
		TEST(test_order_and_tries),
		TEST(test_stages_of_tries),
		TEST(test_lost_end),
		TEST(test_cancel),
		TEST(test_bad_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
