/*
 * Makes the solver's file a sealed table file (storage/tables/README.md, Tables
 * are files).
 */
#ifndef APSP_STORAGE_TABLES_TABLE_SEAL_H
#define APSP_STORAGE_TABLES_TABLE_SEAL_H

#include <stdint.h>

#include "daemon/base/err.h"

/*
 * Check the header and the sizes of the solver's file at `path`. Then write
 * magic, revision, profile hash and header checksum into the file's header.
 * Afterwards the caller renames the file, and opens it (tables.h).
 * apsp_tables_open() checks the rest of the file. *out_checksum becomes a
 * checksum that identifies the data. APSP_EDAMAGED: the solver's file is
 * incomplete, or is sealed with another revision or another hash. APSP_EIO: the
 * file cannot be read or written.
 */
int apsp_table_seal(const char *path, const char *revision,
	const char *profile_hash, uint64_t *out_checksum, struct apsp_err *err);

#endif
