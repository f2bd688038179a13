/*
 * The proof of sampled rows as they will be published: each distance is the
 * length of a path of predecessors, no arc makes a shorter path, and none makes
 * an equal one from a lower predecessor (compute/tables/README.md, Proof). Rows
 * are proved in groups of four (row_group_proof.h).
 */
#ifndef APSP_COMPUTE_TABLES_SAMPLED_ROWS_PROOF_H
#define APSP_COMPUTE_TABLES_SAMPLED_ROWS_PROOF_H

#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "compute/parallel.h"
#include "compute/row_strip.h"
#include "daemon/base/err.h"
#include "daemon/base/table_file.h"

/* 196 bytes a vertex for each of a few threads. */
struct apsp_sampled_rows_proof;

/*
 * lengths and integers are borrowed until the caller frees *out; v is the
 * element of V, distance the element of the rows. The seed decides which rows
 * are proved; threads is the largest number of threads. APSP_ENOMEM.
 */
int apsp_sampled_rows_proof_new(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, enum apsp_element v,
	enum apsp_element distance, uint32_t seed, unsigned int threads,
	struct apsp_sampled_rows_proof **out, struct apsp_err *err);
void apsp_sampled_rows_proof_free(struct apsp_sampled_rows_proof *proof);

/*
 * Choose rows of a strip and prove them: all rows of small tables, all rows
 * that the host made, otherwise seven rows of the table and one of the strip.
 * Begin chooses, the caller runs *out by apsp_parallel_parts() to copy rows,
 * and end proves groups as soon as every thread has one. Before the end, the
 * strip must be proved by every_row_proof.h, and it must not move. Each group
 * reads every arc about twice. APSP_EPROOF: the message names a source.
 */
void apsp_sampled_rows_proof_begin(struct apsp_sampled_rows_proof *proof,
	const struct apsp_row_strip *strip, struct apsp_parallel_part *out);
int apsp_sampled_rows_proof_end(
	struct apsp_sampled_rows_proof *proof, struct apsp_err *err);

/* After the last row: prove the remaining groups. APSP_EPROOF. */
int apsp_sampled_rows_proof_finish(
	struct apsp_sampled_rows_proof *proof, struct apsp_err *err);

#endif
