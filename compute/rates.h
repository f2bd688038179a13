/*
 * How fast a device is, in the units that plans are made with: plain data and
 * its text, which the solver measures (calibration.h), keeps in a file and
 * tells the daemon.
 */
#ifndef APSP_COMPUTE_RATES_H
#define APSP_COMPUTE_RATES_H

#include <stdbool.h>

#include "compute/cost.h"
#include "daemon/base/err.h"
#include "daemon/base/table_file.h"

enum {
	APSP_RATE_ELEMENTS = 3, /* u16, i32, f64 */
	APSP_RATE_ROWS = APSP_COST_IDS + 1,
	APSP_RATES_TEXT_SIZE = 3072,
};

/* Seconds of one operation and of one step, as cost.h counts them. */
struct apsp_rate {
	double operation_s;
	double step_s;
};

struct apsp_rates {
	bool measured; /* on this very device; else of the like of it */
	struct apsp_rate algorithms[APSP_COST_IDS][APSP_RATE_ELEMENTS];
	/* multi-source where V counts arcs: its lanes are bits then */
	struct apsp_rate bits[APSP_RATE_ELEMENTS];
	double arc_s;  /* predecessors: an arc of a source */
	double pair_s; /* read back, converted and written: a pair */
};

/*
 * Row 0 to APSP_RATE_ROWS - 1: rates by element, and the name that stands for
 * them, the algorithm's or, in the last row, "multi-source-bits".
 */
const struct apsp_rate *apsp_rates_row(
	const struct apsp_rates *rates, int row, const char **out_name);

/* The place of V's element in the arrays above, and back. */
int apsp_rates_index(enum apsp_element element);
enum apsp_element apsp_rates_element(int index);

/* Those of a device like it, measured elsewhere. */
void apsp_rates_default(bool gpu, struct apsp_rates *out);

/*
 * One line: "blocked-fw.u16=1.5e-11/2e-05 … arc=… pair=…", operation and step.
 */
void apsp_rates_format(
	const struct apsp_rates *rates, char out[APSP_RATES_TEXT_SIZE]);

/* Back from the line; out->measured is set. APSP_EDATA: it is not whole. */
int apsp_rates_scan(
	const char *text, struct apsp_rates *out, struct apsp_err *err);

#endif
