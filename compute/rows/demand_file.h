/*
 * Writes a table file that holds no rows: each row is computed when a request
 * asks for it (daemon/job/table_file.h, APSP_ON_DEMAND). The file holds the
 * arcs, the components, and the set of vertices on cycles.
 */
#ifndef APSP_COMPUTE_ROWS_DEMAND_FILE_H
#define APSP_COMPUTE_ROWS_DEMAND_FILE_H

#include <stdint.h>

#include "compute/bits.h"
#include "compute/graph/components.h"
#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "daemon/base/err.h"
#include "daemon/job/profile.h"

/* All pointers are borrowed. */
struct apsp_demand_file {
	const char *path;
	/* the members `weights` and `in` (the arcs sorted by head) must be
	   filled */
	const struct apsp_lengths *lengths;
	const struct apsp_integers *integers;
	const struct apsp_components *components;
	const struct apsp_bits *on_cycle;
	/* precision of distances, if lengths are real numbers */
	enum apsp_precision precision;
	/* largest size that the file may have; 0: no limit */
	uint64_t room_bytes;
};

/*
 * Check the components, and write the file. APSP_EPROOF: the components are
 * wrong. APSP_ENOSPACE: the file would be larger than room_bytes, or than the
 * free space of the disk. APSP_EOVERFLOW: real lengths are so large that a path
 * could be longer than float64 holds. APSP_ENOMEM, APSP_EIO.
 */
int apsp_demand_file_write(
	const struct apsp_demand_file *file, struct apsp_err *err);

#endif
