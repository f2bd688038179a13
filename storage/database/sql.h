/*
 * SQL statements: prepare a statement with its values, step through its rows,
 * and convert errors of SQLite to errors of apspd. Unless a comment says
 * otherwise, a call fails as apsp_sql_fail() does.
 *
 *	r = apsp_sql_run(db, "DELETE FROM jobs WHERE id = ?1",
 *		APSP_BIND(apsp_bind_int(id)), err);
 */
#ifndef APSP_STORAGE_DATABASE_SQL_H
#define APSP_STORAGE_DATABASE_SQL_H

#include <stddef.h>
#include <stdint.h>

#include <sqlite3.h>

#include "daemon/base/err.h"

enum apsp_bind_kind {
	APSP_BIND_END,
	APSP_BIND_NULL,
	APSP_BIND_INT,
	APSP_BIND_REAL,
	APSP_BIND_TEXT,
	APSP_BIND_BLOB,
};

/* The value of one parameter; texts and blobs are borrowed. */
struct apsp_bind {
	enum apsp_bind_kind kind;
	int64_t integer;
	double real;
	const void *data;
	size_t size;
};

/* The values of all parameters of a statement, in order. */
#define APSP_BIND(...)                                                         \
	((const struct apsp_bind[]){__VA_ARGS__, {.kind = APSP_BIND_END}})

static inline struct apsp_bind apsp_bind_int(int64_t value)
{
	return (struct apsp_bind){.kind = APSP_BIND_INT, .integer = value};
}

static inline struct apsp_bind apsp_bind_real(double value)
{
	return (struct apsp_bind){.kind = APSP_BIND_REAL, .real = value};
}

/* Bind a row's id. The id 0 becomes SQL's NULL. */
static inline struct apsp_bind apsp_bind_id(uint64_t id)
{
	return (struct apsp_bind){.kind = id ? APSP_BIND_INT : APSP_BIND_NULL,
		.integer = (int64_t)id};
}

/* Bind a text. A NULL pointer becomes SQL's NULL. */
static inline struct apsp_bind apsp_bind_text(const char *text)
{
	return (struct apsp_bind){
		.kind = text ? APSP_BIND_TEXT : APSP_BIND_NULL, .data = text};
}

/* Bind bytes, which must outlive the statement. A NULL pointer becomes SQL's
   NULL. */
static inline struct apsp_bind apsp_bind_blob(const void *data, size_t size)
{
	return (struct apsp_bind){
		.kind = data ? APSP_BIND_BLOB : APSP_BIND_NULL,
		.data = data,
		.size = size};
}

/*
 * Prepare the statement `sql` and bind `values`, which is NULL if the statement
 * has no parameters. If *stmt is not NULL, it was prepared from the same text;
 * it is reset and bound again. The caller ends *stmt with apsp_sql_done(), also
 * after a failure.
 */
int apsp_sql_prepare(sqlite3 *db, const char *sql,
	const struct apsp_bind *values, sqlite3_stmt **stmt,
	struct apsp_err *err);
void apsp_sql_done(sqlite3_stmt **stmt);

/* Move to the next row. Returns 1 if there is a next row, 0 after the last row,
   or a negative error code. */
int apsp_sql_step(sqlite3_stmt *stmt, struct apsp_err *err);

/* Prepare a statement, as apsp_sql_prepare() does, and move to its first row.
   Returns the same values as apsp_sql_step(). */
int apsp_sql_first(sqlite3 *db, const char *sql, const struct apsp_bind *values,
	sqlite3_stmt **stmt, struct apsp_err *err);

/* Prepare a statement and run it to its end; its rows are ignored. */
int apsp_sql_run(sqlite3 *db, const char *sql, const struct apsp_bind *values,
	struct apsp_err *err);

/*
 * Run a query and store the first column of its first row in *out. Returns 1,
 * or 0 if the query has no row; then *out is unchanged.
 */
int apsp_sql_int(sqlite3 *db, const char *sql, const struct apsp_bind *values,
	int64_t *out, struct apsp_err *err);

/* Run several statements, which have no parameters, in order. */
int apsp_sql_script(sqlite3 *db, const char *sql, struct apsp_err *err);

/*
 * Copy the text of a column of the present row to `out`, which has `size`
 * bytes. SQL's NULL becomes "". APSP_EROW: the text is longer than `out`, or
 * has a NUL inside.
 */
__attribute__((warn_unused_result)) int apsp_sql_text(sqlite3_stmt *stmt,
	int column, char *out, size_t size, struct apsp_err *err);

/* Copy the text of a column to out->message, cut to the size of that array. */
void apsp_sql_message(sqlite3_stmt *stmt, int column, struct apsp_err *out);

/*
 * Fail with the last error of the connection `db`: APSP_ESTATEFULL (disk full),
 * APSP_ENOMEM, APSP_EBUSY (no descriptors), APSP_EUNUSABLE (the file is
 * damaged) or APSP_EDB.
 */
int apsp_sql_fail(sqlite3 *db, struct apsp_err *err);

/* Fail with APSP_ESTATEFULL: the database's disk is full. */
int apsp_sql_full(struct apsp_err *err);

/* Fail with APSP_EUNUSABLE: the file of the connection `db` is damaged. */
int apsp_sql_damaged(sqlite3 *db, const char *what, struct apsp_err *err);

#endif
