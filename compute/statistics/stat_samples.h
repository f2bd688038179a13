/*
 * Proves the statistics of some vertices, which are called samples. The
 * statistics of the samples are computed a second time, value by value, from
 * the rows that are written to the file. Then they are compared with the
 * statistics in the table file (compute/statistics/README.md, Proof). This code
 * shares no code with row_stats.c except the source blocks (source_block.h).
 */
#ifndef APSP_COMPUTE_STATISTICS_STAT_SAMPLES_H
#define APSP_COMPUTE_STATISTICS_STAT_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/graph/integers.h"
#include "compute/message.h"
#include "compute/parallel.h"
#include "compute/row_strip.h"
#include "daemon/base/err.h"
#include "daemon/job/table_file.h"

/* Sums over one source block. */
struct apsp_stat_block_sums {
	double sum, harmonic;
};

/* Statistics of the paths from one vertex, or of the paths to one vertex. */
struct apsp_stat_sample {
	double count;
	/* sums over all source blocks that have ended */
	double sum, harmonic;
	/* sums over the rows that were read since the current source block
	   began */
	struct apsp_stat_block_sums block;
	double most;	 /* -INFINITY: no path */
	double absolute; /* sum of the distances' absolute values */
	/* sum of |1 / distance| */
	double absolute_harmonic;
};

struct apsp_stat_samples {
	const struct apsp_integers *integers; /* borrowed */
	enum apsp_element element;
	uint32_t n_vertices;
	uint32_t step; /* one vertex out of every `step` vertices is a sample */
	uint32_t n;    /* number of samples */
	/* number of tasks that read samples' columns in a strip (row_strip.h);
	   each of the other tasks reads the row of one sample */
	size_t n_column_tasks;
	/* for each sample, statistics of the paths to it; owned */
	struct apsp_stat_sample *in;
	/* for each sample, statistics of the paths from it; owned */
	struct apsp_stat_sample *out;
	/* Used if several processes share the rows; otherwise NULL. For each
	   source block, one element for each sample: the sums of the paths to
	   the sample. Owned. */
	struct apsp_stat_block_sums *blocks;
	const struct apsp_row_strip *strip; /* the rows that are being read;
					       borrowed */
	/* index of the first sample whose row is in `strip` */
	uint32_t first;
};

/*
 * Choose the samples; their statistics are empty at first. `element` is the
 * element type of distances. `shared` is true if other processes read some of
 * the source blocks (apsp_stat_samples_pack()). The caller ends *out with
 * apsp_stat_samples_done(), even after APSP_ENOMEM.
 */
int apsp_stat_samples_init(uint32_t n_vertices,
	const struct apsp_integers *integers, enum apsp_element element,
	bool shared, struct apsp_stat_samples *out, struct apsp_err *err);
void apsp_stat_samples_done(struct apsp_stat_samples *samples);

/*
 * Prepare to read a strip of rows, and store the tasks that read it in *out.
 * The caller must then pass *out to apsp_parallel_parts(), and must not move or
 * change the strip until that call returns. The strip must begin with the row
 * that follows the previous strip. If rows are shared, it may also begin with
 * the first row of any later source block.
 */
void apsp_stat_samples_begin(struct apsp_stat_samples *samples,
	const struct apsp_row_strip *strip, struct apsp_parallel_part *out);

/*
 * These functions are used if several processes share the rows.
 * apsp_stat_samples_pack() puts the statistics of all rows so far into a
 * message, and apsp_stat_samples_unpack() adds the statistics in a message of
 * another process to *samples. If one of these functions fails, message->failed
 * becomes true.
 */
void apsp_stat_samples_pack(
	const struct apsp_stat_samples *samples, struct apsp_message *message);
void apsp_stat_samples_unpack(
	struct apsp_stat_samples *samples, struct apsp_message *message);

/*
 * Call this after the last row. It compares `vertices`, the content of
 * APSP_SECTION_VERTEX_STATS, with the statistics of the samples. APSP_EPROOF:
 * they differ.
 */
int apsp_stat_samples_check(struct apsp_stat_samples *samples,
	const double *vertices, struct apsp_err *err);

#endif
