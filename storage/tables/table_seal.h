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
 * incomplete. APSP_EIO.
 */
int apsp_table_seal(const char *path, const char *revision,
	const char *profile_hash, uint64_t *out_checksum, struct apsp_err *err);

/*
 * Make the contents of the file at `path` durable. If the file does not exist,
 * the call succeeds, because the file's tables were dropped. The call may take
 * seconds. APSP_EIO: the caller must not try again. APSP_EBUSY or APSP_ENOMEM:
 * the file could not be opened, and the caller may try again.
 */
int apsp_table_seal_sync(const char *path, struct apsp_err *err);

/*
 * Drop the file's pages from the kernel's cache, so that the next reads come
 * from the disk. Pages that are not written to the disk yet stay in the cache.
 * Call this for a file whose write has failed: the kernel can treat the file's
 * cached pages as written although they are not on the disk, and then the next
 * fsync() would succeed. The file must not be mapped by anybody.
 */
void apsp_table_seal_reread(const char *path);

#endif
