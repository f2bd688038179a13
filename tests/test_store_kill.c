/*
 * kill -9 at any moment. A child works on a store and tells after each command
 * what was acknowledged. It is killed at a random point and the store is opened
 * again: everything that was acknowledged must be there, and nothing half-made.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>

#include <cmocka.h>

#include <sqlite3.h>

#include "tests/random.h"
#include "tests/store_fixture.h"

enum {
	ROUNDS = 40,
	N_GRAPHS = 4,
	MOST_RECEIPTS = 6,   /* that are waited for before a child is killed */
	LONGEST_US = 120000, /* of its life after them */
	OPENING_US = 15000,  /* about as long as opening takes */
};

enum stage {
	STAGE_INTENDED,
	STAGE_DONE,
	STAGE_FAILED,
};

/* What the child says before and after each command, in a pipe. */
struct receipt {
	uint32_t stage;
	uint32_t graph;	 /* N_GRAPHS: no graph is changed */
	uint32_t n_arcs; /* of its newest generation; 0: deleted */
	uint32_t unused;
	uint64_t job;	/* queued by it; 0: none */
	uint64_t ended; /* published by it; 0: none */
};

static void tell(int pipe, struct receipt *receipt, enum stage stage)
{
	receipt->stage = stage;
	CHECK(write(pipe, receipt, sizeof(*receipt)) ==
		(ssize_t)sizeof(*receipt));
}

static void graph_name(uint32_t graph, char out[16])
{
	snprintf(out, 16, "g%u", graph);
}

static void child_work(struct fixture *f, int pipe)
{
	struct receipt receipt = {.graph = N_GRAPHS};
	struct apsp_job_spec job;

	if (apsp_job_claim(f->store, &job, NULL) <= 0)
		return;
	receipt.ended = job.id;
	if (fixture_work(f, &job, NULL) == 0)
		tell(pipe, &receipt, STAGE_DONE);
}

static void child_step(
	struct fixture *f, uint64_t *seed, int pipe, uint32_t serial)
{
	struct receipt receipt = {.graph = random_below(seed, N_GRAPHS)};
	struct apsp_put_result result;
	char name[16];

	graph_name(receipt.graph, name);
	switch (random_below(seed, 8)) {
	case 0:
		tell(pipe, &receipt, STAGE_INTENDED);
		tell(pipe, &receipt,
			fixture_delete(f, name) == 0 ? STAGE_DONE
						     : STAGE_FAILED);
		break;
	case 1:
		fixture_profile_put(f, name, "h", "hops", &result);
		break;
	case 2:
	case 3:
		/* some uploads are several chunks long */
		receipt.n_arcs = serial % 16 ? 10 + serial : 300000 + serial;
		tell(pipe, &receipt, STAGE_INTENDED);
		receipt.job = fixture_put(f, name, receipt.n_arcs, "none");
		tell(pipe, &receipt, STAGE_DONE);
		break;
	default:
		child_work(f, pipe);
	}
}

static void child_main(struct fixture *f, uint64_t seed, int pipe)
{
	struct receipt ready = {.graph = N_GRAPHS};

	fixture_open(f);
	tell(pipe, &ready, STAGE_DONE);
	for (uint32_t serial = (uint32_t)seed % 1000;; serial++)
		child_step(f, &seed, pipe, serial);
}

static int64_t number(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *stmt = NULL;
	int64_t out;

	assert_int_equal(
		sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	out = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return out;
}

/* While no daemon runs: rows and files agree, and nothing is half-made. */
static void rows_check(struct fixture *f)
{
	sqlite3_stmt *stmt = NULL;
	sqlite3 *db = NULL;
	char path[400];
	int n = 0;

	snprintf(path, sizeof(path), "%s/apspd.sqlite", f->state_dir);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(
		sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &stmt, 0),
		SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	assert_string_equal((const char *)sqlite3_column_text(stmt, 0), "ok");
	sqlite3_finalize(stmt);
	assert_int_equal(number(db, "SELECT count(*) FROM"
				    " pragma_foreign_key_check"),
		0);
	assert_int_equal(number(db, "SELECT count(*) FROM generations"
				    " WHERE state = 'loading'"),
		0);
	assert_int_equal(number(db, "SELECT count(*) FROM jobs"
				    " WHERE state = 'running'"),
		0);
	/* every live generation has all its arcs */
	assert_int_equal(
		number(db, "SELECT count(*) FROM generations g WHERE graph"
			   " IS NOT NULL AND n_arcs * 16 != (SELECT"
			   " sum(length(data)) FROM chunks WHERE"
			   " generation = g.id AND kind = 'arcs')"),
		0);
	assert_int_equal(
		sqlite3_prepare_v2(db, "SELECT id FROM tables", -1, &stmt, 0),
		SQLITE_OK);
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		snprintf(path, sizeof(path), "%s/tables/%lld.apsp",
			f->cache_dir, sqlite3_column_int64(stmt, 0));
		assert_int_equal(access(path, R_OK), 0);
		n++;
	}
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	assert_int_equal(fixture_n_files(f), n);
}

/* What the children's receipts say about a graph. */
struct known {
	uint32_t n_arcs[N_GRAPHS];   /* of the newest generation; 0: none */
	uint32_t intended[N_GRAPHS]; /* it may also be this one … */
	bool open[N_GRAPHS];	     /* … if this is set */
	uint64_t job, ended;
};

static void known_note(struct known *known, const struct receipt *receipt)
{
	uint32_t i = receipt->graph;

	if (i < N_GRAPHS) {
		known->open[i] = receipt->stage == STAGE_INTENDED;
		if (receipt->stage == STAGE_DONE)
			known->n_arcs[i] = receipt->n_arcs;
		else
			known->intended[i] = receipt->n_arcs;
	}
	if (receipt->job)
		known->job = receipt->job;
	if (receipt->ended)
		known->ended = receipt->ended;
}

static void known_check(struct fixture *f, struct known *known)
{
	struct apsp_job_record record = {0};
	uint64_t ignored;

	for (uint32_t i = 0; i < N_GRAPHS; i++) {
		const struct apsp_graph_snapshot *view = NULL;
		uint32_t found = 0;
		char name[16];

		graph_name(i, name);
		if (apsp_snapshot_map_find(apsp_store_parts(f->store)->graphs,
			    name, &view, NULL) == 0)
			found = (uint32_t)(view->pending ? view->pending
							 : view->current)
					->n_arcs;
		apsp_graph_snapshot_unref(view);
		if (found != known->n_arcs[i])
			assert_true(
				known->open[i] && found == known->intended[i]);
		known->n_arcs[i] = found;
		known->open[i] = false;
		/* aborts unless tables and generation belong together */
		fixture_read(f, name, "default", &ignored);
		fixture_read(f, name, "h", &ignored);
	}
	if (known->job)
		assert_int_equal(
			apsp_jobs_get(f->store, known->job, &record, NULL), 0);
	if (!known->ended)
		return;
	assert_int_equal(
		apsp_jobs_get(f->store, known->ended, &record, NULL), 0);
	assert_int_equal(record.state, APSP_JOB_SUCCEEDED);
}

/* One child's life; returns how many receipts came. */
static int child_run(struct fixture *f, uint64_t *seed, struct known *known)
{
	struct receipt receipt;
	int ends[2], status, n = 0;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		close(ends[0]);
		child_main(f, *seed, ends[1]);
	}
	close(ends[1]);
	/* mostly while it works, sometimes while it recovers */
	if (random_below(seed, 4) > 0) {
		int n_before = 1 + (int)random_below(seed, MOST_RECEIPTS);

		while (n < n_before) {
			assert_int_equal(
				read(ends[0], &receipt, sizeof(receipt)),
				sizeof(receipt));
			known_note(known, &receipt);
			n++;
		}
		usleep(random_below(seed, LONGEST_US));
	} else {
		usleep(random_below(seed, OPENING_US));
	}
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	while (read(ends[0], &receipt, sizeof(receipt)) ==
		(ssize_t)sizeof(receipt)) {
		known_note(known, &receipt);
		n++;
	}
	close(ends[0]);
	return n;
}

static void test_kill(void **state)
{
	struct fixture *f = fixture_new();
	struct known known = {0};
	uint64_t seed = 20241121;
	int n = 0;

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		n += child_run(f, &seed, &known);
		fixture_open(f);
		known_check(f, &known);
		apsp_store_close(f->store);
		f->store = NULL;
		rows_check(f);
	}
	/* else the children were killed too early to show anything */
	assert_true(n > ROUNDS);
	fixture_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kill),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
