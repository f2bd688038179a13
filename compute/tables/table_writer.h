/*
 * Writes the sections of a table file as they become known, and its block
 * checksums; leaves the header unsealed (daemon/base/table_file.h).
 */
#ifndef APSP_COMPUTE_TABLES_TABLE_WRITER_H
#define APSP_COMPUTE_TABLES_TABLE_WRITER_H

#include <stdatomic.h>
#include <stddef.h>

#include "compute/tables/file_map.h"
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

/* Whole blocks of a section on their way to the file. */
struct apsp_table_blocks {
	struct apsp_table_writer *writer;
	const unsigned char *data;
	uint64_t first;	 /* block of the file */
	uint64_t offset; /* of the file, found in another way */
	size_t n;
	atomic_bool failed;
	struct apsp_err err; /* of who sets failed */
};

/* Bytes on their way to a section. */
struct apsp_table_append {
	struct apsp_team_part part; /* what threads have to do */
	enum apsp_section section;
	const unsigned char *rest; /* borrowed: what comes after the tail */
	size_t rest_size;
	const unsigned char *data_end;	 /* where the rest is to end */
	struct apsp_table_blocks blocks; /* whole ones in rest */
};

/*
 * Append to a section in three steps, so that other work may be done in the
 * same loop: begin, run out->part on the team (team.h), end. data and *out stay
 * where they are until the end. Sections may be filled in any order and in
 * turns, each by one thread at a time, and with a team all by one. Waits for
 * the reservation, and for the pages that are to be written. Reads back what it
 * wrote. APSP_ENOSPACE, APSP_EIO; APSP_EPROOF: the file holds something else;
 * APSP_EBUG: the section would exceed its size.
 */
int apsp_table_writer_begin(struct apsp_table_writer *writer,
	enum apsp_section section, const void *data, size_t size,
	struct apsp_table_append *out, struct apsp_err *err);
int apsp_table_writer_end(struct apsp_table_writer *writer,
	const struct apsp_table_append *append, struct apsp_err *err);

/* All three steps. */
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

/* After apsp_table_writer_finish(): the file's mapping, the caller's now. */
struct apsp_file_map apsp_table_writer_take_map(
	struct apsp_table_writer *writer);

/* Close the file, which stays. Accepts NULL. */
void apsp_table_writer_free(struct apsp_table_writer *writer);

#endif
