/*
 * From the solver's file to a sealed table file
 * (storage/tables/README.md, Tables are files).
 */
#ifndef APSP_STORAGE_TABLES_TABLE_SEAL_H
#define APSP_STORAGE_TABLES_TABLE_SEAL_H

#include <stdint.h>

#include "daemon/base/err.h"

/*
 * Check the header, the sizes and the checksums' checksum of the solver's file
 * at path, then write magic, revision, profile hash and header checksum into
 * its header. The caller renames the file. *out_checksum identifies
 * the data. APSP_EDAMAGED: the solver's file is not whole. APSP_EIO.
 */
int apsp_table_seal(const char *path, const char *revision,
	const char *profile_hash, uint64_t *out_checksum, struct apsp_err *err);

/*
 * Make what the file at path holds durable; a file that is not there has been
 * dropped, which is no error. May take seconds. APSP_EIO, APSP_ENOSPACE;
 * APSP_EBUSY, APSP_ENOMEM: the file could not be opened, try again.
 */
int apsp_table_seal_sync(const char *path, struct apsp_err *err);

/*
 * What is read of the file next comes from the disk, but for what has not been
 * written there yet. After a write that failed the kernel may keep pages as if
 * the disk had them, and another fsync() succeeds. For a file that nobody has
 * mapped.
 */
void apsp_table_seal_reread(const char *path);

#endif
