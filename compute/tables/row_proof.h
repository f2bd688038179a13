/*
 * The proof of some rows as they will be published: paths are walked by their
 * predecessors, their arcs are summed and compared with the distances, and no
 * arc leads to a shorter path, or to an equal one by a lower predecessor
 * (compute/tables/README.md, Proof). It reads the lengths themselves and shares
 * no code with those that made the rows.
 */
#ifndef APSP_COMPUTE_TABLES_ROW_PROOF_H
#define APSP_COMPUTE_TABLES_ROW_PROOF_H

#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "compute/tables/row_check.h"
#include "daemon/base/err.h"
#include "daemon/base/table_file.h"

struct apsp_row_proof; /* 196 bytes a vertex for each of a few threads */

/*
 * lengths, integers and team (which may be NULL) are borrowed until the caller
 * frees *out; v is the element of V, distance that of the rows. The seed
 * decides which rows are proved. APSP_ENOMEM.
 */
int apsp_row_proof_new(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, enum apsp_element v,
	enum apsp_element distance, uint32_t seed, struct apsp_team *team,
	struct apsp_row_proof **out, struct apsp_err *err);
void apsp_row_proof_free(struct apsp_row_proof *proof);

/*
 * Take rows of a strip: all rows of small tables and those that the host made,
 * else some of all and one of the strip. Begin, run *out on the team (team.h),
 * which copies rows, and, where the strip has passed its row_check, end, which
 * proves them when there are enough for all threads. The strip stays where it
 * is until then. Blocks for about two looks at every arc for each group of
 * four. APSP_EPROOF: the message names a source.
 */
void apsp_row_proof_begin(struct apsp_row_proof *proof,
	const struct apsp_row_strip *strip, struct apsp_team_part *out);
int apsp_row_proof_end(struct apsp_row_proof *proof, struct apsp_err *err);

/* Prove those that are left. APSP_EPROOF. */
int apsp_row_proof_finish(struct apsp_row_proof *proof, struct apsp_err *err);

#endif
