/*
 * Compares a table file that came in a bundle with what its arcs give. The
 * blocks of such a file have the checksums that it stores
 * (storage/ingest/received_table.h), so it is enough to compare checksums.
 */
#ifndef APSP_COMPUTE_TABLES_FILE_COMPARISON_H
#define APSP_COMPUTE_TABLES_FILE_COMPARISON_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/job/table_file.h"

/*
 * Compare the checksums of the blocks, and the header, with those that the arcs
 * give. checksums[b] is the checksum of block b. *header gets the seal of the
 * file's header. APSP_EPROOF: a block or the header is another one, and the
 * message names the section; APSP_EIO.
 */
int apsp_file_comparison_run(int fd, struct apsp_table_header *header,
	const uint64_t *checksums, struct apsp_err *err);

/* Return the section to which a byte of the file belongs. */
enum apsp_section apsp_section_at(
	const struct apsp_table_header *header, uint64_t offset);

/* Read `size` bytes of a table file, from `offset` on. APSP_EIO. */
int apsp_file_part_read(
	int fd, void *out, size_t size, uint64_t offset, struct apsp_err *err);

#endif
