/*
 * The connections to apspd.sqlite: one that writes and checkpoints, and any
 * number that only read (design.md, decision 3).
 */
#ifndef APSP_STORAGE_DATABASE_H
#define APSP_STORAGE_DATABASE_H

#include <sqlite3.h>

#include "daemon/base/err.h"

/* "apsp" in ASCII, at byte 68 of the file. */
#define APSP_APPLICATION_ID 0x61707370

/* storage/migrations/NNN_*.sql in order; number i makes user_version i + 1. */
extern const char *const apsp_migrations[];
extern const int apsp_n_migrations;

/*
 * Open the one connection that writes, making and migrating the file as needed.
 * On success the caller ends *out with apsp_database_close(). APSP_EDB: the
 * file is not ours, newer than we are, or damaged. APSP_ENOSPACE, APSP_ENOMEM.
 */
int apsp_database_open(const char *path, sqlite3 **out, struct apsp_err *err);

/* Open a connection that reads and never checkpoints; closed the same way. */
int apsp_database_open_reader(
	const char *path, sqlite3 **out, struct apsp_err *err);
void apsp_database_close(sqlite3 **db); /* accepts NULL in *db */

int apsp_database_begin(sqlite3 *db, struct apsp_err *err);
int apsp_database_commit(sqlite3 *db, struct apsp_err *err);

/* Undo what was begun, also where SQLite has done so by itself. */
void apsp_database_rollback(sqlite3 *db);

/*
 * Connections that read, lent out so that no lock is held across SQL. Any
 * thread.
 */
struct apsp_readers;
int apsp_readers_new(
	const char *path, struct apsp_readers **out, struct apsp_err *err);
void apsp_readers_free(struct apsp_readers *readers); /* all are back */
int apsp_readers_take(
	struct apsp_readers *readers, sqlite3 **out, struct apsp_err *err);
void apsp_readers_give(struct apsp_readers *readers, sqlite3 *db);

#endif
