/*
 * Connections, pragmas and migrations; see database.h.
 */
#include "storage/database/database.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "daemon/base/hex.h"
#include "storage/database/sql.h"

enum {
	/* milliseconds to wait while another connection closes, or recovers the
	   write-ahead log */
	BUSY_MS = 5000,
	LOG_PAGES = 8192, /* pages of 4 KiB; a write-ahead log with more pages
			     is copied into the database */
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

/* Turn SQLite's error about a damaged file into a sentence for the user. */
static int damage_refuse(
	sqlite3 *db, const char *path, int r, struct apsp_err *err)
{
	int code = sqlite3_errcode(db) & 0xff;

	if (r == APSP_EUNUSABLE || r == APSP_ENEWER ||
		(code != SQLITE_CORRUPT && code != SQLITE_NOTADB))
		return r;
	return apsp_fail(err, APSP_EUNUSABLE,
		"'%s' is damaged (%s): put a copy in its place, or move it "
		"away to begin anew",
		path, sqlite3_errmsg(db));
}

/* Check that the file is ours. *out_version is its user_version; 0: the file
   is empty. */
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

/* Read the file's header, and refuse a file of another program or a newer
   format. */
static int header_judge(const char *path, struct apsp_database_header *out,
	struct apsp_err *err)
{
	int r = apsp_database_header_read(path, out, err);

	if (r < 0)
		return r;
	if (out->foreign)
		return foreign_refuse(path, err);
	if (out->version > apsp_n_migrations)
		return newer_refuse(path, out->version, err);
	return 0;
}

int apsp_database_open(const char *path, sqlite3 **out, struct apsp_err *err)
{
	APSP_AUTO(apsp_database_close) sqlite3 *db = NULL;
	struct apsp_database_header header;
	int64_t version = 0;
	int r;

	r = header_judge(path, &header, err);
	if (r < 0)
		return r;
	r = connection_open(
		path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &db, err);
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
		return damage_refuse(db, path, r, err);
	sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
	sqlite3_wal_autocheckpoint(db, LOG_PAGES);
	/* auto_vacuum has an effect only before the file's first page is
	   written */
	r = apsp_sql_script(db,
		"PRAGMA auto_vacuum = INCREMENTAL;"
		"PRAGMA journal_mode = WAL;"
		"PRAGMA synchronous = FULL;"
		"PRAGMA secure_delete = OFF;"
		"PRAGMA foreign_keys = ON;"
		"PRAGMA journal_size_limit = 67108864;",
		err);
	for (int i = (int)version + 1; r == 0 && i <= apsp_n_migrations; i++)
		r = migration_run(db, i, err);
	if (r < 0)
		return damage_refuse(db, path, r, err);
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

/* Return "file:PATH?immutable=1", a name by which SQLite opens the file without
   a lock, and without making other files beside this file. NULL: no memory. */
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
	int r = header_judge(path, &look.header, err);

	if (r == 0 && look.header.version > 0 && !look.header.has_log) {
		uri = immutable_uri(path);
		if (!uri)
			return apsp_fail(err, APSP_ENOMEM,
				"no memory to open '%s'", path);
		r = connection_open(
			uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, &db, err);
		if (r < 0)
			return r;
		r = apsp_sql_int(db,
			"SELECT count(DISTINCT graph) FROM generations", NULL,
			&look.graphs, err);
		r = r < 0 ? damage_refuse(db, path, r, err) : 0;
	}
	if (r == 0)
		*out = look;
	return r;
}

void apsp_database_rollback(sqlite3 *db)
{
	if (!sqlite3_get_autocommit(db))
		sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
}
