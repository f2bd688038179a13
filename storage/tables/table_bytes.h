/*
 * Ranges of bytes of a table file, as they lie in the mapping: parts of
 * sections, whole sections, and parts of the whole file, which bundles and
 * matrices send. Each block is checked before its first read.
 */
#ifndef APSP_STORAGE_TABLES_TABLE_BYTES_H
#define APSP_STORAGE_TABLES_TABLE_BYTES_H

#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/tables/tables.h"

/* Call apsp_tables_touch() for each block that has bytes of the file's range
   [begin, end). Fails as that function does. */
int apsp_table_bytes_touch(struct apsp_tables *tables, uint64_t begin,
	uint64_t end, struct apsp_err *err);

/*
 * Load the bytes [at, at + size) of a section from the disk, after a check of
 * the blocks that hold these bytes. This takes 0.2 ms for each MiB, or longer
 * if the disk is slower. The range must be inside the section. *out points to
 * the bytes in the mapping. A caller that copies these bytes must call
 * apsp_tables_trust() after copying and before using the copy.
 */
int apsp_table_bytes_get(struct apsp_tables *tables, enum apsp_section section,
	uint64_t at, uint64_t size, const unsigned char **out,
	struct apsp_err *err);

/*
 * Load the bytes [at, at + size) of the whole file, as apsp_table_bytes_get()
 * does for a section. The file has tables->mapping.size bytes.
 */
int apsp_table_bytes_file(struct apsp_tables *tables, uint64_t at,
	uint64_t size, const unsigned char **out, struct apsp_err *err);

/* Load a whole section as apsp_table_bytes_get() does. */
int apsp_table_bytes_section(struct apsp_tables *tables,
	enum apsp_section section, const void **out, struct apsp_err *err);

#endif
