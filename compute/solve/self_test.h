/*
 * Tests a device: it must solve a small known graph before it computes
 * distances for a job. closure_test.h is the test for closures.
 */
#ifndef APSP_COMPUTE_SOLVE_SELF_TEST_H
#define APSP_COMPUTE_SOLVE_SELF_TEST_H

#include "compute/device/device.h"
#include "compute/distance/distance_algorithm.h"
#include "daemon/base/err.h"
#include "daemon/job/table_file.h"

/* The algorithm and the element types that a job will use. */
struct apsp_self_test {
	const struct apsp_distance_algorithm *algorithm;
	enum apsp_element element; /* element type of the distance matrix V */
	enum apsp_element sums; /* element type of path sums; APSP_ELEMENT_NONE:
				   there are no path sums */
	bool hops;		/* all lengths are 1 */
	bool widths;		/* the distance matrix has ranks of widths
				   (path=widest) */
	enum apsp_element rank; /* element type of predecessors' ranks;
				   APSP_ELEMENT_NONE: predecessors are vertex
				   indices */
	/* For the algorithm `multi-source`: the number of bytes of the
	   distances from all sources of a batch to one vertex (batch_size.h).
	   0: the number in the tuning table */
	uint32_t lane_bytes;
};

/*
 * Solve a ring with chords (ring_proof.h) by the job's algorithm, with the
 * distance matrix in the job's element type. Compare the result with the known
 * solution: each distance, each predecessor, and the counts and marks
 * (checksums of rows) of the kernel that finds predecessors. If the device
 * makes path sums for the job, compare each path sum, too. If the test fails
 * twice with fast forms of kernels, try their plain forms (kernel_form.h).
 *
 * If the device has already passed this test since it was opened, the function
 * returns 0 at once. This saves a twentieth of the time of a small job. The
 * rows of every job are proved anyway (compute/tables/README.md, Proof).
 * APSP_EDEVICE: the device computes wrongly, or cannot run our kernels.
 */
int apsp_self_test_run(const struct apsp_device *device,
	const struct apsp_self_test *test, struct apsp_err *err);

/* Run the test that the text `name` describes. apsp_self_test_run() makes such
   texts for trials (kernel_form.h). APSP_EBUG: `name` describes no test. */
int apsp_self_test_named(const struct apsp_device *device, const char *name,
	struct apsp_err *err);

#endif
