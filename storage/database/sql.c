/*
 * SQL statements; see sql.h.
 */
#include "storage/database/sql.h"

#include <errno.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "daemon/base/fixed_text.h"
#include "daemon/base/utf8.h"

int apsp_sql_damaged(sqlite3 *db, const char *what, struct apsp_err *err)
{
	return apsp_fail(err, APSP_EUNUSABLE,
		"'%s' is damaged (%.120s): put a copy in its place, or move it "
		"away to begin anew. Before you put a copy there, stop apspd "
		"and remove the files apspd.sqlite-wal and apspd.sqlite-shm",
		sqlite3_db_filename(db, "main"), what);
}

int apsp_sql_full(struct apsp_err *err)
{
	return apsp_fail(err, APSP_ESTATEFULL,
		"the disk that holds the database is full; make room on the "
		"disk of --state-dir");
}

int apsp_sql_fail(sqlite3 *db, struct apsp_err *err)
{
	int code = sqlite3_errcode(db);
	int error = sqlite3_system_errno(db);

	if (code == SQLITE_FULL ||
		(code == SQLITE_IOERR && (error == ENOSPC || error == EDQUOT)))
		return apsp_sql_full(err);
	if ((code == SQLITE_CANTOPEN || code == SQLITE_IOERR) &&
		(error == EMFILE || error == ENFILE))
		return apsp_fail_errno(err, error, "open the database");
	if (code == SQLITE_NOMEM)
		return apsp_fail(
			err, APSP_ENOMEM, "not enough memory for the database");
	if ((code & 0xff) == SQLITE_CORRUPT || (code & 0xff) == SQLITE_NOTADB)
		return apsp_sql_damaged(db, sqlite3_errmsg(db), err);
	return apsp_fail(err, APSP_EDB, "the database: %s", sqlite3_errmsg(db));
}

static int value_bind(sqlite3_stmt *stmt, int i, const struct apsp_bind *value)
{
	switch (value->kind) {
	case APSP_BIND_INT:
		return sqlite3_bind_int64(stmt, i, value->integer);
	case APSP_BIND_REAL:
		return sqlite3_bind_double(stmt, i, value->real);
	case APSP_BIND_TEXT:
		return sqlite3_bind_text(
			stmt, i, value->data, -1, SQLITE_TRANSIENT);
	case APSP_BIND_BLOB:
		return sqlite3_bind_blob64(
			stmt, i, value->data, value->size, SQLITE_STATIC);
	default:
		return sqlite3_bind_null(stmt, i);
	}
}

int apsp_sql_prepare(sqlite3 *db, const char *sql,
	const struct apsp_bind *values, sqlite3_stmt **stmt,
	struct apsp_err *err)
{
	if (*stmt)
		sqlite3_reset(*stmt);
	else if (sqlite3_prepare_v2(db, sql, -1, stmt, NULL) != SQLITE_OK)
		return apsp_sql_fail(db, err);
	for (int i = 0; values && values[i].kind != APSP_BIND_END; i++)
		if (value_bind(*stmt, i + 1, &values[i]) != SQLITE_OK)
			return apsp_sql_fail(db, err);
	return 0;
}

void apsp_sql_done(sqlite3_stmt **stmt)
{
	sqlite3_finalize(*stmt);
	*stmt = NULL;
}

int apsp_sql_step(sqlite3_stmt *stmt, struct apsp_err *err)
{
	switch (sqlite3_step(stmt)) {
	case SQLITE_ROW:
		return 1;
	case SQLITE_DONE:
		return 0;
	default:
		return apsp_sql_fail(sqlite3_db_handle(stmt), err);
	}
}

int apsp_sql_first(sqlite3 *db, const char *sql, const struct apsp_bind *values,
	sqlite3_stmt **stmt, struct apsp_err *err)
{
	int r = apsp_sql_prepare(db, sql, values, stmt, err);

	return r < 0 ? r : apsp_sql_step(*stmt, err);
}

int apsp_sql_run(sqlite3 *db, const char *sql, const struct apsp_bind *values,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	int r = apsp_sql_first(db, sql, values, &stmt, err);

	while (r > 0)
		r = apsp_sql_step(stmt, err);
	return r;
}

int apsp_sql_int(sqlite3 *db, const char *sql, const struct apsp_bind *values,
	int64_t *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	int r = apsp_sql_first(db, sql, values, &stmt, err);

	if (r > 0)
		*out = sqlite3_column_int64(stmt, 0);
	return r;
}

int apsp_sql_script(sqlite3 *db, const char *sql, struct apsp_err *err)
{
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		return apsp_sql_fail(db, err);
	return 0;
}

int apsp_sql_text(sqlite3_stmt *stmt, int column, char *out, size_t size,
	struct apsp_err *err)
{
	const char *text = (const char *)sqlite3_column_text(stmt, column);
	size_t length = (size_t)sqlite3_column_bytes(stmt, column);

	if (!text)
		text = "";
	if (strlen(text) == length && apsp_fixed_text_set(out, size, text))
		return 0;
	return apsp_fail(err, APSP_EROW,
		"the column '%s' of the database has a text that is too long, "
		"or that has a NUL: '%s'",
		sqlite3_column_name(stmt, column),
		apsp_excerpt_of(text, strlen(text)).text);
}

void apsp_sql_message(sqlite3_stmt *stmt, int column, struct apsp_err *out)
{
	const char *text = (const char *)sqlite3_column_text(stmt, column);

	apsp_fail(out, (enum apsp_code)out->code, "%s", text ? text : "");
}
