/*
 * What a measurement is made with: random graphs, and the time that algorithms
 * and whole solves take on them.
 */
#ifndef APSP_COMPUTE_SOLVE_CALIBRATION_BENCH_H
#define APSP_COMPUTE_SOLVE_CALIBRATION_BENCH_H

#include <stdbool.h>

#include "compute/device/device.h"
#include "compute/plan/rates.h"
#include "compute/progress.h"
#include "compute/solve/prepared_graph.h"
#include "daemon/base/err.h"

enum {
	APSP_CALIBRATION_SIZES = 6, /* of graphs, each twice the one before */
};

/* The lengths of arcs. */
enum apsp_calibration_kind {
	APSP_CALIBRATION_WEIGHTS, /* 1 to 100 */
	APSP_CALIBRATION_HOPS,
	/* from here on the same kinds with more arcs */
	APSP_CALIBRATION_DENSE,
	APSP_CALIBRATION_KINDS = 2 * APSP_CALIBRATION_DENSE,
};

struct apsp_calibration_sample {
	struct apsp_prepared_graph prepared;
	bool made;
	double visits; /* compute/graph/multi_source_probe.h */
};

/* Begins with a device and a progress; graphs are made as they are needed. */
struct apsp_calibration_bench {
	const struct apsp_device *device; /* borrowed */
	struct apsp_progress silent;	  /* tells nobody, but sees stop */
	struct apsp_calibration_sample samples[APSP_CALIBRATION_KINDS]
					      [APSP_CALIBRATION_SIZES];
	double read_s; /* of the last graph that was made */
};

void apsp_calibration_bench_done(struct apsp_calibration_bench *bench);

/*
 * Measure one algorithm in one width, on graphs that double until a run takes a
 * few hundredths of a second. APSP_ELIMIT, APSP_EDATA: it does not take the
 * width or the graph; otherwise errors as apsp_calibration_run().
 */
int apsp_calibration_bench_algorithm(struct apsp_calibration_bench *bench,
	enum apsp_algorithm_id id, enum apsp_calibration_kind kind,
	enum apsp_element element, struct apsp_rate *out, struct apsp_err *err);

/* Measure what comes before V: start_s and read_arc_s. Errors as
   apsp_calibration_run(). */
int apsp_calibration_bench_host(struct apsp_calibration_bench *bench,
	struct apsp_rates *rates, struct apsp_err *err);

/* Measure what follows V, by whole solves: arc_s and pair_s. Errors as above.
 */
int apsp_calibration_bench_tail(struct apsp_calibration_bench *bench,
	struct apsp_rates *rates, struct apsp_err *err);

#endif
