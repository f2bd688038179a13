/*
 * The speed of a device: seconds of one operation and of one step (cost.h), and
 * of other parts of a job. The solver measures the rates of the algorithms that
 * compete, keeps them in a file, and prints them for the daemon as one line.
 */
#ifndef APSP_COMPUTE_PLAN_RATES_H
#define APSP_COMPUTE_PLAN_RATES_H

#include <stdbool.h>

#include "compute/plan/algorithm.h"
#include "daemon/base/err.h"
#include "daemon/base/fields.h"
#include "daemon/job/table_file.h"

enum {
	/* The algorithm `multi-source` has two rows of rates. This is the index
	   of the second row, which is used if all lengths are 1 (each source of
	   a batch then has only a bit at each vertex). The indices of the other
	   rows are the ids of algorithms. */
	APSP_RATE_BITS = APSP_N_ALGORITHMS,
	APSP_RATE_ROWS,
	APSP_RATES_TEXT_SIZE = 1024,
	/* The first pairs of a table take longer to download and write than
	   later pairs, because of staging and caches. This is the number of
	   these first pairs: as many as 2048 vertices have. */
	APSP_RATE_NEAR_PAIRS = 2048 * 2048,
};

struct apsp_rates {
	bool measured; /* true: the rates were measured on this device; false:
			  they are the default rates of CPUs or of GPUs */
	/*
	 * Rates at which algorithms compute the distance matrix V. The first
	 * index is the id of an algorithm, or APSP_RATE_BITS. The second index
	 * is apsp_rates_index() of V's number type. The rates are 0 for
	 * algorithms that do not compete, because their speed is not known.
	 */
	struct apsp_rate rows[APSP_RATE_ROWS][APSP_RATE_ELEMENTS];
	/* seconds for one arc and one source in the search for predecessors */
	double arc_s;
	/* seconds to download and write one of the first APSP_RATE_NEAR_PAIRS
	   pairs of vertices, if distances have 16 bits */
	double near_s;
	/* seconds to download and write a pair after the first
	   APSP_RATE_NEAR_PAIRS pairs, if distances have 16 bits */
	double pair_s;
	/* additional seconds for each pair of vertices if distances are path
	   sums */
	double sum_s;
	/* seconds that the stages after the computation of the distance matrix
	   V take even for the smallest graph */
	double tail_s;
	double start_s; /* seconds to open the device in a new process */
	/* seconds to read an arc and prepare it on the host */
	double read_arc_s;
	double process_bytes; /* bytes that a process holds with the device
				 open, before any job */
};

/* Return the index of `element` in a row of apsp_rates.rows. `element` is a
   number type of the distance matrix V. */
int apsp_rates_index(enum apsp_element element);
/* Return the number type of the distance matrix V that has this index in a row
   of apsp_rates.rows. */
enum apsp_element apsp_rates_element(int index);

/* Store the default rates of GPUs if `gpu` is true. Otherwise store the default
   rates of CPUs, scaled to the number of processors that this process is
   allowed to use. */
void apsp_rates_default(bool gpu, struct apsp_rates *out);

/* Return the name of a row of rates (struct apsp_rates): the name of the
   algorithm, or "multi-source-bits". NULL: the algorithm does not compete, so
   its rates are 0. */
const char *apsp_rates_name(int row);

/* Compute the rates of `streamed-fw` from the rates of `blocked-fw`. Both
   algorithms run the same kernels. */
void apsp_rates_stream(struct apsp_rates *rates, bool gpu);

/*
 * Format the rates as fields: "blocked-fw.u16 1.5e-11 blocked-fw.u16.step 2e-05
 * … arc … near … pair … sum … tail … start … read … process …".
 */
void apsp_rates_format(
	const struct apsp_rates *rates, char out[APSP_RATES_TEXT_SIZE]);

/* Parse the fields that apsp_rates_format() writes. Also set out->measured to
   true. APSP_EDATA: a field is missing or invalid. */
int apsp_rates_parse(
	const char *text, struct apsp_rates *out, struct apsp_err *err);

#endif
