/*
 * The tables of one (revision, profile hash): a table file that is mapped
 * read-only, counted and shared by threads (storage/tables/README.md, Tables
 * are files). lookup.h, path.h and reach_set.h answer questions from it.
 */
#ifndef APSP_STORAGE_TABLES_TABLES_H
#define APSP_STORAGE_TABLES_TABLES_H

#include <stdbool.h>

#include "daemon/base/err.h"
#include "daemon/base/table_file.h"
#include "storage/tables/table_watch.h"

struct apsp_tables;

/*
 * Map the sealed table file at path. Checks header, sizes and the checksums'
 * own checksum: milliseconds for any n. The file must hold revision and
 * profile_hash. The caller ends *out with apsp_tables_unref().
 *
 * APSP_EDAMAGED: the file does not exist or does not hold these tables; they
 * must be computed again. APSP_EIO, APSP_ENOMEM: the file may hold them, and
 * cannot be opened or read at present.
 */
int apsp_tables_open(const char *path, const char *revision,
	const char *profile_hash, const struct apsp_tables_watch *watch,
	struct apsp_tables **out, struct apsp_err *err);

struct apsp_tables *apsp_tables_ref(struct apsp_tables *tables);
void apsp_tables_unref(struct apsp_tables *tables); /* accepts NULL */

/* Whether anybody else has a reference. */
bool apsp_tables_shared(const struct apsp_tables *tables);

/* 32 hexadecimal digits that identify revision, profile hash and data. */
const char *apsp_tables_id(const struct apsp_tables *tables);

/* The file's header, with element types, sizes and counts. */
const struct apsp_table_header *apsp_tables_header(
	const struct apsp_tables *tables);

#endif
