/*
 * Writes the sections of a table file as they become known, and its block
 * checksums; leaves the header unsealed (daemon/base/table_file.h).
 */
#ifndef APSP_COMPUTE_TABLES_TABLE_WRITER_H
#define APSP_COMPUTE_TABLES_TABLE_WRITER_H

#include <stddef.h>

#include "compute/team.h"
#include "daemon/base/err.h"
#include "daemon/base/table_file.h"

struct apsp_table_writer;

/*
 * Create the file at path and begin to reserve its whole size (reservation.h).
 * header has been laid out and is copied. team (team.h; may be NULL) is
 * borrowed, and writes. The caller frees *out. APSP_ENOSPACE: the message says
 * how much is needed and how much is free; APSP_ENOMEM, APSP_EIO.
 */
int apsp_table_writer_open(const char *path,
	const struct apsp_table_header *header, struct apsp_team *team,
	struct apsp_table_writer **out, struct apsp_err *err);

/*
 * Append to a section. Sections may be filled in any order and in turns, each
 * by one thread at a time, and with a team all by one. The first call waits for
 * the reservation. Writes on all processors, and reads back what it wrote.
 * APSP_ENOSPACE, APSP_EIO; APSP_EPROOF: the file holds something else;
 * APSP_EBUG: the section would exceed its size.
 */
int apsp_table_writer_append(struct apsp_table_writer *writer,
	enum apsp_section section, const void *data, size_t size,
	struct apsp_err *err);

/*
 * Copy size bytes of a section from its byte `at` on, all of which have been
 * appended, out of the file; its blocks are checked. One thread at a time, and
 * none appends. APSP_EIO; APSP_EPROOF: the file holds something else.
 */
int apsp_table_writer_read(const struct apsp_table_writer *writer,
	enum apsp_section section, uint64_t at, void *out, size_t size,
	struct apsp_err *err);

/*
 * Pad the sections, write checksums and the unsealed header. Nothing is synced:
 * the daemon syncs when it seals. APSP_EBUG: a section is not full; APSP_EIO,
 * APSP_EPROOF.
 */
int apsp_table_writer_finish(
	struct apsp_table_writer *writer, struct apsp_err *err);

/* Close the file, which stays. Accepts NULL. */
void apsp_table_writer_free(struct apsp_table_writer *writer);

#endif
