/*
 * Connections: pragmas, migrations, refusals of files that are not ours, and
 * readers that can only read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/base/auto.h"
#include "storage/database/database.h"
#include "storage/database/readers.h"
#include "storage/database/sql.h"

struct place {
	char dir[256];
	char path[280];
};

static int place_make(void **state)
{
	const char *tmp = getenv("TMPDIR");
	struct place *place = calloc(1, sizeof(*place));

	if (!place)
		return -1;
	snprintf(place->dir, sizeof(place->dir), "%s/apsp-database-XXXXXX",
		tmp ? tmp : "/tmp");
	if (!mkdtemp(place->dir))
		return -1;
	snprintf(place->path, sizeof(place->path), "%s/db", place->dir);
	*state = place;
	return 0;
}

static int place_remove(void **state)
{
	static const char *const ends[] = {"", "-wal", "-shm"};
	struct place *place = *state;
	char path[300];

	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s%s", place->path, ends[i]);
		unlink(path);
	}
	rmdir(place->dir);
	free(place);
	return 0;
}

static int64_t number(sqlite3 *db, const char *sql)
{
	int64_t out = -1;

	assert_int_equal(apsp_sql_int(db, sql, NULL, &out, NULL), 1);
	return out;
}

static void test_pragmas(void **state)
{
	APSP_AUTO(apsp_database_close) sqlite3 *db = NULL;
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	struct place *place = *state;
	char mode[16];

	assert_int_equal(apsp_database_open(place->path, &db, NULL), 0);
	assert_int_equal(number(db, "PRAGMA auto_vacuum"), 2);
	assert_int_equal(number(db, "PRAGMA synchronous"), 2);
	assert_int_equal(number(db, "PRAGMA secure_delete"), 0);
	assert_int_equal(number(db, "PRAGMA foreign_keys"), 1);
	assert_int_equal(number(db, "PRAGMA trusted_schema"), 0);
	assert_int_equal(
		number(db, "PRAGMA application_id"), APSP_APPLICATION_ID);
	assert_int_equal(number(db, "PRAGMA user_version"), apsp_n_migrations);
	assert_int_equal(
		apsp_sql_prepare(db, "PRAGMA journal_mode", NULL, &stmt, NULL),
		0);
	assert_int_equal(apsp_sql_step(stmt, NULL), 1);
	assert_int_equal(apsp_sql_text(stmt, 0, mode, sizeof(mode), NULL), 0);
	assert_string_equal(mode, "wal");
	/* every table is strict */
	assert_int_equal(number(db, "SELECT count(*) FROM pragma_table_list"
				    " WHERE schema = 'main' AND strict = 0"
				    " AND name NOT LIKE 'sqlite\\_%'"
				    " ESCAPE '\\'"),
		0);
	assert_true(number(db, "SELECT count(*) FROM pragma_table_list"
			       " WHERE strict = 1") >= 5);
}

/* The file has our id from the beginning, even while the log has everything
   else, so no crash leaves a database that looks like another program's. */
static void test_ours_from_the_beginning(void **state)
{
	APSP_AUTO(apsp_database_close) sqlite3 *db = NULL;
	struct place *place = *state;
	unsigned char page[72];
	FILE *file;

	assert_int_equal(apsp_database_open(place->path, &db, NULL), 0);
	file = fopen(place->path, "r");
	assert_non_null(file);
	assert_int_equal(fread(page, sizeof(page), 1, file), 1);
	fclose(file);
	assert_memory_equal(page + 68, "apsp", 4);
}

static void test_reopened(void **state)
{
	struct place *place = *state;

	for (int i = 0; i < 2; i++) {
		APSP_AUTO(apsp_database_close) sqlite3 *db = NULL;

		assert_int_equal(apsp_database_open(place->path, &db, NULL), 0);
		assert_int_equal(number(db, "SELECT count(*) FROM jobs"), i);
		assert_int_equal(
			apsp_sql_run(db,
				"INSERT INTO jobs (generation, graph, profile,"
				" revision, rule, hash, state, queued_at_ms)"
				" VALUES (1, 'g', 'p', 'r', 'x', 'h',"
				" 'queued', 1)",
				NULL, NULL),
			0);
	}
}

static void make_file(const char *path, const char *sql)
{
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static void refused(const char *path, enum apsp_code code, const char *because)
{
	struct apsp_err err = {0};
	sqlite3 *db = NULL;

	assert_int_equal(apsp_database_open(path, &db, &err), code);
	assert_null(db);
	assert_non_null(strstr(err.message, because));
}

static void test_refused(void **state)
{
	struct place *place = *state;
	char sql[64];
	FILE *file;

	make_file(place->path, "CREATE TABLE t (x)");
	refused(place->path, APSP_EUNUSABLE, "another program");
	make_file(place->path, "DROP TABLE t; PRAGMA application_id = 7");
	refused(place->path, APSP_EUNUSABLE, "another program");
	snprintf(sql, sizeof(sql),
		"PRAGMA application_id = %d; PRAGMA user_version = 999",
		APSP_APPLICATION_ID);
	make_file(place->path, sql);
	refused(place->path, APSP_ENEWER, "newer apspd");
	unlink(place->path);
	file = fopen(place->path, "w");
	assert_non_null(file);
	for (int i = 0; i < 1000; i++)
		fputs("this is a letter to a friend. ", file);
	fclose(file);
	refused(place->path, APSP_EUNUSABLE, "not a database");
	unlink(place->path);
	refused("/nonexistent/apspd.sqlite", APSP_EDB, "cannot open");
}

/* As a user whom file modes bind. Returns what the refusal says. */
static int readonly_child(const char *path)
{
	struct apsp_err err = {0};
	sqlite3 *db = NULL;

	if (geteuid() == 0 && setuid(65534) < 0)
		return 2;
	return apsp_database_open(path, &db, &err) == APSP_EUNUSABLE &&
			       strstr(err.message, "cannot be written")
		       ? 0
		       : 1;
}

static void test_readonly(void **state)
{
	struct place *place = *state;
	struct stat before, after;
	sqlite3 *db = NULL;
	int status;
	pid_t child;

	assert_int_equal(apsp_database_open(place->path, &db, NULL), 0);
	apsp_database_close(&db);
	assert_int_equal(chmod(place->dir, 0755), 0);
	assert_int_equal(chmod(place->path, 0444), 0);
	assert_int_equal(stat(place->path, &before), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		_exit(readonly_child(place->path));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(stat(place->path, &after), 0);
	assert_int_equal(after.st_mtim.tv_nsec, before.st_mtim.tv_nsec);
}

static void test_readers(void **state)
{
	APSP_AUTO(apsp_database_close) sqlite3 *writer = NULL;
	struct place *place = *state;
	struct apsp_readers *readers = NULL;
	struct apsp_reader one = {0}, other = {0};
	sqlite3 *db;

	assert_int_equal(apsp_database_open(place->path, &writer, NULL), 0);
	assert_int_equal(apsp_readers_new(place->path, &readers, NULL), 0);
	assert_int_equal(apsp_reader_begin(readers, &one, NULL), 0);
	db = one.db;
	assert_int_equal(number(db, "SELECT count(*) FROM jobs"), 0);
	assert_int_equal(
		apsp_sql_run(db, "DELETE FROM jobs", NULL, NULL), APSP_EDB);
	assert_int_equal(number(db, "PRAGMA query_only"), 1);
	assert_int_equal(number(db, "PRAGMA wal_autocheckpoint"), 0);
	assert_int_equal(apsp_reader_begin(readers, &other, NULL), 0);
	db = other.db;
	assert_ptr_not_equal(one.db, db);
	apsp_reader_end(&one);
	apsp_reader_end(&other);
	assert_int_equal(apsp_reader_begin(readers, &one, NULL), 0);
	assert_ptr_equal(one.db, db);
	apsp_reader_end(&one);
	apsp_readers_free(readers);
}

static int64_t file_bytes(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_size;
}

/* An upload goes into the log alone, which does not grow for ever. */
static void test_log_waits(void **state)
{
	enum {
		CHUNK = 4 << 20,
		FEW = 5,
		MANY = 10,
	};
	APSP_AUTO(apsp_database_close) sqlite3 *db = NULL;
	struct place *place = *state;

	assert_int_equal(apsp_database_open(place->path, &db, NULL), 0);
	assert_int_equal(
		apsp_sql_run(db, "CREATE TABLE chunks_here (data)", NULL, NULL),
		0);
	for (int i = 0; i < MANY; i++) {
		assert_int_equal(
			apsp_sql_run(db,
				"INSERT INTO chunks_here VALUES (zeroblob(?1))",
				APSP_BIND(apsp_bind_int(CHUNK)), NULL),
			0);
		if (i == FEW - 1)
			assert_in_range(file_bytes(place->path), 0, CHUNK);
	}
	assert_in_range(
		file_bytes(place->path), FEW * CHUNK, (MANY + 1) * CHUNK);
}

static void test_rollback(void **state)
{
	APSP_AUTO(apsp_database_close) sqlite3 *db = NULL;
	struct place *place = *state;
	struct apsp_err err = {0};

	assert_int_equal(apsp_database_open(place->path, &db, NULL), 0);
	assert_int_equal(apsp_sql_script(db, "BEGIN IMMEDIATE", NULL), 0);
	assert_int_equal(
		apsp_sql_run(db,
			"INSERT INTO tables VALUES (?1, 'r', ?2, 0, 0, 1)",
			APSP_BIND(apsp_bind_int(1), apsp_bind_text("h")), NULL),
		0);
	/* foreign keys hold: there is no such generation */
	assert_int_equal(apsp_sql_run(db,
				 "INSERT INTO profiles (generation, name, rule,"
				 " hash) VALUES (1, 'p', 'x', 'h')",
				 NULL, &err),
		APSP_EDB);
	assert_non_null(strstr(err.message, "FOREIGN KEY"));
	apsp_database_rollback(db);
	assert_int_equal(number(db, "SELECT count(*) FROM tables"), 0);
	assert_int_equal(
		apsp_sql_run(db, "no such thing", NULL, &err), APSP_EDB);
	assert_non_null(strstr(err.message, "syntax error"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_ours_from_the_beginning, place_make, place_remove),
		cmocka_unit_test_setup_teardown(
			test_pragmas, place_make, place_remove),
		cmocka_unit_test_setup_teardown(
			test_reopened, place_make, place_remove),
		cmocka_unit_test_setup_teardown(
			test_refused, place_make, place_remove),
		cmocka_unit_test_setup_teardown(
			test_readonly, place_make, place_remove),
		cmocka_unit_test_setup_teardown(
			test_readers, place_make, place_remove),
		cmocka_unit_test_setup_teardown(
			test_log_waits, place_make, place_remove),
		cmocka_unit_test_setup_teardown(
			test_rollback, place_make, place_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
