/* The peak memory of a solve in bytes, for each algorithm.
   tests/test_footprint.c compares these bytes with the bytes that solves
   allocate. */
#ifndef APSP_COMPUTE_PLAN_PLAN_BYTES_H
#define APSP_COMPUTE_PLAN_PLAN_BYTES_H

#include <stdint.h>

#include "compute/plan/algorithm.h"
#include "compute/plan/plan_facts.h"

struct apsp_plan_bytes {
	/* number of rows of the distance matrix V that are computed at a time:
	   all rows, or the rows of a window */
	uint64_t rows;
	/* bytes on the device; 0 if the algorithm runs on the host */
	uint64_t device_bytes;
	/* bytes of the largest device buffer; 0 if the algorithm runs on the
	   host */
	uint64_t buffer_bytes;
	/* bytes on the host; if the device is the host, they include
	   device_bytes */
	uint64_t host_bytes;
};

/*
 * Return the bytes of a solve. If the device or the host has too little memory
 * for the window that the algorithm prefers, the window is halved until it
 * fits.
 */
struct apsp_plan_bytes apsp_plan_bytes_of(const struct apsp_plan_facts *facts,
	const struct apsp_algorithm *algorithm);

/* Return the host's bytes while a closure is computed. `device_bytes` is the
   number of bytes that the closure takes on the device. */
uint64_t apsp_plan_bytes_closure(
	const struct apsp_plan_facts *facts, uint64_t device_bytes);

/* Return the host's bytes for the copy of the useful arcs
   (compute/graph/useful_arcs.h). The host holds this copy while the distance
   matrix V is computed and downloaded. 0: the useful arcs are not copied
   (compute/arc_search.h). */
uint64_t apsp_useful_arcs_bytes(uint64_t n_vertices, uint64_t n_arcs,
	uint64_t n_useful, bool unit_lengths);
/* Return the host's bytes for the search for useless arcs. 0: there is no
   search, because it would save no time (compute/arc_search.h). */
uint64_t apsp_arc_search_bytes(uint64_t n_vertices, uint64_t n_arcs,
	uint64_t n_useful, bool unit_lengths);

/* The process that computes rows on demand stores them in memory that it shares
   with the daemon. Return the bytes of this memory. row_bytes is the size of
   the largest row. */
uint64_t apsp_plan_bytes_rows_shared(uint64_t row_bytes);

/*
 * Return the bytes of host memory that are needed if no tables are computed:
 * the bytes of the job, or the bytes of the process that computes rows on
 * demand, whichever is more. The daemon's memory for finished rows
 * (--row-cache) does not count.
 */
uint64_t apsp_plan_bytes_rows(const struct apsp_plan_facts *facts);

#endif
