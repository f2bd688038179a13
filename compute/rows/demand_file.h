/*
 * Writes a table file whose rows are computed when they are asked for: arcs,
 * components and the vertices on cycles (daemon/base/table_file.h,
 * APSP_ON_DEMAND).
 */
#ifndef APSP_COMPUTE_ROWS_DEMAND_FILE_H
#define APSP_COMPUTE_ROWS_DEMAND_FILE_H

#include <stdint.h>

#include "compute/bits.h"
#include "compute/graph/components.h"
#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "daemon/base/err.h"
#include "daemon/base/profile.h"

/* All pointers are borrowed. */
struct apsp_demand_file {
	const char *path;
	const struct apsp_lengths *lengths; /* with arcs by head and weights */
	const struct apsp_integers *integers;
	const struct apsp_components *components;
	const struct apsp_bits *on_cycle;
	enum apsp_precision precision; /* of distances, if lengths are real */
	uint64_t room_bytes; /* largest size of the file; 0: no limit */
};

/*
 * Check the components, and write the file. APSP_EPROOF: the components are
 * wrong. APSP_ENOSPACE: the file would be larger than room_bytes, or than the
 * free space of the disk. APSP_ENOMEM, APSP_EIO.
 */
int apsp_demand_file_write(
	const struct apsp_demand_file *file, struct apsp_err *err);

/*
 * Check that the components are right: each arc stays in a component or leads
 * to a component of a higher number, and the vertices of a component reach each
 * other. Takes linear time. APSP_EPROOF: they are wrong. APSP_ENOMEM.
 */
int apsp_demand_file_prove(const struct apsp_lengths *lengths,
	const struct apsp_components *components, struct apsp_err *err);

#endif
