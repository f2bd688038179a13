/*
 * Converts columns of rows; see row.h.
 */
#include "storage/snapshots/row.h"

#include <string.h>

#include "daemon/job/profile_text.h"
#include "storage/database/sql.h"
#include "storage/snapshots/rule_text.h"

enum {
	WORD_SIZE = 16, /* size of a buffer for the state of a job, with the
			   NUL */
};

/* Get the text of a column; NULL if it contains a NUL. Borrowed. */
static const char *text_of(sqlite3_stmt *stmt, int column)
{
	const char *text = (const char *)sqlite3_column_text(stmt, column);
	size_t size = (size_t)sqlite3_column_bytes(stmt, column);

	return text && strlen(text) == size ? text : NULL;
}

bool apsp_row_rule_has_hash(sqlite3_stmt *stmt, int column, int hash_column)
{
	const char *text = text_of(stmt, column);
	const char *hash = text_of(stmt, hash_column);
	char found[APSP_HASH_SIZE];

	if (!text || !hash)
		return false;
	apsp_rule_text_hash(text, NULL, found);
	return strcmp(found, hash) == 0;
}

int apsp_row_rule(sqlite3_stmt *stmt, int column, int hash_column,
	struct apsp_profile *out, struct apsp_err *err)
{
	const char *text = text_of(stmt, column);
	const char *hash = text_of(stmt, hash_column);
	char canonical[APSP_PROFILE_TEXT_SIZE], found[APSP_HASH_SIZE];
	struct apsp_err why;

	if (!text)
		return apsp_fail(err, APSP_EROW, "its rule is no text");
	if (!hash)
		return apsp_fail(
			err, APSP_EROW, "the hash of its rule is no text");
	if (apsp_profile_scan(text, out, &why) < 0)
		return apsp_fail(err, APSP_EROW,
			"this apspd cannot read its rule: %s", why.message);
	if (apsp_profile_chooses(out) ||
		apsp_row_rule_has_hash(stmt, column, hash_column))
		return 0;
	/* another version may have written the same rule as another text, so
	   also compare the hash of the text that this version writes */
	apsp_rule_text_write(out, NULL, canonical, found);
	return strcmp(found, hash) == 0
		       ? 0
		       : apsp_fail(err, APSP_EROW,
				 "its rule is not the rule that was stored, so "
				 "the database is damaged");
}

struct apsp_job_size apsp_row_job_size(sqlite3_stmt *stmt, int column)
{
	return (struct apsp_job_size){
		.n_vertices = (uint64_t)sqlite3_column_int64(stmt, column),
		.n_arcs = (uint64_t)sqlite3_column_int64(stmt, column + 1),
		.weights = (unsigned int)sqlite3_column_int(stmt, column + 2),
	};
}

int apsp_row_job_state(sqlite3_stmt *stmt, int column, enum apsp_job_state *out,
	struct apsp_err *err)
{
	char word[WORD_SIZE];
	int r = apsp_sql_text(stmt, column, word, sizeof(word), err);
	int state;

	if (r < 0)
		return r;
	state = apsp_job_state_from_name(word);
	if (state < 0)
		return apsp_fail(
			err, APSP_EROW, "'%s' is no state of a job", word);
	*out = (enum apsp_job_state)state;
	return 0;
}

int apsp_row_job_error(sqlite3_stmt *stmt, int column, struct apsp_err *out,
	struct apsp_err *err)
{
	char code[32];
	int r = apsp_sql_text(stmt, column, code, sizeof(code), err);

	if (r < 0 || !*code)
		return r;
	out->code = apsp_code_from_name(code);
	apsp_sql_message(stmt, column + 1, out);
	out->line = (uint64_t)sqlite3_column_int64(stmt, column + 2);
	out->column = (uint64_t)sqlite3_column_int64(stmt, column + 3);
	return 0;
}
