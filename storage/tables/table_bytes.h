/*
 * Bytes of a section as they lie in the file.
 */
#ifndef APSP_STORAGE_TABLES_TABLE_BYTES_H
#define APSP_STORAGE_TABLES_TABLE_BYTES_H

#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/table_file.h"
#include "storage/tables/tables.h"

/*
 * Check the blocks that hold size bytes from `at` on of a section, and have
 * them read from the disk: some 0.2 ms a MiB, or the disk's time. The range
 * must lie in the section. *out is borrowed from the mapping: whoever copies
 * from it calls apsp_table_bytes_trust() before the copy is believed.
 * APSP_EDAMAGED.
 */
int apsp_table_bytes_get(struct apsp_tables *tables, enum apsp_section section,
	uint64_t at, uint64_t size, const unsigned char **out,
	struct apsp_err *err);

/*
 * The same into memory of the caller's, which holds what the file holds
 * whenever this succeeds. APSP_EDAMAGED.
 */
int apsp_table_bytes_copy(struct apsp_tables *tables, enum apsp_section section,
	uint64_t at, uint64_t size, void *out, struct apsp_err *err);

/* Whether what was copied is what the file holds. APSP_EDAMAGED. */
int apsp_table_bytes_trust(struct apsp_tables *tables, struct apsp_err *err);

#endif
