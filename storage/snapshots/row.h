/*
 * Converts columns of the database's rows to types of apspd. A row may be
 * damaged, or another version of apspd may have written it. If a value cannot
 * be read, the functions fail with APSP_EROW. The caller then skips the row,
 * and uses the other rows (storage/snapshots/README.md, One bad row).
 */
#ifndef APSP_STORAGE_SNAPSHOTS_ROW_H
#define APSP_STORAGE_SNAPSHOTS_ROW_H

#include <stdbool.h>

#include <sqlite3.h>

#include "daemon/base/err.h"
#include "daemon/job/job.h"
#include "daemon/job/profile.h"
#include "daemon/job/table_file.h"
#include "storage/snapshots/store_hooks.h"

/*
 * Read a rule from its text. The column `hash_column` has the rule's hash.
 * APSP_EROW: the text is not a rule, or has another hash, so the row is
 * damaged; or a column has no text. If the rule makes a choice of vertices to
 * leave out, or of totals by which weights are divided, the hash is not
 * compared, because it also depends on the choice.
 */
int apsp_row_rule(sqlite3_stmt *stmt, int column, int hash_column,
	struct apsp_profile *out, struct apsp_err *err);

/* Read the columns n_vertices, n_arcs and weights of a generation. `column` is
   the first of these columns. */
struct apsp_job_size apsp_row_job_size(sqlite3_stmt *stmt, int column);

/* Whether the column `hash_column` has the SHA-256 of the text in the column
   `column`. False if the rule makes a choice of vertices to leave out, or of
   totals by which weights are divided, because the hash of such a rule also
   depends on the choice. */
bool apsp_row_rule_has_hash(sqlite3_stmt *stmt, int column, int hash_column);

/* Read a column that holds the name of a job's state. Fails with APSP_EROW. */
int apsp_row_job_state(sqlite3_stmt *stmt, int column, enum apsp_job_state *out,
	struct apsp_err *err);

/* Read the columns error_code, error_message, error_line and error_column of a
   job; `column` is the first of these columns. If the job has no error, *out is
   unchanged. Fails with APSP_EROW. */
int apsp_row_job_error(sqlite3_stmt *stmt, int column, struct apsp_err *out,
	struct apsp_err *err);

#endif
