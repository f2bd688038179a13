/*
 * Writes the sections of a table file as they are computed, and the checksums
 * of its blocks. The header stays unsealed (daemon/base/table_file.h).
 */
#ifndef APSP_COMPUTE_TABLES_TABLE_WRITER_H
#define APSP_COMPUTE_TABLES_TABLE_WRITER_H

#include <stdatomic.h>
#include <stddef.h>

#include "compute/parallel.h"
#include "compute/tables/file_map.h"
#include "daemon/base/err.h"
#include "daemon/base/table_file.h"

struct apsp_table_writer;

/*
 * Create the file at path and begin to reserve its whole size (reservation.h).
 * header, with the places of all sections, is copied. width threads write. The
 * caller frees *out. APSP_ENOSPACE: the message says how much is needed and how
 * much is free; APSP_ENOMEM, APSP_EIO.
 */
int apsp_table_writer_open(const char *path,
	const struct apsp_table_header *header, unsigned int width,
	struct apsp_table_writer **out, struct apsp_err *err);

/* Bytes that are being appended: whole blocks, then less than a block. */
struct apsp_table_append {
	struct apsp_parallel_part part; /* writes the blocks */
	struct apsp_table_writer *writer;
	enum apsp_section section;
	const unsigned char *data; /* borrowed */
	size_t n_blocks;
	size_t rest_size;
	uint64_t first; /* the file's block at which data begins */
	atomic_bool failed;
	struct apsp_err err; /* written by the thread that sets failed */
};

/*
 * Append to a section in three steps, so that other work can be done in the
 * same loop: begin, run out->part by apsp_parallel_parts(), end. data and *out
 * must not move or change before the end. Sections may be filled in any order
 * and in turns, each by one thread at a time; if width is above 1, one thread
 * must fill all. Waits for the pages that are to be written (reservation.h).
 * APSP_ENOSPACE, APSP_EIO; APSP_EBUG: the section would exceed its size.
 */
int apsp_table_writer_begin(struct apsp_table_writer *writer,
	enum apsp_section section, const void *data, size_t size,
	struct apsp_table_append *out, struct apsp_err *err);
int apsp_table_writer_end(struct apsp_table_writer *writer,
	const struct apsp_table_append *append, struct apsp_err *err);

/* Append to a section, all steps in one call. */
int apsp_table_writer_append(struct apsp_table_writer *writer,
	enum apsp_section section, const void *data, size_t size,
	struct apsp_err *err);

/*
 * Copy size bytes of a section, from its byte `at` on, out of the file; they
 * must have been appended. The checksums of their blocks are compared. One
 * thread at a time, while no thread appends. APSP_EIO; APSP_EPROOF: a block
 * differs from its checksum.
 */
int apsp_table_writer_read(const struct apsp_table_writer *writer,
	enum apsp_section section, uint64_t at, void *out, size_t size,
	struct apsp_err *err);

/*
 * Pad the sections, write checksums and the unsealed header. Nothing is synced:
 * the daemon syncs when it seals. *out_map, unless out_map is NULL, gets the
 * file's mapping, which the caller closes. APSP_EBUG: a section is not full;
 * APSP_EIO; APSP_EPROOF: the file holds another header.
 */
int apsp_table_writer_finish(struct apsp_table_writer *writer,
	struct apsp_file_map *out_map, struct apsp_err *err);

/* Close the file, which stays. Accepts NULL. */
void apsp_table_writer_free(struct apsp_table_writer *writer);

#endif
