/* Writes a table file: the sections, as they are computed, and a checksum for
   each block of the file. The header stays unsealed until the daemon seals it
   (daemon/job/table_file.h). */
#ifndef APSP_COMPUTE_TABLES_TABLE_WRITER_H
#define APSP_COMPUTE_TABLES_TABLE_WRITER_H

#include <stdatomic.h>
#include <stddef.h>

#include "compute/message.h"
#include "compute/parallel.h"
#include "compute/tables/file_map.h"
#include "daemon/base/err.h"
#include "daemon/job/table_file.h"

struct apsp_table_writer;

/* A writer has one of these roles. The role says who creates the table file,
   and whether the writer changes it. */
enum apsp_writer_role {
	/* creates the file, which no other process writes */
	APSP_WRITER_ALONE,
	/* creates the file for several processes: apsp_table_writer_open()
	   returns when other processes may open it as APSP_WRITER_JOINED */
	APSP_WRITER_FIRST,
	/* Opens the file of a writer that is APSP_WRITER_FIRST, and writes rows
	   to it. The first writer finishes the file. So do not call
	   apsp_table_writer_finish() for the joined writer, but send the result
	   of apsp_table_writer_pack() to the process of the first writer. */
	APSP_WRITER_JOINED,
	/*
	 * Writes nothing, but compares a finished file with the data that is
	 * appended. The file came in a bundle, and its blocks have been
	 * compared with the checksums that it stores
	 * (storage/ingest/received_table.h). So it is enough to compare these
	 * stored checksums with the checksums of the appended data.
	 * apsp_table_writer_finish() fails with APSP_EPROOF if the file has
	 * another header or another block.
	 */
	APSP_WRITER_COMPARES,
};

/*
 * Open the file at `path`. A writer that creates it also begins to reserve its
 * whole size (reservation.h). `header` has the offsets and sizes of all
 * sections, and is copied. At most `width` threads of this process write.
 * `processors` has the same meaning as for apsp_reservation_start(). The caller
 * frees *out. APSP_ENOSPACE: fewer bytes are free than the file needs; the
 * message has both sizes. APSP_ENOMEM, APSP_EIO.
 */
int apsp_table_writer_open(const char *path, enum apsp_writer_role role,
	const struct apsp_table_header *header, unsigned int width,
	unsigned int processors, struct apsp_table_writer **out,
	struct apsp_err *err);

/* Wait until all written bytes are in the file system, so that other hosts can
   read them. APSP_ENOSPACE, APSP_EIO. */
int apsp_table_writer_sync(
	struct apsp_table_writer *writer, struct apsp_err *err);

/* Bytes that are being appended to a section: whole blocks, then the remaining
   bytes, which are fewer than a block. */
struct apsp_table_append {
	struct apsp_parallel_part part; /* the tasks that write the blocks */
	struct apsp_table_writer *writer;
	enum apsp_section section;
	const unsigned char *data; /* borrowed */
	size_t n_blocks;
	size_t rest_size;
	/* index, in the file, of the block to which the first byte of `data` is
	   written */
	uint64_t first;
	atomic_bool failed;
	struct apsp_err err; /* written by the thread that sets `failed` */
};

/*
 * Append `size` bytes at `data` to a section, in three steps: call
 * apsp_table_writer_begin(), pass out->part to apsp_parallel_parts(), and call
 * apsp_table_writer_end(). The second step can also run other tasks. Until the
 * last call, `data` and *out must not move or change.
 *
 * Calls for different sections may be made in any order. If the writer was
 * opened with a `width` of 1, several threads may each fill a section;
 * otherwise one thread must fill all sections. apsp_table_writer_begin() waits
 * until the pages that are to be written are allocated (reservation.h).
 *
 * APSP_ENOSPACE, APSP_EIO; APSP_EBUG: the section would exceed its size.
 */
int apsp_table_writer_begin(struct apsp_table_writer *writer,
	enum apsp_section section, const void *data, size_t size,
	struct apsp_table_append *out, struct apsp_err *err);
int apsp_table_writer_end(struct apsp_table_writer *writer,
	const struct apsp_table_append *append, struct apsp_err *err);

/* Append `size` bytes at `data` to a section. This one call does all three
   steps of apsp_table_writer_begin(). */
int apsp_table_writer_append(struct apsp_table_writer *writer,
	enum apsp_section section, const void *data, size_t size,
	struct apsp_err *err);

/* Move to byte `at` of a section: the next append begins there. With this
   function, several processes can fill a section together: each process calls
   it before each range of bytes that it appends. APSP_ENOMEM. */
int apsp_table_writer_seek(struct apsp_table_writer *writer,
	enum apsp_section section, uint64_t at, struct apsp_err *err);

/*
 * Three steps finish the rows of a file that several processes have written.
 * First, each process whose writer is APSP_WRITER_JOINED calls
 * apsp_table_writer_pack(), which puts two things into a message: the checksums
 * of the blocks that the process has written as a whole, and the fragments of
 * blocks that it keeps (written_parts.h). Second, the process that created the
 * file calls apsp_table_writer_unpack() for each of these messages. Third, it
 * calls apsp_table_writer_gather(), which joins the fragments of all processes
 * to blocks and writes these blocks. APSP_ENOMEM, APSP_ENOSPACE, APSP_EIO;
 * APSP_EBUG: a message is wrong.
 */
int apsp_table_writer_pack(struct apsp_table_writer *writer,
	struct apsp_message *message, struct apsp_err *err);
int apsp_table_writer_unpack(struct apsp_table_writer *writer,
	struct apsp_message *message, struct apsp_err *err);
int apsp_table_writer_gather(
	struct apsp_table_writer *writer, struct apsp_err *err);

/*
 * Read `size` bytes of a section, beginning at byte `at` of the section. These
 * bytes must have been appended. Only one thread may read at a time, and no
 * thread may append during this call. APSP_EIO; APSP_EPROOF: a block of the
 * file differs from its checksum.
 */
int apsp_table_writer_read(const struct apsp_table_writer *writer,
	enum apsp_section section, uint64_t at, void *out, size_t size,
	struct apsp_err *err);

/*
 * Fill the last block of each section with zeros, and write the checksums and
 * the unsealed header. Nothing is synced to the disk: the daemon syncs the file
 * when it seals the header. If out_map is not NULL, *out_map gets the file's
 * mapping, which the caller closes. APSP_EBUG: a section is not full; APSP_EIO;
 * APSP_EPROOF: the header that is read back is not the header that was written.
 */
int apsp_table_writer_finish(struct apsp_table_writer *writer,
	struct apsp_file_map *out_map, struct apsp_err *err);

/* Close the file and free the writer. The file stays. Accepts NULL. */
void apsp_table_writer_free(struct apsp_table_writer *writer);

#endif
