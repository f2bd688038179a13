/*
 * The speed of a device: seconds of an operation and of a step (cost.h). The
 * solver measures the rates of the algorithms that compete, keeps them in a
 * file and prints them for the daemon as one line.
 */
#ifndef APSP_COMPUTE_PLAN_RATES_H
#define APSP_COMPUTE_PLAN_RATES_H

#include <stdbool.h>

#include "compute/plan/algorithm.h"
#include "daemon/base/err.h"
#include "daemon/base/fields.h"
#include "daemon/base/table_file.h"

enum {
	/* A row for each algorithm, and one for multi-source if V counts arcs:
	   then its lanes are bits. */
	APSP_RATE_BITS = APSP_N_ALGORITHMS,
	APSP_RATE_ROWS,
	APSP_RATES_TEXT_SIZE = 1024,
	/* Of 2048 vertices: up to there, staging and caches take longer. */
	APSP_RATE_NEAR_PAIRS = 2048 * 2048,
};

struct apsp_rates {
	bool measured; /* on this device; false: the defaults of its kind */
	/* Of distances, by element (apsp_rates_index()). 0 for algorithms that
	   do not compete: their speed is not known. */
	struct apsp_rate rows[APSP_RATE_ROWS][APSP_RATE_ELEMENTS];
	double arc_s; /* predecessors: for an arc and a source */
	/* Download and writing of a pair with a distance of 16 bits: of the
	   first APSP_RATE_NEAR_PAIRS, and of the others. */
	double near_s;
	double pair_s;
	double sum_s;	      /* additional, if the distance is a path sum */
	double tail_s;	      /* after V, whatever the graph's size */
	double start_s;	      /* to open the device in a new process */
	double read_arc_s;    /* to read an arc and prepare it on the host */
	double process_bytes; /* held with the device open, before any job */
};

/* The place of V's element in the arrays above, and back. */
int apsp_rates_index(enum apsp_element element);
enum apsp_element apsp_rates_element(int index);

/*
 * The default rates of GPUs or of other devices, from algorithm_list.h. The
 * rates of CPUs are scaled to the processors that this process may use.
 */
void apsp_rates_default(bool gpu, struct apsp_rates *out);

/*
 * The name of a row: the algorithm's, or "multi-source-bits". NULL: the
 * algorithm does not compete, and the row is 0.
 */
const char *apsp_rates_name(int row);

/* The name of a rate: "multi-source.u16". False: the row has no rates. */
bool apsp_rates_field(int row, int element, char out[APSP_FIELD_NAME_SIZE]);

/*
 * As fields: "blocked-fw.u16 1.5e-11/2e-05 …" (operation and step) "arc … near
 * … pair … sum … tail … start … read … process …".
 */
void apsp_rates_format(
	const struct apsp_rates *rates, char out[APSP_RATES_TEXT_SIZE]);

/* Parse such fields and set out->measured. APSP_EDATA: one is missing or
   invalid. */
int apsp_rates_scan(
	const char *text, struct apsp_rates *out, struct apsp_err *err);

#endif
