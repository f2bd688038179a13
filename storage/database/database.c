/*
 * Connections, pragmas and migrations; see database.h. Before SQLite opens a
 * file, we read the file's header ourselves (sqlite.org/fileformat2.html,
 * section 1.3).
 */
#include "storage/database/database.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/base/auto.h"
#include "daemon/base/hex.h"
#include "storage/database/sql.h"

enum {
	/* milliseconds to wait while another connection closes, or recovers the
	   write-ahead log */
	BUSY_MS = 5000,
	LOG_PAGES = 8192, /* pages of 4 KiB; a write-ahead log with more pages
			     is copied into the database */
	HEADER_SIZE = 100,
	AT_PAGE_SIZE = 16,
	AT_FORMAT = 18, /* offset of the file format's version; in version 1, a
			   database has no write-ahead log */
	AT_CHANGES = 24,
	AT_PAGES = 28,
	AT_VERSION = 60,
	/* the number of pages, at offset AT_PAGES, is valid only if the numbers
	   at offsets AT_VALID_FOR and AT_CHANGES are equal */
	AT_VALID_FOR = 92,
	/* size in bytes of a journal's header (sqlite.org/fileformat2.html,
	   section 3); the number at AT_JOURNAL_PAGES is the number of pages in
	   the journal */
	JOURNAL_SIZE = 28,
	AT_JOURNAL_PAGES = 16,
};

/* Facts about a database's file. */
struct header {
	bool is_new;	 /* the file is absent or empty */
	bool has_log;	 /* a write-ahead log (PATH-wal) exists */
	int64_t version; /* the user_version, read from the log if a log exists,
			    else from the file */
};

void apsp_database_close(sqlite3 **db)
{
	sqlite3_close(*db);
	*db = NULL;
}

static int connection_open(
	const char *path, int flags, sqlite3 **out, struct apsp_err *err)
{
	APSP_AUTO(apsp_database_close) sqlite3 *db = NULL;
	int r;

	r = sqlite3_open_v2(path, &db, flags | SQLITE_OPEN_NOMUTEX, NULL);
	if (!db)
		return apsp_fail(
			err, APSP_ENOMEM, "no memory to open '%s'", path);
	if (r != SQLITE_OK && apsp_sql_fail(db, err) == APSP_EBUSY)
		return APSP_EBUSY;
	if (r != SQLITE_OK)
		return apsp_fail(err, APSP_EDB, "cannot open '%s': %s", path,
			sqlite3_errmsg(db));
	sqlite3_busy_timeout(db, BUSY_MS);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	*out = APSP_TAKE(db);
	return 0;
}

static int foreign_refuse(const char *path, struct apsp_err *err)
{
	return apsp_fail(err, APSP_EUNUSABLE,
		"'%s' is a database of another program; move it away or choose "
		"another --state-dir",
		path);
}

static int newer_refuse(const char *path, int64_t version, struct apsp_err *err)
{
	return apsp_fail(err, APSP_ENEWER,
		"'%s' was written by a newer apspd (format %lld, this one "
		"knows %d); install that version again",
		path, (long long)version, apsp_n_migrations);
}

/* Check that apspd made the database, and that its format is not too new. Store
   its user_version in *out_version; 0: the file is empty. */
static int owner_check(sqlite3 *db, const char *path, int64_t *out_version,
	struct apsp_err *err)
{
	int64_t application = 0, objects = 0;
	int r;

	r = apsp_sql_int(db, "PRAGMA application_id", NULL, &application, err);
	if (r >= 0)
		r = apsp_sql_int(db, "SELECT count(*) FROM sqlite_schema", NULL,
			&objects, err);
	if (r >= 0)
		r = apsp_sql_int(
			db, "PRAGMA user_version", NULL, out_version, err);
	if (r < 0)
		return r;
	if (application != APSP_APPLICATION_ID &&
		(application || objects || *out_version))
		return foreign_refuse(path, err);
	if (*out_version > apsp_n_migrations)
		return newer_refuse(path, *out_version, err);
	return 0;
}

static int migration_run(sqlite3 *db, int number, struct apsp_err *err)
{
	char pragmas[96];
	int r;

	r = apsp_sql_script(db, "BEGIN IMMEDIATE", err);
	if (r < 0)
		return r;
	snprintf(pragmas, sizeof(pragmas),
		"PRAGMA application_id = %d; PRAGMA user_version = %d",
		APSP_APPLICATION_ID, number);
	r = apsp_sql_script(db, apsp_migrations[number - 1], err);
	if (r == 0)
		r = apsp_sql_script(db, pragmas, err);
	if (r == 0)
		r = apsp_sql_script(db, "COMMIT", err);
	if (r < 0)
		apsp_database_rollback(db);
	return r;
}

/* Read a 32-bit number from a file of SQLite. SQLite writes numbers in
   big-endian order. */
static uint32_t number(const unsigned char *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
	       (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Open the file whose name is `path` followed by `ending`. Returns its
   descriptor, or -1. */
static int beside_open(const char *path, const char *ending)
{
	APSP_AUTO(apsp_free) char *name = NULL;

	if (asprintf(&name, "%s%s", path, ending) < 0) {
		name = NULL;
		errno = ENOMEM;
		return -1;
	}
	return open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

/* Whether the database at `path` has a rollback journal (PATH-journal) with
   pages to restore. The journal of an empty database file comes from another
   program: apspd leaves no empty file at `path`, because it makes its database
   under a temporary name (database_make()). */
static bool has_journal(const char *path)
{
	static const unsigned char magic[8] = {
		0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
	APSP_AUTO(apsp_close) int fd = -1;
	unsigned char header[JOURNAL_SIZE];

	fd = beside_open(path, "-journal");
	return fd >= 0 &&
	       pread(fd, header, sizeof(header), 0) ==
		       (ssize_t)sizeof(header) &&
	       memcmp(header, magic, sizeof(magic)) == 0 &&
	       number(header + AT_JOURNAL_PAGES) > 0;
}

/* Find out whether the database at `path` has a write-ahead log (PATH-wal). */
static int log_find(const char *path, bool *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_close) int fd = -1;
	struct stat st;

	fd = beside_open(path, "-wal");
	if (fd < 0 && errno == ENOENT) {
		*out = false;
		return 0;
	}
	if (fd < 0 || fstat(fd, &st) < 0)
		return apsp_fail_errno(
			err, errno, "cannot open '%s-wal'", path);
	*out = st.st_size > 0;
	return 0;
}

/* Check that a file without a log is as long as its header says. */
static int length_check(const char *path, const unsigned char *header,
	uint64_t size, struct apsp_err *err)
{
	uint32_t page =
		(uint32_t)header[AT_PAGE_SIZE] << 8 | header[AT_PAGE_SIZE + 1];
	uint64_t due = (uint64_t)number(header + AT_PAGES) *
		       (page == 1 ? 65536 : page);

	if (number(header + AT_CHANGES) != number(header + AT_VALID_FOR) ||
		size >= due)
		return 0;
	return apsp_fail(err, APSP_EUNUSABLE,
		"'%s' is cut short (%llu of %llu bytes): put a copy in its "
		"place, or move it away to begin anew",
		path, (unsigned long long)size, (unsigned long long)due);
}

static int file_open(
	const char *path, int *out_fd, uint64_t *out_size, struct apsp_err *err)
{
	APSP_AUTO(apsp_close) int fd = -1;
	struct stat st;

	*out_size = 0;
	fd = open(path,
		O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return 0;
	if ((fd < 0 && errno == ELOOP) ||
		(fd >= 0 && fstat(fd, &st) == 0 && !S_ISREG(st.st_mode)))
		return apsp_fail(err, APSP_EUNUSABLE,
			"'%s' is not a plain file; move it away or choose "
			"another --state-dir",
			path);
	if (fd < 0 || fstat(fd, &st) < 0)
		return apsp_fail_errno(err, errno, "cannot open '%s'", path);
	*out_size = (uint64_t)st.st_size;
	*out_fd = APSP_TAKE_FD(fd);
	return 0;
}

/*
 * Read the file's header, and refuse a file that is no database or belongs to
 * another program. SQLite must not open such a file, because SQLite would
 * restore pages from a journal, or make files beside the database.
 */
static int header_read(
	const char *path, struct header *out, struct apsp_err *err)
{
	static const char magic[16] = "SQLite format 3";
	APSP_AUTO(apsp_close) int fd = -1;
	unsigned char header[HEADER_SIZE];
	uint64_t size;
	int r = file_open(path, &fd, &size, err);

	if (r < 0)
		return r;
	*out = (struct header){.is_new = size == 0};
	if (size == 0)
		/* the journal beside an empty file may be all that is left of
		   another program's database, and SQLite would delete the
		   journal */
		return has_journal(path) ? foreign_refuse(path, err) : 0;
	if (pread(fd, header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
		memcmp(header, magic, sizeof(magic)) != 0)
		return apsp_fail(err, APSP_EUNUSABLE,
			"'%s' is not a database of apspd; move it away or "
			"choose another --state-dir",
			path);
	if (number(header + APSP_APPLICATION_AT) != APSP_APPLICATION_ID)
		return foreign_refuse(path, err);
	out->version = (int32_t)number(header + AT_VERSION);
	r = log_find(path, &out->has_log, err);
	/* A file of format 1 was made by VACUUM INTO and has no log of its own.
	   So the log beside this file belongs to an earlier file of the same
	   name. Refuse the file, because SQLite would write pages of that log
	   into it. */
	if (r == 0 && out->has_log && header[AT_FORMAT] == 1)
		return apsp_fail(err, APSP_EUNUSABLE,
			"'%s' is a copy, and the log '%s-wal' is of the "
			"database that lay here before: remove "
			"apspd.sqlite-wal and apspd.sqlite-shm, and start "
			"apspd again",
			path, path);
	if (r == 0 && !out->has_log)
		r = length_check(path, header, size, err);
	return r;
}

/*
 * Count the graphs, and check the small tables. The tables with the contents of
 * graphs may have gigabytes, so they are not checked.
 */
static int content_check(sqlite3 *db, int64_t *out_graphs, struct apsp_err *err)
{
	static const char *const tables[] = {
		"generations", "profiles", "jobs", "tables"};
	char sql[64];
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(tables) / sizeof(*tables);
		i++) {
		APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;

		snprintf(sql, sizeof(sql), "PRAGMA quick_check(%s)", tables[i]);
		r = apsp_sql_first(db, sql, NULL, &stmt, err);
		if (r > 0 && strcmp((const char *)sqlite3_column_text(stmt, 0),
				     "ok") != 0)
			return apsp_sql_damaged(db,
				(const char *)sqlite3_column_text(stmt, 0),
				err);
		r = r < 0 ? r : 0;
	}
	if (r == 0)
		r = apsp_sql_int(db,
			"SELECT count(DISTINCT graph) FROM generations", NULL,
			out_graphs, err);
	return r < 0 ? r : 0;
}

/*
 * Read the user_version from the write-ahead log, which may be newer than the
 * database's file. The connection uses SQLite's exclusive locking mode, so it
 * makes no file beside the database. It changes nothing. If another process has
 * the database open, *out is unchanged. If out_graphs is not NULL, also call
 * content_check().
 */
static int log_read(const char *path, int64_t *out, int64_t *out_graphs,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_database_close) sqlite3 *db = NULL;
	int r = connection_open(path, SQLITE_OPEN_READWRITE, &db, err);

	if (r < 0 || sqlite3_db_readonly(db, "main") == 1)
		return r;
	sqlite3_busy_timeout(db, 0);
	sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	r = apsp_sql_script(db, "PRAGMA locking_mode = EXCLUSIVE", err);
	if (r == 0)
		r = owner_check(db, path, out, err);
	if (r == 0 && out_graphs && *out > 0 && *out <= apsp_n_migrations)
		r = content_check(db, out_graphs, err);
	if (r < 0 && sqlite3_errcode(db) == SQLITE_BUSY)
		return 0;
	return r;
}

/* Read the file's header, and refuse a file of another program or a newer
   format. */
static int header_judge(const char *path, struct header *out,
	int64_t *out_graphs, struct apsp_err *err)
{
	int r = header_read(path, out, err);

	if (r == 0 && out->has_log)
		r = log_read(path, &out->version, out_graphs, err);
	if (r == 0 && out->version > apsp_n_migrations)
		r = newer_refuse(path, out->version, err);
	return r;
}

/*
 * Make an empty database. The file gets its name only when its first page,
 * which has our application id, is on the disk.
 */
static int database_make(const char *path, struct apsp_err *err)
{
	static const char *const stale[] = {
		"-new-journal", "-wal", "-shm", "-new"};
	APSP_AUTO(apsp_database_close) sqlite3 *db = NULL;
	APSP_AUTO(apsp_free) char *name = NULL;
	char sql[96];
	int r;

	/* remove files that a failed start has left, and the log of a database
	   that was removed. The last name in `stale` is the temporary name of a
	   new database */
	for (size_t i = 0; i < sizeof(stale) / sizeof(*stale); i++) {
		free(name);
		if (asprintf(&name, "%s%s", path, stale[i]) < 0) {
			name = NULL;
			return apsp_fail(err, APSP_ENOMEM,
				"no memory to open '%s'", path);
		}
		unlink(name);
	}
	r = connection_open(
		name, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &db, err);
	if (r < 0)
		return r;
	/* set auto_vacuum now, because it has an effect only before the file's
	   first page is written */
	snprintf(sql, sizeof(sql),
		"PRAGMA auto_vacuum = INCREMENTAL; PRAGMA application_id = %d",
		APSP_APPLICATION_ID);
	r = apsp_sql_script(db, sql, err);
	apsp_database_close(&db);
	if (r == 0 && rename(name, path) < 0)
		r = apsp_fail_errno(err, errno, "cannot make '%s'", path);
	return r;
}

int apsp_database_open(const char *path, sqlite3 **out, struct apsp_err *err)
{
	APSP_AUTO(apsp_database_close) sqlite3 *db = NULL;
	struct header header;
	int64_t version = 0;
	int r;

	r = header_judge(path, &header, NULL, err);
	if (r == 0 && header.is_new)
		r = database_make(path, err);
	if (r == 0)
		r = connection_open(path, SQLITE_OPEN_READWRITE, &db, err);
	if (r < 0)
		return r;
	if (sqlite3_db_readonly(db, "main") == 1)
		return apsp_fail(err, APSP_EUNUSABLE,
			"'%s' cannot be written; let the user that apspd runs "
			"as write to it",
			path);
	/* if the file is refused below, closing the database must not copy the
	   log into the file */
	sqlite3_db_config(
		db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, header.has_log, NULL);
	r = owner_check(db, path, &version, err);
	if (r < 0)
		return r;
	sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
	sqlite3_wal_autocheckpoint(db, LOG_PAGES);
	r = apsp_sql_script(db,
		"PRAGMA journal_mode = WAL;"
		"PRAGMA synchronous = FULL;"
		"PRAGMA secure_delete = OFF;"
		"PRAGMA foreign_keys = ON;"
		"PRAGMA journal_size_limit = 67108864;",
		err);
	for (int i = (int)version + 1; r == 0 && i <= apsp_n_migrations; i++)
		r = migration_run(db, i, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(db);
	return 0;
}

int apsp_database_open_reader(
	const char *path, sqlite3 **out, struct apsp_err *err)
{
	APSP_AUTO(apsp_database_close) sqlite3 *db = NULL;
	int r;

	r = connection_open(path, SQLITE_OPEN_READONLY, &db, err);
	if (r < 0)
		return r;
	sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	r = apsp_sql_script(db,
		"PRAGMA query_only = ON;"
		"PRAGMA wal_autocheckpoint = 0;",
		err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(db);
	return 0;
}

/* Return "file:PATH?immutable=1", the name of the file for SQLite. With this
   name, SQLite uses no lock, and makes no other files. NULL: no memory. */
static char *immutable_uri(const char *path)
{
	static const char tail[] = "?immutable=1";
	char *uri = malloc(strlen("file:") + 3 * strlen(path) + sizeof(tail));
	char *to = uri;

	if (!uri)
		return NULL;
	to = stpcpy(to, "file:");
	for (const unsigned char *c = (const unsigned char *)path; *c; c++) {
		if (isalnum(*c) || strchr("/._-", *c)) {
			*to++ = (char)*c;
			continue;
		}
		*to++ = '%';
		apsp_hex_write(c, 1, to);
		to += 2;
	}
	strcpy(to, tail);
	return uri;
}

int apsp_database_look(
	const char *path, struct apsp_database_look *out, struct apsp_err *err)
{
	struct apsp_database_look look = {.graphs = -1};
	APSP_AUTO(apsp_database_close) sqlite3 *db = NULL;
	APSP_AUTO(apsp_free) char *uri = NULL;
	struct header header;
	int r = header_judge(path, &header, &look.graphs, err);

	if (r < 0)
		return r;
	look.version = header.version;
	look.has_log = header.has_log;
	if (look.version > 0 && !look.has_log) {
		uri = immutable_uri(path);
		if (!uri)
			return apsp_fail(err, APSP_ENOMEM,
				"no memory to open '%s'", path);
		r = connection_open(
			uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, &db, err);
		if (r < 0)
			return r;
		r = content_check(db, &look.graphs, err);
	}
	if (r == 0)
		*out = look;
	return r;
}

void apsp_database_log_write_back(const char *path)
{
	APSP_AUTO(apsp_close) int fd = -1;

	fd = beside_open(path, "-wal");
	if (fd >= 0)
		(void)sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
}

void apsp_database_rollback(sqlite3 *db)
{
	if (!sqlite3_get_autocommit(db))
		sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
}
