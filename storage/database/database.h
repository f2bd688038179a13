/*
 * Opens apspd.sqlite. One connection writes and checkpoints; all other
 * connections only read (storage/database/README.md, One connection writes).
 */
#ifndef APSP_STORAGE_DATABASE_DATABASE_H
#define APSP_STORAGE_DATABASE_DATABASE_H

#include <stdbool.h>
#include <stdint.h>

#include <sqlite3.h>

#include "daemon/base/err.h"

/* The application id in a database's header: "apsp" in ASCII.
   APSP_APPLICATION_AT is the offset of the id in the file. */
#define APSP_APPLICATION_ID 0x61707370
#define APSP_APPLICATION_AT 68

/* The texts of migrations/NNN_*.sql in order; element i brings the database
   to user_version i + 1. */
extern const char *const apsp_migrations[];
extern const int apsp_n_migrations;

/*
 * Open the only connection that writes. The file is made or migrated if needed.
 * On success the caller ends *out with apsp_database_close(). APSP_EUNUSABLE:
 * the file is not a database of apspd, is damaged or cannot be written.
 * APSP_ENEWER: the file has a newer format than this version of apspd knows.
 * After APSP_EUNUSABLE or APSP_ENEWER, the file was not changed, and the
 * message is a whole sentence for the user. APSP_EDB, APSP_EIO,
 * APSP_ESTATEFULL, APSP_ENOMEM.
 */
int apsp_database_open(const char *path, sqlite3 **out, struct apsp_err *err);

/*
 * Open a connection that reads and never checkpoints. The caller ends *out with
 * apsp_database_close(). APSP_EDB, APSP_ENOMEM.
 */
int apsp_database_open_reader(
	const char *path, sqlite3 **out, struct apsp_err *err);

struct apsp_database_look {
	bool has_log;	 /* a write-ahead log exists; the log may have newer
			    pages than the file */
	int64_t version; /* the user_version; 0: there is no database */
	int64_t graphs;	 /* number of graphs; -1: unknown, because there is no
			    database, or its log cannot be read now */
};

/*
 * Report what apsp_database_open() would find at `path`. The log is read as
 * apsp_database_open() reads it, and the small tables are checked. Nothing is
 * changed, and no file is made. The caller ensures that no other process uses
 * the database. Fails as apsp_database_open() does.
 */
int apsp_database_look(
	const char *path, struct apsp_database_look *out, struct apsp_err *err);

/*
 * Start writing the log's pages to the disk, so that the next durable commit
 * waits for fewer writes. When a process closes a descriptor of a file, it
 * loses its POSIX locks on this file. This does no harm here, because SQLite
 * locks other files, not the log. Errors are ignored, because the commit will
 * find them.
 */
void apsp_database_log_write_back(const char *path);

void apsp_database_close(sqlite3 **db); /* accepts NULL in *db */

/* Undo the open transaction. If SQLite has undone it already, do nothing. */
void apsp_database_rollback(sqlite3 *db);

#endif
