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
 * Write the four sections ARC_… of the table file (table_file.h). If `by_head`
 * is true, also write the three sections IN_…, which list the same arcs by
 * head. The array `weights` of struct apsp_lengths must not have been freed.
 * APSP_EPROOF: an array of `lengths` has changed since apsp_lengths_build()
 * made it, or the lists by head do not have the arcs of the graph. APSP_ENOMEM;
 * the errors of apsp_table_writer_append().
 */
int apsp_arc_sections_write(struct apsp_table_writer *writer,
	const struct apsp_lengths *lengths, bool by_head, struct apsp_err *err);

#endif
