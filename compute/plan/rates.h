/*
 * How fast a device is: seconds of what algorithms count (cost.h). The solver
 * measures the rates of the algorithms that compete, keeps them in a file and
 * tells them to the daemon as one line of text.
 */
#ifndef APSP_COMPUTE_PLAN_RATES_H
#define APSP_COMPUTE_PLAN_RATES_H

#include <stdbool.h>

#include "compute/plan/algorithm.h"
#include "daemon/base/err.h"
#include "daemon/base/table_file.h"

enum {
	APSP_RATE_ROWS = APSP_N_ALGORITHMS + 1,
	APSP_RATES_TEXT_SIZE = 3072,
	/* Of 2048 vertices: staging and what is warmed up grow until then. */
	APSP_RATE_NEAR_PAIRS = 2048 * 2048,
};

struct apsp_rates {
	bool measured; /* on this device; false: defaults of its kind */
	struct apsp_rate algorithms[APSP_N_ALGORITHMS][APSP_RATE_ELEMENTS];
	/* multi-source where V counts arcs: its lanes are bits then */
	struct apsp_rate bits[APSP_RATE_ELEMENTS];
	double arc_s; /* predecessors: an arc of a source */
	/* Download and writing of a pair with 16-bit distance: of the first
	   APSP_RATE_NEAR_PAIRS, and beyond. */
	double near_s;
	double pair_s;
	double sum_s;	/* the same where the distance is a path sum, on top */
	double tail_s;	/* what follows V, however small the graph */
	double start_s; /* the device opens in a new process */
	double read_arc_s;    /* the host reads an arc and makes it ready */
	double process_bytes; /* held with the device open, before any job */
};

/* The place of V's element in the arrays above, and back. */
int apsp_rates_index(enum apsp_element element);
enum apsp_element apsp_rates_element(int index);

/* The default rates of GPUs or of other devices, from algorithm_list.h. */
void apsp_rates_default(bool gpu, struct apsp_rates *out);

/*
 * Row 0 to APSP_RATE_ROWS - 1: the rates by element (apsp_rates_index()), and
 * their name: the algorithm's or, in the last row, "multi-source-bits".
 */
const struct apsp_rate *apsp_rates_row(
	const struct apsp_rates *rates, int row, const char **out_name);

/*
 * One line: "blocked-fw.u16=1.5e-11/2e-05 … arc=… near=… pair=… sum=… tail=…
 * start=… read=… process=…", operation and step.
 */
void apsp_rates_format(
	const struct apsp_rates *rates, char out[APSP_RATES_TEXT_SIZE]);

/* Back from the line; out->measured is set. APSP_EDATA: it is not whole. */
int apsp_rates_scan(
	const char *text, struct apsp_rates *out, struct apsp_err *err);

#endif
