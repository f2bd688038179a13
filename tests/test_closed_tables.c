/*
 * Table files that are there and cannot be opened: they stay, questions for
 * them are told why, everything else is served, and they are served again once
 * they can be opened. And files of deleted tables under a reader that does not
 * end.
 *
 * Every open() of this program fails as the test says for table files. That
 * takes no rights, and root may read whatever its mode is.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "daemon/base/checksum.h"
#include "storage/snapshots/store_core.h"
#include "storage/tables/tables.h"
#include "tests/patience.h"
#include "tests/store_fixture.h"

static atomic_int opening_error; /* 0: table files can be opened */
static atomic_uint n_refused;	 /* calls that failed */
static char closed_name[32];	 /* of the file that cannot be opened */
static atomic_bool sync_opens;	 /* all the same, to be synced */

static int open_as_told(
	const char *symbol, const char *path, int flags, mode_t mode)
{
	int (*real)(const char *, int, ...);
	const char *slash = strrchr(path, '/');
	int error = atomic_load(&opening_error);

	*(void **)&real = dlsym(RTLD_NEXT, symbol);
	/* tables that are to answer are opened as what may be a terminal */
	if (error && slash && strcmp(slash + 1, closed_name) == 0 &&
		(flags & O_NOCTTY || !atomic_load(&sync_opens))) {
		atomic_fetch_add(&n_refused, 1);
		errno = error;
		return -1;
	}
	return real(path, flags, mode);
}

static mode_t mode_of(int flags, va_list args)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

int open64(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	return open_as_told("open64", path, flags, mode);
}

static void table_path(struct fixture *f, uint64_t id, char out[320])
{
	snprintf(out, 320, "%s/tables/%llu.apsp", f->cache_dir,
		(unsigned long long)id);
}

static int64_t jobs_count(struct fixture *f)
{
	struct apsp_job_record records[32];
	int n = apsp_jobs_list(
		f->store, &(struct apsp_job_filter){0}, records, 32, NULL);

	for (int i = 0; i < n; i++)
		apsp_job_record_done(&records[i]);
	return n;
}

static uint64_t n_damaged(const struct fixture *f)
{
	return atomic_load(
		&apsp_store_parts(f->store)->tables->scrub.n_damaged);
}

/* n tables are served, and their files have bytes if there are any. */
static void served_are(const struct fixture *f, uint64_t n)
{
	const struct apsp_open_tables *tables =
		apsp_store_parts(f->store)->tables;

	assert_int_equal(atomic_load(&tables->n_served), n);
	assert_int_equal(atomic_load(&tables->served_bytes) > 0, n > 0);
}

/* The sentence about the one thing in trouble. */
static void trouble_tells(struct fixture *f, const char *words)
{
	struct apsp_err trouble;

	assert_int_equal(
		apsp_snapshot_map_troubles(
			apsp_store_parts(f->store)->graphs, &trouble, 1),
		1);
	if (!strstr(trouble.message, words))
		fail_msg("%s", trouble.message);
}

static void question_tells(struct fixture *f, const char *words)
{
	const struct apsp_graph_snapshot *view = NULL;
	const struct apsp_generation *generation;
	const struct apsp_profile_snapshot *shown;
	struct apsp_err err = {0};
	uint64_t job = 77;

	assert_int_equal(
		apsp_snapshot_map_find(
			apsp_store_parts(f->store)->graphs, "g", &view, NULL),
		0);
	assert_int_equal(apsp_graph_snapshot_tables(view, "default",
				 &generation, &shown, &job, &err),
		APSP_ENOTREADY);
	apsp_graph_snapshot_unref(view);
	if (!strstr(err.message, words))
		fail_msg("%s", err.message);
	assert_int_equal(job, 77);
}

/* Wait until the graph's tables are served. */
static void returns(struct fixture *f)
{
	uint64_t found = 0;

	for (unsigned int turns = 0;
		fixture_read(f, "g", "default", &found) < 0 &&
		patience_lasts(&turns);)
		;
	assert_int_equal(fixture_read(f, "g", "default", &found), 0);
	assert_int_equal(found, 10);
	assert_int_equal(apsp_snapshot_map_troubles(
				 apsp_store_parts(f->store)->graphs, NULL, 0),
		0);
	assert_int_equal(jobs_count(f), 2);
}

static void test_errors(void **state)
{
	static const int errors[] = {
		EACCES, EPERM, EMFILE, ENFILE, EIO, ELOOP, ENOMEM, ESTALE};
	struct fixture *f = *state;
	uint64_t id = fixture_put(f, "g", 10, "none");
	struct stat before, after;
	char path[320];
	uint64_t found;

	fixture_put(f, "h", 11, "none");
	assert_int_equal(fixture_work_all(f), 2);
	table_path(f, id, path);
	snprintf(closed_name, sizeof(closed_name), "%llu.apsp",
		(unsigned long long)id);
	assert_int_equal(stat(path, &before), 0);
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		const char *words = errors[i] == ELOOP ? "symbolic link"
						       : strerror(errors[i]);

		atomic_store(&opening_error, errors[i]);
		fixture_reopen(f);
		question_tells(f, words);
		trouble_tells(f, words);
		assert_int_equal(fixture_read(f, "h", "default", &found), 0);
		/* the upload is there, and so are its tables */
		assert_int_equal(fixture_put(f, "g", 10, "none"), 0);
		assert_int_equal(jobs_count(f), 2);
		assert_int_equal(stat(path, &after), 0);
		assert_int_equal(after.st_ino, before.st_ino);
		atomic_store(&opening_error, 0);
		returns(f);
	}
}

/* Nobody has to ask or write for them to be tried again. */
static void test_by_itself(void **state)
{
	struct fixture *f = *state;
	uint64_t id = fixture_put(f, "g", 10, "none");
	uint64_t found = 0;

	assert_int_equal(fixture_work_all(f), 1);
	snprintf(closed_name, sizeof(closed_name), "%llu.apsp",
		(unsigned long long)id);
	atomic_store(&opening_error, EACCES);
	served_are(f, 1);
	fixture_reopen(f);
	served_are(f, 0);
	/* until the writer has tried at least once, and is idle again */
	for (unsigned int n = atomic_load(&n_refused), turns = 0;
		atomic_load(&n_refused) < n + 2 && patience_lasts(&turns);)
		;
	atomic_store(&opening_error, 0);
	for (unsigned int turns = 0;
		fixture_read(f, "g", "default", &found) < 0 &&
		patience_lasts(&turns);)
		;
	assert_int_equal(fixture_read(f, "g", "default", &found), 0);
	served_are(f, 1);
}

/* While they wait, the tables are found to be lost: computed again. */
static void test_lost_later(void **state)
{
	struct fixture *f = *state;
	uint64_t id = fixture_put(f, "g", 10, "none");
	struct apsp_job_spec job;
	char path[320];
	uint64_t found;
	int r = 0;

	assert_int_equal(fixture_work_all(f), 1);
	table_path(f, id, path);
	snprintf(closed_name, sizeof(closed_name), "%llu.apsp",
		(unsigned long long)id);
	atomic_store(&opening_error, EMFILE);
	fixture_reopen(f);
	question_tells(f, strerror(EMFILE));
	assert_int_equal(unlink(path), 0);
	atomic_store(&opening_error, 0);
	for (unsigned int turns = 0; r == 0 && patience_lasts(&turns);)
		r = apsp_job_claim(f->store, &job, NULL);
	assert_int_equal(r, 1);
	assert_int_equal(fixture_work(f, &job, NULL), 0);
	assert_int_equal(fixture_read(f, "g", "default", &found), 0);
	assert_int_equal(apsp_snapshot_map_troubles(
				 apsp_store_parts(f->store)->graphs, NULL, 0),
		0);
	assert_int_equal(n_damaged(f), 1);
}

/* Give a table file another version, and seal it as the apspd of that version
   would. */
static void version_set(const char *path, uint32_t version)
{
	APSP_AUTO(apsp_close) int fd = open(path, O_RDWR | O_CLOEXEC);
	struct apsp_table_header header;

	assert_true(fd >= 0);
	assert_int_equal(pread(fd, &header, sizeof(header), 0), sizeof(header));
	header.version = version;
	header.header_checksum = apsp_checksum(
		&header, offsetof(struct apsp_table_header, header_checksum));
	assert_int_equal(
		pwrite(fd, &header, sizeof(header), 0), sizeof(header));
}

/* A file of a newer apspd stays as it is; nothing is computed until that apspd
   is back, or until somebody removes the file. */
static void test_newer(void **state)
{
	static const char words[] =
		"was written by a newer apspd (format 7, this one knows 6)";
	struct fixture *f = *state;
	uint64_t id = fixture_put(f, "g", 10, "none"), found;
	struct apsp_job_spec job;
	struct stat before, after;
	char path[320];
	int r = 0;

	fixture_put(f, "h", 11, "none");
	assert_int_equal(fixture_work_all(f), 2);
	table_path(f, id, path);
	version_set(path, APSP_TABLE_VERSION + 1);
	assert_int_equal(stat(path, &before), 0);
	for (int i = 0; i < 2; i++) {
		fixture_reopen(f);
		question_tells(f, words);
		trouble_tells(f, words);
		assert_int_equal(fixture_read(f, "h", "default", &found), 0);
		assert_int_equal(fixture_put(f, "g", 10, "none"), 0);
		assert_int_equal(jobs_count(f), 2);
		assert_int_equal(n_damaged(f), 0);
		assert_int_equal(stat(path, &after), 0);
		assert_int_equal(after.st_ino, before.st_ino);
		assert_int_equal(after.st_mtim.tv_nsec, before.st_mtim.tv_nsec);
	}
	version_set(path, APSP_TABLE_VERSION);
	returns(f);
	version_set(path, APSP_TABLE_VERSION + 1);
	fixture_reopen(f);
	question_tells(f, words);
	assert_int_equal(unlink(path), 0);
	for (unsigned int turns = 0; r == 0 && patience_lasts(&turns);)
		r = apsp_job_claim(f->store, &job, NULL);
	assert_int_equal(r, 1);
	assert_int_equal(fixture_work(f, &job, NULL), 0);
	assert_int_equal(fixture_read(f, "g", "default", &found), 0);
}

static void all_undurable(const struct fixture *f)
{
	sqlite3 *db = fixture_database(f, SQLITE_OPEN_READWRITE);

	assert_int_equal(sqlite3_exec(db, "UPDATE tables SET durable = 0", NULL,
				 NULL, NULL),
		SQLITE_OK);
	sqlite3_close(db);
}

/* A bit of the distances, which no look at the header shows. */
static void distance_damage(const char *path)
{
	struct apsp_table_header header;
	int fd = open(path, O_RDWR);
	off_t at;
	char byte;

	assert_true(fd >= 0);
	assert_true(read(fd, &header, sizeof(header)) == sizeof(header));
	at = (off_t)header.sections[APSP_SECTION_DISTANCE].offset;
	assert_int_equal(pread(fd, &byte, 1, at), 1);
	byte ^= 1;
	assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	close(fd);
}

static int64_t is_durable(const struct fixture *f, uint64_t id)
{
	char sql[80];

	snprintf(sql, sizeof(sql),
		"SELECT count(*) FROM tables WHERE durable AND id = %d",
		(int)id);
	return fixture_number(f, sql);
}

/*
 * A daemon was killed before its tables were durable, and the next one cannot
 * open some: they are neither recorded as durable nor served before all of
 * them was checked, as the start would have done.
 */
static void undurable_close(struct fixture *f, bool damaged)
{
	uint64_t id = fixture_put(f, "g", 10, "none");
	uint64_t other = fixture_put(f, "h", 11, "none");
	char path[320];

	assert_int_equal(fixture_work_all(f), 2);
	apsp_store_close(f->store);
	f->store = NULL;
	all_undurable(f);
	table_path(f, id, path);
	if (damaged)
		distance_damage(path);
	snprintf(closed_name, sizeof(closed_name), "%llu.apsp",
		(unsigned long long)id);
	atomic_store(&sync_opens, true);
	atomic_store(&opening_error, EMFILE);
	fixture_open(f);
	question_tells(f, strerror(EMFILE));
	/* synced one after the other, by id: this one would have come first */
	for (unsigned int turns = 0;
		!is_durable(f, other) && patience_lasts(&turns);)
		;
	assert_int_equal(is_durable(f, other), 1);
	assert_int_equal(is_durable(f, id), 0);
	atomic_store(&opening_error, 0);
	atomic_store(&sync_opens, false);
}

static void test_undurable(void **state)
{
	struct fixture *f = *state;

	undurable_close(f, false);
	returns(f);
	for (unsigned int turns = 0;
		!is_durable(f, 1) && patience_lasts(&turns);)
		;
	assert_int_equal(is_durable(f, 1), 1);
}

static void test_undurable_lost(void **state)
{
	struct fixture *f = *state;
	uint64_t found;
	int n = 0;

	undurable_close(f, true);
	for (unsigned int turns = 0; n == 0 && patience_lasts(&turns);) {
		assert_int_equal(fixture_read(f, "g", "default", &found),
			APSP_ENOTREADY);
		n = fixture_work_all(f);
	}
	assert_int_equal(n, 1);
	assert_int_equal(fixture_read(f, "g", "default", &found), 0);
	assert_int_equal(n_damaged(f), 1);
}

/* A graph whose tables cannot be opened can be deleted. */
static void test_deleted_closed(void **state)
{
	struct fixture *f = *state;
	uint64_t id = fixture_put(f, "g", 10, "none");

	assert_int_equal(fixture_work_all(f), 1);
	snprintf(closed_name, sizeof(closed_name), "%llu.apsp",
		(unsigned long long)id);
	atomic_store(&opening_error, EACCES);
	fixture_reopen(f);
	trouble_tells(f, strerror(EACCES));
	assert_int_equal(fixture_delete(f, "g"), 0);
	assert_int_equal(apsp_snapshot_map_troubles(
				 apsp_store_parts(f->store)->graphs, NULL, 0),
		0);
	assert_int_equal(fixture_n_files(f), 0);
	atomic_store(&opening_error, 0);
}

/* A reader of deleted tables has its time; then the disk is given back. */
static void test_slow_reader(void **state)
{
	struct fixture *f = *state;
	const struct apsp_graph_snapshot *view = NULL;
	const struct apsp_profile_snapshot *shown;
	uint64_t id = fixture_put(f, "g", 10, "none");
	struct apsp_cell cell;
	struct stat st;
	char path[320];
	int fd;

	assert_int_equal(fixture_work_all(f), 1);
	table_path(f, id, path);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(
		apsp_snapshot_map_find(
			apsp_store_parts(f->store)->graphs, "g", &view, NULL),
		0);
	shown = apsp_generation_profile(view->current, "default");
	assert_int_equal(fixture_delete(f, "g"), 0);
	assert_int_equal(fixture_n_files(f), 0);
	for (unsigned int turns = 0; fstat(fd, &st) == 0 && st.st_size > 0 &&
				     patience_lasts(&turns);)
		;
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, 0);
	assert_int_equal(
		ask_table_cell(shown->tables, 0, 1, &cell), APSP_EDAMAGED);
	apsp_graph_snapshot_unref(view);
	/* deleted, not damaged */
	fixture_put(f, "h", 11, "none");
	assert_int_equal(n_damaged(f), 0);
	close(fd);
}

/* Without a reader, the file's disk space is free before the deletion answers,
   and the file is never truncated. */
static void test_no_reader(void **state)
{
	struct fixture *f = *state;
	uint64_t id = fixture_put(f, "g", 10, "none");
	struct stat st;
	char path[320];
	int fd;

	assert_int_equal(fixture_work_all(f), 1);
	table_path(f, id, path);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(fixture_delete(f, "g"), 0);
	assert_int_equal(f->store->open_tables.n_dropped, 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_nlink, 0);
	assert_true(st.st_size > 0);
	close(fd);
}

static atomic_uint n_troubles;

static void trouble_count(void *ctx, const char *sentence)
{
	(void)ctx;
	if (strstr(sentence, "cannot be removed yet"))
		atomic_fetch_add(&n_troubles, 1);
}

/* If damage cannot be recorded, the log says so, even if the file could not be
   opened at first. The damage is recorded as soon as it can be. */
static void test_damage_recorded_later(void **state)
{
	struct fixture *fixture = *state;
	uint64_t id = fixture_put(fixture, "g", 10, "none");
	struct apsp_store *store;
	char aside[300];

	fixture_put(fixture, "h", 11, "none");
	assert_int_equal(fixture_work_all(fixture), 2);
	snprintf(closed_name, sizeof(closed_name), "%llu.apsp",
		(unsigned long long)id);
	atomic_store(&opening_error, EACCES);
	fixture_reopen(fixture);
	atomic_store(&opening_error, 0);
	returns(fixture);
	snprintf(aside, sizeof(aside), "%s/aside", fixture->dir);
	store = fixture->store;
	store->hooks.trouble = trouble_count;
	assert_int_equal(rename(store->database_file.path, aside), 0);
	apsp_tables_condemn(
		apsp_open_tables_get(&store->open_tables, id)->tables,
		"by the test", NULL);
	for (int i = 0; i < 500 && atomic_load(&n_troubles) == 0; i++)
		usleep(10000);
	assert_int_equal(atomic_load(&n_troubles), 1);
	assert_int_equal(
		atomic_load(&apsp_store_parts(store)->tables->scrub.n_damaged),
		0);
	assert_int_equal(rename(aside, store->database_file.path), 0);
	for (int i = 0;
		i < 500 &&
		atomic_load(
			&apsp_store_parts(store)->tables->scrub.n_damaged) == 0;
		i++)
		usleep(10000);
	assert_int_equal(
		atomic_load(&apsp_store_parts(store)->tables->scrub.n_damaged),
		1);
}

/* A job that finds no descriptor waits for one; what passes fails no job. */
static void test_no_descriptors(void **state)
{
	struct fixture *f = *state;
	uint64_t id = fixture_put(f, "g", 10, "none"), found;
	const char *const names[] = {"apspd.sqlite", "apspd.sqlite-wal", NULL};
	struct apsp_job_spec job;
	struct apsp_err err;

	for (size_t i = 0; i < 3; i++) {
		fixture_reopen(f); /* its readers are closed */
		assert_int_equal(apsp_job_claim(f->store, &job, NULL), 1);
		assert_int_equal(job.id, id);
		if (names[i])
			snprintf(closed_name, sizeof(closed_name), "%s",
				names[i]);
		else
			snprintf(closed_name, sizeof(closed_name), "%llu.apsp",
				(unsigned long long)id);
		atomic_store(&n_refused, 0);
		atomic_store(&opening_error, EMFILE);
		assert_int_equal(fixture_work(f, &job, &err), APSP_EBUSY);
		assert_true(atomic_load(&n_refused) > 0);
		atomic_store(&opening_error, 0);
		apsp_job_tries_put_back(f->store, &job);
		assert_int_equal(fixture_n_files(f), 0);
	}
	assert_int_equal(fixture_work_all(f), 1);
	assert_int_equal(fixture_read(f, "g", "default", &found), 0);
	assert_int_equal(jobs_count(f), 1);
}

int main(void)
{
#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		/* first: before each test cmocka takes SIGBUS from its owner */
		TEST(test_slow_reader),
		TEST(test_errors),
		TEST(test_by_itself),
		TEST(test_lost_later),
		TEST(test_newer),
		TEST(test_undurable),
		TEST(test_undurable_lost),
		TEST(test_deleted_closed),
		TEST(test_no_reader),
		TEST(test_damage_recorded_later),
		TEST(test_no_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
