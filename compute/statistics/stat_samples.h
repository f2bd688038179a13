/*
 * Some vertices' statistics made in another way, to be held against those that
 * are published (compute/statistics/README.md, Proof): value by value, out of
 * the rows as they go to the file. It shares no code with what sums all rows.
 */
#ifndef APSP_COMPUTE_STATISTICS_STAT_SAMPLES_H
#define APSP_COMPUTE_STATISTICS_STAT_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/graph/integers.h"
#include "compute/row_strip.h"
#include "compute/team.h"
#include "daemon/base/err.h"
#include "daemon/base/table_file.h"

/* Of the paths from a vertex, or to it. */
struct apsp_stat_sample {
	double count, sum, harmonic;
	double most;	 /* -INFINITY: none */
	double absolute; /* the sum of distances without their signs */
	double absolute_harmonic;
};

struct apsp_stat_samples {
	const struct apsp_integers *integers; /* borrowed */
	struct apsp_team *team;		      /* borrowed, or NULL */
	enum apsp_element element;
	uint32_t n_vertices;
	uint32_t step; /* one vertex in each so many */
	uint32_t n;
	struct apsp_stat_sample *in; /* owned, as the next */
	struct apsp_stat_sample *out;
};

/*
 * element is that of the rows' distances. The caller ends *out with
 * apsp_stat_samples_done() either way. APSP_ENOMEM.
 */
int apsp_stat_samples_init(uint32_t n_vertices,
	const struct apsp_integers *integers, enum apsp_element element,
	struct apsp_team *team, struct apsp_stat_samples *out,
	struct apsp_err *err);
void apsp_stat_samples_done(struct apsp_stat_samples *samples);

/* Read the next rows, in the order of sources. */
void apsp_stat_samples_rows(const struct apsp_stat_samples *samples,
	const struct apsp_row_strip *strip);

/*
 * After the last row: hold the rows of APSP_SECTION_VERTEX_STATS against the
 * samples. APSP_EPROOF.
 */
int apsp_stat_samples_check(const struct apsp_stat_samples *samples,
	const double *vertices, struct apsp_err *err);

#endif
