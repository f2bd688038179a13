/*
 * Rows that this apspd cannot read, because another version wrote them or the
 * file is damaged: each is set aside and told of, and all others are served.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sqlite3.h>

#include "tests/store_fixture.h"

/* Change the rows as another version or a damage would, and start again. */
static void rows_change(struct fixture *f, const char *sql)
{
	sqlite3 *db = fixture_database_alone(f);
	char *error = NULL;

	sqlite3_exec(
		db, "PRAGMA ignore_check_constraints = ON", NULL, NULL, NULL);
	if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK)
		fail_msg("%s", error);
	sqlite3_close(db);
	fixture_open(f);
}

/* How many sentences; the last one has these words. */
static void troubles_are(struct fixture *f, size_t n, const char *words)
{
	struct apsp_err troubles[8];
	bool told = n == 0;

	assert_int_equal(
		apsp_snapshot_map_troubles(
			apsp_store_parts(f->store)->graphs, troubles, 8),
		n);
	for (size_t i = 0; i < n; i++)
		told |= strstr(troubles[i].message, words) != NULL;
	if (!told)
		fail_msg("%s", troubles[0].message);
}

static void serves(struct fixture *f, const char *graph, uint64_t arcs)
{
	uint64_t found = 0;

	assert_int_equal(fixture_read(f, graph, "default", &found), 0);
	assert_int_equal(found, arcs);
}

/* Two graphs, the first with a second profile; everything has its tables. */
static void graphs_make(struct fixture *f)
{
	struct apsp_put_result result;

	fixture_put(f, "g", 10, "none");
	fixture_put(f, "h", 11, "none");
	assert_int_equal(fixture_profile_put(f, "g", "p", "hops", &result), 0);
	assert_int_equal(fixture_work_all(f), 3);
}

/* Another order and missing options are the same rule. */
static void test_other_order(void **state)
{
	struct fixture *f = *state;
	uint64_t found;

	graphs_make(f);
	rows_change(f,
		"UPDATE profiles SET rule = 'precision=float32"
		" transform=hops', served_rule = rule WHERE name = 'p';");
	troubles_are(f, 0, NULL);
	serves(f, "g", 10);
	assert_int_equal(fixture_read(f, "g", "p", &found), 0);
}

/* If a rule cannot be read, or has become another rule, the profile is a
   trouble. The other profile and "h" are served. */
static void test_garbled_rule(void **state)
{
	static const char *const damages[] = {
		"UPDATE profiles SET rule = 'transform=h?ps',"
		" served_rule = 'transform=h?ps' WHERE name = 'p'",
		"UPDATE profiles SET rule = replace(rule, 'hops', 'inv'),"
		" served_rule = replace(rule, 'hops', 'inv') WHERE name = 'p'"};
	struct fixture *f = *state;
	struct apsp_put_result result;
	uint64_t found;

	graphs_make(f);
	for (size_t i = 0; i < 2; i++) {
		rows_change(f, damages[i]);
		troubles_are(
			f, 1, "the profile 'p' of graph 'g' cannot be read");
		assert_int_equal(fixture_read(f, "g", "p", &found), APSP_EROW);
		serves(f, "g", 10);
		serves(f, "h", 11);
		/* a new definition repairs the profile */
		assert_int_equal(
			fixture_profile_put(f, "g", "p", "hops", &result), 0);
		troubles_are(f, 0, NULL);
		fixture_work_all(f);
		assert_int_equal(fixture_read(f, "g", "p", &found), 0);
	}
	/* the tables are by the newest rule, so its text is read in place of
	   the damaged copy in served_rule */
	rows_change(f, "UPDATE profiles SET served_rule = 'transform=h?ps'");
	troubles_are(f, 0, NULL);
	assert_int_equal(fixture_read(f, "g", "p", &found), 0);
}

/* The rule of a later version: its tables are what they were. */
static void test_later_rule(void **state)
{
	struct fixture *f = *state;
	struct apsp_job_spec job;
	uint64_t found;

	graphs_make(f);
	rows_change(f, "UPDATE profiles SET rule = rule || ' undirected=true'"
		       " WHERE name = 'p'");
	/* its newest tables are not there, those of the rule before are */
	troubles_are(f, 1, "'undirected=true' is no option");
	assert_int_equal(fixture_read(f, "g", "p", &found), 0);
	/* the other profiles of a new upload are computed, this one is kept */
	fixture_put(f, "g", 12, "none");
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
	assert_string_equal(job.profile_name, "default");
	assert_int_equal(fixture_work(f, &job, NULL), 0);
	assert_int_equal(apsp_job_claim(f->store, &job, NULL), 0);
	serves(f, "g", 12);
	troubles_are(f, 1, "'undirected=true' is no option");
	assert_int_equal(fixture_read(f, "g", "p", &found), APSP_EROW);
}

/* Without its tables, nothing is computed by a rule that cannot be read. */
static void test_later_rule_without_tables(void **state)
{
	struct fixture *f = *state;
	uint64_t found;
	char path[360];

	graphs_make(f);
	for (int id = 1; id <= 3; id++) {
		snprintf(path, sizeof(path), "%s/tables/%d.apsp", f->cache_dir,
			id);
		assert_int_equal(unlink(path), 0);
	}
	rows_change(f, "UPDATE profiles SET rule = rule || ' undirected=true',"
		       " served_rule = rule WHERE name = 'p'");
	assert_int_equal(fixture_work_all(f), 2);
	serves(f, "g", 10);
	serves(f, "h", 11);
	assert_int_equal(fixture_read(f, "g", "p", &found), APSP_EROW);
}

/* A queued job whose rule cannot be read fails; the next one runs. */
static void test_queued_job(void **state)
{
	struct fixture *f = *state;
	struct apsp_job_record record = {0};
	uint64_t bad = fixture_put(f, "g", 10, "none");

	fixture_put(f, "h", 11, "none");
	rows_change(f, "UPDATE jobs SET rule = 'colour=red' WHERE id = 1");
	assert_int_equal(fixture_work_all(f), 1);
	serves(f, "h", 11);
	assert_int_equal(apsp_jobs_get(f->store, bad, &record, NULL), 0);
	assert_int_equal(record.state, APSP_JOB_FAILED);
	assert_int_equal(record.failure.err.code, APSP_EROW);
	assert_non_null(strstr(record.failure.err.message, "colour=red"));
	apsp_job_record_done(&record);
	/* the same upload asks for it again */
	fixture_put(f, "g", 10, "none");
	assert_int_equal(fixture_work_all(f), 1);
	serves(f, "g", 10);
}

/* A table whose rows may have no hash: no job for "g", and "h" is served. */
static void test_no_hash(void **state)
{
	static const char *const tables[] = {"jobs", "profiles"};
	struct fixture *f = *state;
	uint64_t found;
	char sql[400];

	for (size_t i = 0; i < 2; i++) {
		fixture_put(f, "g", 10, "none");
		snprintf(sql, sizeof(sql),
			"PRAGMA writable_schema = ON;"
			"UPDATE sqlite_schema SET sql = replace(sql,"
			" 'hash TEXT NOT NULL', 'hash TEXT') WHERE name = '%s';"
			"PRAGMA writable_schema = RESET;"
			"UPDATE profiles SET job = NULL, served_hash = 'x'"
			" WHERE '%s' = 'profiles';"
			"UPDATE %s SET hash = NULL",
			tables[i], tables[i], tables[i]);
		rows_change(f, sql);
		fixture_put(f, "h", 11, "none");
		assert_int_equal(fixture_work_all(f), 1);
		serves(f, "h", 11);
		assert_int_not_equal(
			fixture_read(f, "g", "default", &found), 0);
		assert_int_equal(fixture_delete(f, "g"), 0);
		assert_int_equal(fixture_delete(f, "h"), 0);
	}
}

/* Rows of a whole graph: it is told of, can be uploaded again, or deleted. */
static void test_bad_graph(void **state)
{
	static const struct {
		const char *sql, *words;
	} cases[] = {
		{"UPDATE chunks SET data = x'6162' WHERE kind = 'labels' AND"
		 " generation IN (SELECT id FROM generations WHERE graph = "
		 "'g')",
			"label"},
		{"DELETE FROM chunks WHERE kind = 'labels' AND generation IN"
		 " (SELECT id FROM generations WHERE graph = 'g')",
			"0 labels where 5 are due"},
		{"UPDATE generations SET format = 'papyrus' WHERE graph = 'g'",
			"papyrus"},
		{"UPDATE generations SET revision = revision || 'x'"
		 " WHERE graph = 'g'",
			"too long"},
		{"UPDATE profiles SET hash = hash || 'x' WHERE name = 'p'",
			"too long"},
		{"UPDATE jobs SET state = 'odd' WHERE graph = 'g'", "odd"},
		{"DELETE FROM profiles WHERE name = 'default' AND generation IN"
		 " (SELECT id FROM generations WHERE graph = 'g')",
			"no profile 'default'"},
	};
	static const struct apsp_precondition revision = {.revision = "0"};
	struct fixture *f = *state;
	const struct apsp_graph_snapshot *views[4];
	struct command_wait *wait;
	uint64_t found;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		graphs_make(f);
		rows_change(f, cases[i].sql);
		troubles_are(f, 1, cases[i].words);
		/* the list has the graph, so that no replica deletes its
		   copy */
		assert_int_equal(apsp_snapshot_map_list(
					 apsp_store_parts(f->store)->graphs, "",
					 views, 4),
			2);
		assert_string_equal(views[0]->name, "g");
		assert_null(views[0]->current);
		assert_null(views[0]->pending);
		apsp_graph_snapshot_unref(views[0]);
		apsp_graph_snapshot_unref(views[1]);
		assert_int_equal(
			fixture_read(f, "g", "default", &found), APSP_EROW);
		serves(f, "h", 11);
		wait = command_wait_new();
		apsp_graphs_delete(
			f->store, "g", &revision, command_wait_done(wait));
		assert_int_equal(command_wait_for(wait, NULL), APSP_EROW);
		if (i % 2) {
			assert_int_equal(fixture_delete(f, "g"), 0);
			assert_int_equal(
				fixture_read(f, "g", "default", &found),
				APSP_ENOGRAPH);
		} else {
			fixture_put(f, "g", 13, "none");
			fixture_work_all(f);
			serves(f, "g", 13);
		}
		troubles_are(f, 0, NULL);
		assert_int_equal(fixture_delete(f, "h"), 0);
		if (i % 2 == 0)
			assert_int_equal(fixture_delete(f, "g"), 0);
	}
}

/* The labels of a graph whose tables were lost cannot be read, so a rule that
   leaves out vertices cannot choose them: the other graph is served. */
static void test_bad_labels_of_choice(void **state)
{
	struct fixture *f = *state;
	struct apsp_profile rule = fixture_profile("none");
	struct command_wait *wait = command_wait_new();
	struct apsp_put_result result;
	char path[360];
	uint64_t found;

	graphs_make(f);
	strcpy(rule.without, "label:v1");
	apsp_profiles_put(f->store, "g", "p", &rule, NULL, &result,
		command_wait_done(wait));
	assert_int_equal(command_wait_for(wait, NULL), 0);
	assert_int_not_equal(result.job, 0);
	snprintf(path, sizeof(path), "%s/tables/%d.apsp", f->cache_dir,
		(int)result.job);
	apsp_put_result_done(&result);
	assert_int_equal(fixture_work_all(f), 1);
	assert_int_equal(unlink(path), 0);
	rows_change(f,
		"UPDATE chunks SET data = x'6162' WHERE kind = 'labels' AND"
		" generation IN (SELECT id FROM generations"
		"  WHERE graph = 'g')");
	troubles_are(f, 1, "label");
	assert_int_equal(fixture_read(f, "g", "p", &found), APSP_EROW);
	serves(f, "h", 11);
}

/* A name that does not fit is nobody's, and nothing takes it for another. */
static void test_long_names(void **state)
{
	struct fixture *f = *state;
	struct apsp_job_record records[8];
	const struct apsp_graph_snapshot *views[4];
	char longest[129], sql[400];
	int n;

	memset(longest, 'a', sizeof(longest) - 1);
	longest[128] = '\0';
	fixture_put(f, longest, 10, "none");
	fixture_put(f, "h", 11, "none");
	assert_int_equal(fixture_work_all(f), 2);
	snprintf(sql, sizeof(sql),
		"UPDATE generations SET graph = '%sx' WHERE graph = '%s';"
		"UPDATE jobs SET graph = '%.20s' || char(0) || 'b'"
		" WHERE graph = 'h'",
		longest, longest, longest);
	rows_change(f, sql);
	assert_int_equal(
		apsp_snapshot_map_list(
			apsp_store_parts(f->store)->graphs, "", views, 4),
		1);
	assert_string_equal(views[0]->name, "h");
	apsp_graph_snapshot_unref(views[0]);
	serves(f, "h", 11);
	n = apsp_jobs_list(
		f->store, &(struct apsp_job_filter){0}, records, 8, NULL);
	assert_int_equal(n, 1);
	assert_string_equal(records[0].graph, longest);
	apsp_job_record_done(&records[0]);
	/* the newest, which is left out, takes no place of a page */
	n = apsp_jobs_list(
		f->store, &(struct apsp_job_filter){0}, records, 1, NULL);
	assert_int_equal(n, 1);
	assert_string_equal(records[0].graph, longest);
	apsp_job_record_done(&records[0]);
}

int main(void)
{
#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_other_order),
		TEST(test_garbled_rule),
		TEST(test_later_rule),
		TEST(test_later_rule_without_tables),
		TEST(test_queued_job),
		TEST(test_no_hash),
		TEST(test_bad_graph),
		TEST(test_bad_labels_of_choice),
		TEST(test_long_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
