/*
 * Writes the arcs of a graph into a table file.
 */
#ifndef APSP_COMPUTE_TABLES_ARC_SECTIONS_H
#define APSP_COMPUTE_TABLES_ARC_SECTIONS_H

#include <stdbool.h>

#include "compute/graph/lengths.h"
#include "compute/tables/table_writer.h"
#include "daemon/base/err.h"

/*
 * Write the four sections ARC_…; if `by_head` is true, also write the three
 * sections IN_…. The weights must not have been freed
 * (apsp_lengths_drop_weights()). APSP_EPROOF: the arcs by head are not the arcs
 * of the graph. APSP_ENOMEM; the errors of apsp_table_writer_append().
 */
int apsp_arc_sections_write(struct apsp_table_writer *writer,
	const struct apsp_lengths *lengths, bool by_head, struct apsp_err *err);

#endif
