/*
 * The rows of the database that hold attributes: one row for each set, and
 * further rows with chunks of the set's stored form. For the writer thread. All
 * functions may also report APSP_EDB, APSP_ENOSPACE or APSP_ENOMEM.
 */
#ifndef APSP_STORAGE_ATTRIBUTES_ATTRIBUTE_ROWS_H
#define APSP_STORAGE_ATTRIBUTES_ATTRIBUTE_ROWS_H

#include <stdint.h>

#include <sqlite3.h>

#include "daemon/base/err.h"
#include "storage/attributes/attributes.h"

/*
 * Inside a transaction, add the next row of a set. While *id is 0, this is the
 * set's own row, and *id becomes its id. Afterwards it is a chunk of the set's
 * text: the chunk begins at byte *stored, which then moves to the end of the
 * chunk. Returns 1, or 0 if everything was stored before.
 */
int apsp_attribute_rows_add(sqlite3 *db, const struct apsp_attribute_text *text,
	uint64_t *id, size_t *stored, struct apsp_err *err);

/*
 * Read a set for the vertices with these labels. APSP_EROW: its rows are
 * damaged.
 */
int apsp_attribute_rows_load(sqlite3 *db, uint64_t id,
	const struct apsp_labels *labels, struct apsp_attributes **out,
	struct apsp_err *err);

/*
 * In a transaction of its own, remove some rows of sets to which no generation
 * refers. This must not be called while a set is being stored. Returns 1 if
 * rows may be left, else 0.
 */
int apsp_attribute_rows_sweep(sqlite3 *db, struct apsp_err *err);

#endif
