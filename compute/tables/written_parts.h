/*
 * What one of several processes has written to a table file that they fill
 * together: the blocks that it has written, and its fragments, which are parts
 * of blocks that it shares with other processes. The process that finishes the
 * file collects the parts of all, and joins the fragments to blocks.
 */
#ifndef APSP_COMPUTE_TABLES_WRITTEN_PARTS_H
#define APSP_COMPUTE_TABLES_WRITTEN_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "compute/message.h"
#include "daemon/base/err.h"
#include "daemon/base/table_file.h"

/* A part of a block. */
struct apsp_fragment {
	uint64_t offset; /* in the file */
	uint64_t size;
	unsigned char bytes[APSP_TABLE_BLOCK];
};

/* Neighbouring blocks of the file, by their indices. */
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

/* Add a fragment of `size` bytes, which lie within one block. APSP_ENOMEM. */
int apsp_written_parts_fragment(struct apsp_written_parts *parts,
	uint64_t offset, const unsigned char *bytes, size_t size,
	struct apsp_err *err);

/* Note that n blocks were written. APSP_ENOMEM. */
int apsp_written_parts_run(struct apsp_written_parts *parts, uint64_t first,
	uint64_t n, struct apsp_err *err);

/* Put all parts into a message, with the checksums of the blocks. checksums[b]
   is that of block b. */
void apsp_written_parts_pack(const struct apsp_written_parts *parts,
	const uint64_t *checksums, struct apsp_message *message);

/*
 * Add the fragments of a message to *parts, and copy the checksums of its
 * blocks to `checksums`, which has n_blocks elements. APSP_EBUG: the message
 * has blocks or fragments that the file does not have; APSP_ENOMEM.
 */
int apsp_written_parts_unpack(struct apsp_written_parts *parts,
	uint64_t *checksums, uint64_t n_blocks, struct apsp_message *message,
	struct apsp_err *err);

/* Sort the fragments by their place in the file. */
void apsp_written_parts_sort(struct apsp_written_parts *parts);

#endif
