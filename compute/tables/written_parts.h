/*
 * Several processes can fill a table file together. Each process records which
 * whole blocks of the file it has written, and keeps its fragments. A fragment
 * is a part of a block; other processes may have the other parts of this block.
 * The process that finishes the file collects the fragments of all processes,
 * joins them to blocks and writes these blocks.
 */
#ifndef APSP_COMPUTE_TABLES_WRITTEN_PARTS_H
#define APSP_COMPUTE_TABLES_WRITTEN_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "compute/message.h"
#include "daemon/base/err.h"
#include "daemon/job/table_file.h"

/* A part of a block of the file. The part is not written yet. */
struct apsp_fragment {
	uint64_t offset; /* where the part begins in the file, in bytes */
	uint64_t size;
	unsigned char bytes[APSP_TABLE_BLOCK];
};

/* A run of n neighbouring blocks of the file; `first` is the index of the first
   block. */
struct apsp_block_run {
	uint64_t first;
	uint64_t n;
};

/* Both arrays are owned. */
struct apsp_written_parts {
	struct apsp_fragment *fragments;
	size_t n_fragments;
	struct apsp_block_run *runs;
	size_t n_runs;
};

void apsp_written_parts_done(struct apsp_written_parts *parts);

/* Add a fragment of `size` bytes, which must lie within one block of the file.
   APSP_ENOMEM. */
int apsp_written_parts_fragment(struct apsp_written_parts *parts,
	uint64_t offset, const unsigned char *bytes, size_t size,
	struct apsp_err *err);

/* Record that n blocks of the file were written, beginning with block `first`.
   APSP_ENOMEM. */
int apsp_written_parts_run(struct apsp_written_parts *parts, uint64_t first,
	uint64_t n, struct apsp_err *err);

/* Put into a message all fragments, all runs, and the checksums of the blocks
   in the runs. checksums[b] is the checksum of block b of the file. */
void apsp_written_parts_pack(const struct apsp_written_parts *parts,
	const uint64_t *checksums, struct apsp_message *message);

/*
 * Add the fragments in a message to *parts. Copy the checksums in the message
 * to `checksums`, which has n_blocks elements, one for each block of the file.
 * APSP_EBUG: a block or a fragment in the message lies outside the file;
 * APSP_ENOMEM.
 */
int apsp_written_parts_unpack(struct apsp_written_parts *parts,
	uint64_t *checksums, uint64_t n_blocks, struct apsp_message *message,
	struct apsp_err *err);

/* Sort the fragments by their offsets in the file. */
void apsp_written_parts_sort(struct apsp_written_parts *parts);

#endif
