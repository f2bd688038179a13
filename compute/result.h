/*
 * The solver's result on its way to the table file: rows of V and of
 * predecessors go in, in the order of sources, and come out as the file's
 * elements (daemon/base/table_file.h).
 */
#ifndef APSP_COMPUTE_RESULT_H
#define APSP_COMPUTE_RESULT_H

#include <stdint.h>

#include "compute/bits.h"
#include "compute/components.h"
#include "compute/lengths.h"
#include "compute/table_writer.h"
#include "daemon/base/err.h"

struct apsp_result; /* one attempt's file */

struct apsp_result_config {
	const char *path;
	const char *algorithm;		      /* for the header */
	const struct apsp_lengths *lengths;   /* borrowed until the end */
	const struct apsp_integers *integers; /* likewise */
	enum apsp_element element;	      /* of V's rows */
	enum apsp_precision precision;	      /* of SUM distances */
};

/* Create and reserve the file. Errors as apsp_table_writer_open(). */
int apsp_result_open(const struct apsp_result_config *config,
	struct apsp_result **out, struct apsp_err *err);
void apsp_result_free(struct apsp_result *result);

/*
 * Append n_rows rows. v may be changed in place (potentials are undone);
 * predecessors have the element apsp_predecessor_element() names. Returns 0, or
 * 1 if an undone V does not fit the element: a wider one is to be tried.
 * APSP_EPROOF: SUM distances, and the predecessors are no trees of arcs.
 * APSP_ENOMEM, APSP_ENOSPACE, APSP_EIO.
 */
int apsp_result_rows(struct apsp_result *result, uint32_t first,
	uint32_t n_rows, void *v, const void *predecessors,
	struct apsp_err *err);

/* Write closure, its transpose, cycles and arcs, and end the file. */
int apsp_result_finish(struct apsp_result *result,
	const struct apsp_bits *closure, const struct apsp_bits *on_cycle,
	struct apsp_err *err);

#endif
