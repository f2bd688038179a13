/*
 * Reads bytes of a section unchanged.
 */
#ifndef APSP_STORAGE_TABLES_TABLE_BYTES_H
#define APSP_STORAGE_TABLES_TABLE_BYTES_H

#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/table_file.h"
#include "storage/tables/tables.h"

/*
 * Check the blocks that hold size bytes of a section, beginning at `at`, and
 * load them from the disk: about 0.2 ms for each MiB, or the disk's time. The
 * range must lie in the section. *out points into the mapping: after copying
 * from it, the caller must call apsp_table_bytes_trust() before it uses the
 * copy. APSP_EDAMAGED.
 */
int apsp_table_bytes_get(struct apsp_tables *tables, enum apsp_section section,
	uint64_t at, uint64_t size, const unsigned char **out,
	struct apsp_err *err);

/*
 * The same, copied to the caller's memory. If the call succeeds, the copy holds
 * what the file holds. APSP_EDAMAGED.
 */
int apsp_table_bytes_copy(struct apsp_tables *tables, enum apsp_section section,
	uint64_t at, uint64_t size, void *out, struct apsp_err *err);

/* Check that bytes copied from the mapping are those of the file.
   APSP_EDAMAGED. */
int apsp_table_bytes_trust(struct apsp_tables *tables, struct apsp_err *err);

#endif
