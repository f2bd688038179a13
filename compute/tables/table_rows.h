/* Proves the rows of distances (integer distances or path sums) and of
   predecessors, in the order of their sources; writes the rows to the table
   file (daemon/job/table_file.h) and adds the rows to the statistics. */
#ifndef APSP_COMPUTE_TABLES_TABLE_ROWS_H
#define APSP_COMPUTE_TABLES_TABLE_ROWS_H

#include <stdint.h>

#include "compute/bits.h"
#include "compute/graph/components.h"
#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "compute/graph/root_widths.h"
#include "compute/message.h"
#include "compute/progress.h"
#include "compute/tables/file_map.h"
#include "compute/tables/sums.h"
#include "daemon/base/err.h"
#include "daemon/job/profile.h"

/* The tables that are written by one attempt to solve a graph. In an attempt,
   all integer distances have the same scale and the same number of bits (the
   width). */
struct apsp_table_rows;

struct apsp_table_rows_config {
	const char *path;
	/* name of the algorithm; it is written to the file's header */
	const char *algorithm;
	/* borrowed, as are the next four members */
	const struct apsp_lengths *lengths;
	const struct apsp_integers *integers;
	const struct apsp_components *components; /* with weak components */
	const struct apsp_bits *closure;
	const struct apsp_bits *on_cycle;
	const struct apsp_root_widths *root; /* for widest paths; borrowed */
	enum apsp_element element;	     /* element type of the distance
						matrix V */
	/* element type of the table's distances: of integer distances or of
	   path sums */
	enum apsp_element distance;
	bool betweenness; /* the betweenness of the vertices is computed and
			     written */
	/* APSP_TABLES_DISTANCE: one table is absent from the file, either the
	   table of distances or the table of predecessors; otherwise the file
	   holds both tables */
	enum apsp_tables_kept tables;
	uint64_t room_bytes; /* largest size that the file may have; 0: any
				size */
	/* seed of the pseudo-random numbers by which sampled_rows_proof.h
	   chooses rows to prove */
	uint32_t proof_seed;
	/*
	 * The header of the finished file at `path`, if the rows come from this
	 * file and it came in a bundle. Then nothing is written, and the file
	 * is compared with the data that is appended. NULL: the rows do not
	 * come from a bundle. Borrowed until apsp_table_rows_open() returns.
	 */
	const struct apsp_table_header *received;
	/* used if `received` is not NULL: number of rows of the file that are
	   drawn at random and compared with all arcs */
	uint32_t samples;
	/* several processes append rows to the file (apsp_table_rows_seek()) */
	bool shared;
	/* another process has created the file, and this process opens it */
	bool joins;
	/* number of this host's processors that append rows, summed over all
	   processes of the job; 0: processes of other hosts append rows, too */
	uint32_t processors;
};

/*
 * Create the file and begin to reserve its space. If config->joins is true,
 * open the file instead. If config->shared is true, the process that creates
 * the file also waits until other processes may open the file and append rows
 * to it. The caller frees *out. APSP_ENOSPACE: the file would be larger than
 * room_bytes; APSP_EDATA: betweenness needs the table of distances, but this
 * table would be absent from the file; the errors of apsp_table_writer_open().
 */
int apsp_table_rows_open(const struct apsp_table_rows_config *config,
	struct apsp_table_rows **out, struct apsp_err *err);
void apsp_table_rows_free(struct apsp_table_rows *rows);

/*
 * Return a configuration to compute the path sums of the rows that are
 * appended. Its `arcs` is NULL. Its `width` is the number of processors at the
 * time when *rows was opened; all loops over rows use that number of threads.
 * If the kind of the integers is APSP_DISTANCE_SUM, the table's distances are
 * path sums; otherwise they are integer distances.
 */
struct apsp_sums_config apsp_table_rows_sums(
	const struct apsp_table_rows *rows);

/* Say among which arcs predecessors are searched: among the arcs whose byte in
   `kept` is not 0. `kept` has n_arcs bytes. It is borrowed until the last row
   is appended. */
void apsp_table_rows_kept(struct apsp_table_rows *rows, const uint8_t *kept);

/*
 * Call this once before the rows of a received file are appended. `all` has all
 * rows of the file. If all rows will be compared with arcs, this function
 * selects the tight arcs (arcs that are not longer than the distance between
 * their ends), because a comparison with these arcs suffices
 * (apsp_sampled_rows_proof_select()). APSP_ENOMEM.
 */
int apsp_table_rows_select(struct apsp_table_rows *rows,
	const struct apsp_row_strip *all, struct apsp_err *err);

/*
 * Prove the rows of a strip (row_strip.h) and append them to the tables
 * (every_row_proof.h, sampled_rows_proof.h). The strip's first row must follow
 * the last row that was appended before, or must be the row to which
 * apsp_table_rows_seek() has moved since then. Potentials are removed from
 * integer distances in place. Predecessors have the type that
 * apsp_in_arcs_element() returns. Returns 0, or APSP_VERDICT_TOO_NARROW.
 * APSP_EPROOF: the rows are wrong; APSP_ENOSPACE, APSP_EIO; APSP_EBUG: the
 * strip's first row is not the next row.
 */
int apsp_table_rows_append(struct apsp_table_rows *rows,
	const struct apsp_row_strip *strip, struct apsp_err *err);

/*
 * Move to the row of source `first`: the next strip to append begins with this
 * row. No other process may append the row. Call this only if config->shared is
 * true. `first` must be the first source of a source block (source_block.h).
 * APSP_ENOMEM.
 */
int apsp_table_rows_seek(
	struct apsp_table_rows *rows, uint32_t first, struct apsp_err *err);

/*
 * Call this after the last row in a process that has opened the file of another
 * process (config->joins). It proves the rows that are not proved yet. If
 * config->processors is 0, it also waits until the rows are in the file system.
 * APSP_EPROOF: a row is wrong; APSP_ENOSPACE, APSP_EIO.
 */
int apsp_table_rows_end(struct apsp_table_rows *rows, struct apsp_err *err);

/*
 * Put into a message everything that the process of rank 0 needs to finish the
 * file and cannot read from the file. Only the statistics of source blocks are
 * left out: apsp_table_rows_block_pack() puts them into other messages. Call
 * apsp_table_rows_end() first. The message must be empty. APSP_ENOMEM.
 */
int apsp_table_rows_pack(struct apsp_table_rows *rows,
	struct apsp_message *message, struct apsp_err *err);

/* Add to *rows the content of a message that another process has made by
   apsp_table_rows_pack(). APSP_ENOMEM; APSP_EBUG, APSP_EPROOF: the message is
   wrong. */
int apsp_table_rows_unpack(struct apsp_table_rows *rows,
	struct apsp_message *message, struct apsp_err *err);

/*
 * The process that has computed the rows of a source block (source_block.h)
 * appends the statistics of this source block to a message by
 * apsp_table_rows_block_pack(). The process of rank 0 calls
 * apsp_table_rows_block_unpack() for the source blocks of all other processes,
 * in the order of the source blocks. APSP_ENOMEM; APSP_EBUG: the order is
 * wrong, or the statistics are missing.
 */
int apsp_table_rows_block_pack(struct apsp_table_rows *rows, uint32_t block,
	struct apsp_message *message, struct apsp_err *err);
int apsp_table_rows_block_unpack(struct apsp_table_rows *rows, uint32_t block,
	struct apsp_message *message, struct apsp_err *err);

/*
 * Write the arcs and the closure to the file. Call this once, before the first
 * row is appended. While this function runs, another thread allocates the pages
 * of the file that will hold rows. Weights are not read after this call, so the
 * caller may free them (struct apsp_lengths). APSP_EPROOF: the closure is
 * wrong; APSP_ENOMEM, APSP_ENOSPACE, APSP_EIO.
 */
int apsp_table_rows_write_graph(
	struct apsp_table_rows *rows, struct apsp_err *err);

/*
 * Finish the file after its last row: prove the rows that are not proved yet,
 * write the blocks of the file in which rows of several windows meet, compute
 * and write the betweenness if the file has it, and write the statistics. If
 * config->shared is true, all messages of other processes must have been
 * unpacked. While the betweenness is computed, the stage of `progress` is
 * APSP_STAGE_MEASURE; afterwards it is APSP_STAGE_WRITE. If out_left is not
 * NULL, *out_left gets the file's mapping. The caller closes the mapping
 * (file_map.h) after reporting the job as done, because unmapping 4.6 GB takes
 * a tenth of a second. APSP_EPROOF: rows, betweenness or statistics are wrong;
 * APSP_ECANCELLED, APSP_ENOMEM, APSP_ENOSPACE, APSP_EIO; the other errors of
 * apsp_betweenness_run().
 */
int apsp_table_rows_finish(struct apsp_table_rows *rows,
	struct apsp_progress *progress, struct apsp_file_map *out_left,
	struct apsp_err *err);

#endif
