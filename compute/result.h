/*
 * The solver's result on its way to the table file: rows of V or of path sums,
 * and of predecessors, go in, in the order of sources, and come out as the
 * file's elements (daemon/base/table_file.h).
 */
#ifndef APSP_COMPUTE_RESULT_H
#define APSP_COMPUTE_RESULT_H

#include <stdint.h>

#include "compute/bits.h"
#include "compute/lengths.h"
#include "daemon/base/err.h"

struct apsp_result; /* one attempt's file */

struct apsp_result_config {
	const char *path;
	const char *algorithm;		      /* for the header */
	const struct apsp_lengths *lengths;   /* borrowed until the end */
	const struct apsp_integers *integers; /* likewise */
	enum apsp_element element;	      /* of V */
	enum apsp_precision precision;	      /* of SUM distances */
};

/* Create and reserve the file. Errors as apsp_table_writer_open(). */
int apsp_result_open(const struct apsp_result_config *config,
	struct apsp_result **out, struct apsp_err *err);
void apsp_result_free(struct apsp_result *result);

/* The element of the file's distances: V's own, or that of SUM distances. */
enum apsp_element apsp_result_element(const struct apsp_result *result);

/* The lengths that are summed along paths; NULL: the distances are V. */
const struct apsp_lengths *apsp_result_lengths(
	const struct apsp_result *result);

/*
 * Append n_rows rows. distances are V, which is changed in place (potentials
 * are undone), or SUM distances (sums.h); predecessors have the element that
 * apsp_predecessor_element() names. Returns 0, or 1 if an undone V does not fit
 * the element: a wider one is to be tried. APSP_EOVERFLOW: a path sum is past
 * all numbers of its element; APSP_ENOSPACE, APSP_EIO.
 */
int apsp_result_rows(struct apsp_result *result, uint32_t first,
	uint32_t n_rows, void *distances, const void *predecessors,
	struct apsp_err *err);

/*
 * Write the arcs, once, before the end. The weights are not looked at after
 * that (lengths.h).
 */
int apsp_result_arcs(struct apsp_result *result, struct apsp_err *err);

/* Write closure, its transpose and cycles, and end the file. */
int apsp_result_finish(struct apsp_result *result,
	const struct apsp_bits *closure, const struct apsp_bits *on_cycle,
	struct apsp_err *err);

#endif
