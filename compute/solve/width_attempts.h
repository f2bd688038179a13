/*
 * Makes a complete table file from a prepared graph. A width is an element type
 * of the distance matrix V and a scale. V is computed in one width after the
 * other, beginning with the narrowest, until the result is proved
 * (compute/graph/README.md, Widths).
 */
#ifndef APSP_COMPUTE_SOLVE_WIDTH_ATTEMPTS_H
#define APSP_COMPUTE_SOLVE_WIDTH_ATTEMPTS_H

#include "compute/distance/distance_algorithm.h"
#include "compute/device/device.h"
#include "compute/progress.h"
#include "compute/solve/prepared_graph.h"
#include "compute/tables/file_map.h"
#include "daemon/base/err.h"

struct apsp_width_attempts {
	/* the graph, with lengths and closure */
	struct apsp_prepared_graph *prepared;
	const struct apsp_device *device; /* NULL: the host solves */
	/* the algorithm that the profile names; NULL: the plan chooses the
	   algorithm */
	const struct apsp_distance_algorithm *algorithm;
	struct apsp_progress *progress;
	const char *path;    /* path of the table file */
	uint64_t room_bytes; /* largest size of the table file in bytes; 0: no
				limit */
	uint32_t proof_seed; /* selects the rows in which every path is followed
				and proved (sampled_rows_proof.h) */
	/*
	 * Receives the table file's mapping. The caller closes the mapping when
	 * no client waits for the job any longer, because closing it takes
	 * long. NULL: the mapping is closed at once.
	 */
	struct apsp_file_map *left;
};

/*
 * Make a plan for the narrowest width (plan.h), report the plan, compute the
 * distance matrix V and write the tables. If V does not fit this width, do the
 * same for the next width. If path sums leave the range of float32, the same
 * width is computed again with float64 sums.
 *
 * APSP_EDATA: the algorithm does not accept the graph's lengths;
 * APSP_EOVERFLOW: V fits no width; APSP_EPROOF: V was wrong; APSP_ELIMIT,
 * APSP_ENOMEM: there is too little memory (the plan usually notices this before
 * anything is allocated); APSP_EDEVICE; APSP_ENOSPACE; APSP_ECANCELLED.
 */
int apsp_width_attempts_run(
	const struct apsp_width_attempts *attempts, struct apsp_err *err);

#endif
