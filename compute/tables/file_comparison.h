/*
 * Compares a table file that came in a bundle with the sections that the solver
 * has computed itself. The blocks of the file have been compared with the
 * checksums that the file stores (storage/ingest/received_table.h). So it is
 * enough to compare these stored checksums with the checksums of the solver's
 * sections.
 */
#ifndef APSP_COMPUTE_TABLES_FILE_COMPARISON_H
#define APSP_COMPUTE_TABLES_FILE_COMPARISON_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/job/table_file.h"

/*
 * Compare the checksums that the file stores with `checksums`: checksums[b] is
 * the checksum of the block b that the solver has computed. Then seal *header
 * with the revision and the profile hash of the file's header, and compare the
 * two headers. APSP_EPROOF: a block or the header differs; the message names
 * the block's section or the header. APSP_EIO: the file cannot be read.
 */
int apsp_file_comparison_run(int fd, struct apsp_table_header *header,
	const uint64_t *checksums, struct apsp_err *err);

/* Return the section to which the byte at `offset` in the file belongs. */
enum apsp_section apsp_section_at(
	const struct apsp_table_header *header, uint64_t offset);

/* Read `size` bytes of a table file, from `offset` on. APSP_EIO: the file
   cannot be read, or is too short. */
int apsp_file_part_read(
	int fd, void *out, size_t size, uint64_t offset, struct apsp_err *err);

#endif
