/*
 * The rows of the database that hold attributes. A set is the attributes of one
 * upload. One row describes the set, and further rows contain chunks of its
 * stored form (storage/ingest/bundled.h). All functions run on the writer
 * thread, and may also report APSP_EDB, APSP_ESTATEFULL or APSP_ENOMEM.
 */
#ifndef APSP_STORAGE_ATTRIBUTES_ATTRIBUTE_ROWS_H
#define APSP_STORAGE_ATTRIBUTES_ATTRIBUTE_ROWS_H

#include <stdint.h>

#include <sqlite3.h>

#include "daemon/base/err.h"
#include "storage/attributes/attributes.h"

/*
 * Inside a transaction, add the next row of a set of attributes. If *id is 0,
 * add the first row, which describes the set, and store the id of the set in
 * *id. If *id is not 0, add a row with a chunk of `text`: the chunk begins at
 * byte *stored, and *stored moves to the end of the chunk. Returns 1, or 0 if
 * no row is left to add.
 */
int apsp_attribute_rows_add(sqlite3 *db, const struct apsp_attribute_text *text,
	uint64_t *id, size_t *stored, struct apsp_err *err);

/*
 * Read the set of attributes that has the id `id`, and make the attributes of
 * the vertices that have the labels `labels`. APSP_EROW: the rows of the set
 * are damaged.
 */
int apsp_attribute_rows_load(sqlite3 *db, uint64_t id,
	const struct apsp_labels *labels, struct apsp_attributes **out,
	struct apsp_err *err);

/*
 * In a transaction of its own, remove some rows of sets to which no generation
 * (stored upload) of a graph refers. Do not call this function while a set is
 * being stored. Returns 1 if such rows may be left, else 0.
 */
int apsp_attribute_rows_sweep(sqlite3 *db, struct apsp_err *err);

#endif
