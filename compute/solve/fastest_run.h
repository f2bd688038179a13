/*
 * What something takes, by running it several times: the first run compiles
 * kernels and does not count, and of the others the fastest counts, since other
 * programs only make a run slower.
 */
#ifndef APSP_COMPUTE_SOLVE_FASTEST_RUN_H
#define APSP_COMPUTE_SOLVE_FASTEST_RUN_H

#include "daemon/base/err.h"

/*
 * Call run(what, …) 1 + n_runs times, n_runs > 0; each tells the seconds that
 * it took. A negative return of it ends that and becomes the result.
 */
int apsp_fastest_run(
	int (*run)(void *what, double *out_s, struct apsp_err *err), void *what,
	int n_runs, double *out_s, struct apsp_err *err);

#endif
