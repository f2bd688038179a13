/*
 * The fastest of several runs; see fastest_run.h.
 */
#include "compute/solve/fastest_run.h"

#include <math.h>

int apsp_fastest_run(
	int (*run)(void *what, double *out_s, struct apsp_err *err), void *what,
	int n_runs, double *out_s, struct apsp_err *err)
{
	double seconds, best = INFINITY;
	int r = run(what, &seconds, err);

	for (int i = 0; r >= 0 && i < n_runs; i++) {
		r = run(what, &seconds, err);
		if (r >= 0)
			best = fmin(best, seconds);
	}
	if (r >= 0)
		*out_s = best;
	return r;
}
