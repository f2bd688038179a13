/*
 * The rows of attributes; see attribute_rows.h.
 */
#include "storage/attributes/attribute_rows.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "storage/database/chunk_sweep.h"
#include "storage/database/sql.h"

enum {
	CHUNK_BYTES = 4 << 20,
	/* largest number of bytes of a set of attributes; if a row has a larger
	   number, it is damaged */
	BYTES_MAX = 1 << 30,
};

int apsp_attribute_rows_add(sqlite3 *db, const struct apsp_attribute_text *text,
	uint64_t *id, size_t *stored, struct apsp_err *err)
{
	size_t size = text->size - *stored;
	int r;

	if (!*id) {
		r = apsp_sql_run(db,
			"INSERT INTO attribute_sets (n_columns, n_rows,"
			" n_bytes, made_at_ms) VALUES (?1, ?2, ?3, ?4)",
			APSP_BIND(apsp_bind_int(text->n_columns),
				apsp_bind_int(text->n_rows),
				apsp_bind_int((int64_t)text->size),
				apsp_bind_int(apsp_clock_utc_ms())),
			err);
		if (r == 0)
			*id = (uint64_t)sqlite3_last_insert_rowid(db);
		return r < 0 ? r : 1;
	}
	if (size == 0)
		return 0;
	if (size > CHUNK_BYTES)
		size = CHUNK_BYTES;
	r = apsp_sql_run(db,
		"INSERT INTO attribute_chunks (attribute_set, number, data)"
		" VALUES (?1, ?2, ?3)",
		APSP_BIND(apsp_bind_id(*id),
			apsp_bind_int((int64_t)(*stored / CHUNK_BYTES)),
			apsp_bind_blob(text->bytes + *stored, size)),
		err);
	if (r == 0)
		*stored += size;
	return r < 0 ? r : 1;
}

static int damaged(struct apsp_err *err)
{
	return apsp_fail(err, APSP_EROW, "its attributes are damaged");
}

/* Read the row that describes one set of attributes (the attributes of one
   upload), and allocate memory for the bytes of the set. */
static int set_read(sqlite3 *db, uint64_t id, struct apsp_attribute_text *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	int64_t n_columns, n_bytes;
	int r;

	r = apsp_sql_first(db,
		"SELECT n_columns, n_rows, n_bytes FROM attribute_sets"
		" WHERE id = ?1",
		APSP_BIND(apsp_bind_id(id)), &stmt, err);
	if (r <= 0)
		return r < 0 ? r : damaged(err);
	n_columns = sqlite3_column_int64(stmt, 0);
	n_bytes = sqlite3_column_int64(stmt, 2);
	if (n_columns < 1 || n_columns > APSP_ATTRIBUTE_COLUMNS_MAX ||
		n_bytes < 1 || n_bytes > BYTES_MAX)
		return damaged(err);
	out->n_columns = (uint32_t)n_columns;
	out->n_rows = (uint32_t)sqlite3_column_int64(stmt, 1);
	out->size = (size_t)n_bytes;
	out->bytes = malloc(out->size);
	if (!out->bytes)
		return apsp_fail(err, APSP_ENOMEM, "no memory for attributes");
	return 0;
}

static int chunks_read(sqlite3 *db, uint64_t id,
	const struct apsp_attribute_text *text, struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	size_t at = 0, size;
	int r;

	r = apsp_sql_prepare(db,
		"SELECT data FROM attribute_chunks WHERE attribute_set = ?1"
		" ORDER BY number",
		APSP_BIND(apsp_bind_id(id)), &stmt, err);
	while (r >= 0 && (r = apsp_sql_step(stmt, err)) > 0) {
		size = (size_t)sqlite3_column_bytes(stmt, 0);
		if (size > text->size - at)
			return damaged(err);
		if (size > 0)
			memcpy(text->bytes + at, sqlite3_column_blob(stmt, 0),
				size);
		at += size;
	}
	if (r == 0 && at != text->size)
		return damaged(err);
	return r;
}

int apsp_attribute_rows_load(sqlite3 *db, uint64_t id,
	const struct apsp_labels *labels, struct apsp_attributes **out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_attribute_text_done)
	struct apsp_attribute_text text = {0};
	int r;

	r = set_read(db, id, &text, err);
	if (r == 0)
		r = chunks_read(db, id, &text, err);
	if (r == 0)
		r = apsp_attributes_new(&text, id, labels, out, err);
	return r;
}

int apsp_attribute_rows_sweep(sqlite3 *db, struct apsp_err *err)
{
	static const struct apsp_chunk_sweep sweep = {
		"DELETE FROM attribute_chunks WHERE id IN (SELECT id FROM"
		" attribute_chunks WHERE attribute_set = ?1 LIMIT ?2)",
		"SELECT 1 FROM attribute_chunks WHERE attribute_set = ?1",
		"DELETE FROM attribute_sets WHERE id = ?1",
	};
	int64_t id = 0;
	int r;

	r = apsp_sql_int(db,
		"SELECT id FROM attribute_sets s WHERE NOT EXISTS"
		" (SELECT 1 FROM generations g WHERE g.attributes = s.id)"
		" LIMIT 1",
		NULL, &id, err);
	return r > 0 ? apsp_chunk_sweep_step(db, &sweep, id, err) : r;
}
