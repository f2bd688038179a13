/*
 * The proof of the statistics of some vertices, the samples. These statistics
 * are computed a second time, value by value, from the rows on their way to the
 * file, and are compared with the statistics that will be published
 * (compute/statistics/README.md, Proof). row_stats has no code in common with
 * this file.
 */
#ifndef APSP_COMPUTE_STATISTICS_STAT_SAMPLES_H
#define APSP_COMPUTE_STATISTICS_STAT_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/graph/integers.h"
#include "compute/parallel.h"
#include "compute/row_strip.h"
#include "daemon/base/err.h"
#include "daemon/base/table_file.h"

/* Statistics of the paths from a vertex, or of the paths to it. */
struct apsp_stat_sample {
	double count, sum, harmonic;
	double most;	 /* -INFINITY: no path */
	double absolute; /* sum of the distances' absolute values */
	/* sum of the absolute values of the distances' inverses */
	double absolute_harmonic;
};

struct apsp_stat_samples {
	const struct apsp_integers *integers; /* borrowed */
	enum apsp_element element;
	uint32_t n_vertices;
	uint32_t step; /* one vertex in `step` is a sample */
	uint32_t n;    /* number of samples */
	/* number of tasks that read columns of a strip */
	size_t n_column_tasks;
	/* statistics of paths to the samples; owned */
	struct apsp_stat_sample *in;
	/* statistics of paths from the samples; owned */
	struct apsp_stat_sample *out;
	const struct apsp_row_strip *strip; /* the strip being read; borrowed */
	uint32_t first; /* the first sample whose row is in the strip */
};

/*
 * Make samples without statistics. `element` is the element type of distances.
 * The caller ends *out with apsp_stat_samples_done(), even after APSP_ENOMEM.
 */
int apsp_stat_samples_init(uint32_t n_vertices,
	const struct apsp_integers *integers, enum apsp_element element,
	struct apsp_stat_samples *out, struct apsp_err *err);
void apsp_stat_samples_done(struct apsp_stat_samples *samples);

/* Prepare to read a strip. Its rows belong to the next sources. The caller must
   then pass *out to apsp_parallel_parts(). The strip must not be moved or
   changed until that call returns. */
void apsp_stat_samples_begin(struct apsp_stat_samples *samples,
	const struct apsp_row_strip *strip, struct apsp_parallel_part *out);

/*
 * After the last row: compare `vertices`, the rows of
 * APSP_SECTION_VERTEX_STATS, with the samples. APSP_EPROOF: they differ.
 */
int apsp_stat_samples_check(const struct apsp_stat_samples *samples,
	const double *vertices, struct apsp_err *err);

#endif
