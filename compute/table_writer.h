/*
 * Writes a table file's sections as rows become known, with the block checksums
 * made on the way; the header is left unsealed (daemon/base/table_file.h).
 */
#ifndef APSP_COMPUTE_TABLE_WRITER_H
#define APSP_COMPUTE_TABLE_WRITER_H

#include <stddef.h>

#include "daemon/base/err.h"
#include "daemon/base/table_file.h"

struct apsp_table_writer;

/*
 * Create the file at path and begin to reserve its whole size (reservation.h).
 * header has been laid out and is copied. APSP_ENOSPACE says how much is needed
 * and how much there is; APSP_EIO.
 */
int apsp_table_writer_open(const char *path,
	const struct apsp_table_header *header, struct apsp_table_writer **out,
	struct apsp_err *err);

/*
 * Append to a section. Sections may be filled in any order and interleaved, one
 * thread a section at a time. The first waits for the space: APSP_ENOSPACE,
 * APSP_EIO. A section past its size is APSP_EBUG.
 */
int apsp_table_writer_append(struct apsp_table_writer *writer,
	enum apsp_section section, const void *data, size_t size,
	struct apsp_err *err);

/*
 * Pad, write checksums and the unsealed header. A section that is not full is
 * APSP_EBUG. Nothing is synced: the daemon does that when it seals.
 */
int apsp_table_writer_finish(
	struct apsp_table_writer *writer, struct apsp_err *err);

/* Close; the file stays. Accepts NULL. */
void apsp_table_writer_free(struct apsp_table_writer *writer);

#endif
