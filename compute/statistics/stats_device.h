/*
 * Statistics of rows on a GPU, before they are downloaded: the same bits as
 * row_stats.h makes (compute/statistics/README.md, On a GPU).
 */
#ifndef APSP_COMPUTE_STATISTICS_STATS_DEVICE_H
#define APSP_COMPUTE_STATISTICS_STATS_DEVICE_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

#include "compute/device/device.h"
#include "compute/plan/footprint.h"
#include "compute/statistics/made_stats.h"
#include "compute/statistics/row_stats.h"
#include "daemon/base/err.h"

/* What is made of a strip of rows, while the host takes the one before. */
struct apsp_stats_slot {
	cl_mem words;
	cl_mem rows;
	cl_mem host_words; /* pinned */
	cl_mem host_rows;
	void *word_values; /* host_words, mapped */
	void *row_values;
	uint32_t n_rows;
	bool is_last; /* the tables' last row is among them */
	struct apsp_made_stats made;
};

struct apsp_stats_device {
	const struct apsp_device *device; /* borrowed */
	uint32_t n_vertices;
	cl_uint scale;
	cl_int exponent; /* of the narrowest bins' width */
	bool sums;	 /* distances are path sums */
	cl_kernel begin; /* NULL: the host makes all statistics */
	cl_kernel by_target;
	cl_kernel by_source;
	cl_kernel bins;
	cl_mem left;	       /* a word: the host has begun to make them */
	cl_mem columns;	       /* by target, of all rows so far */
	double *column_values; /* owned; the same, read */
	bool is_read;
	struct apsp_stats_slot slots[APSP_READBACK_SLOTS];
};

/* Who makes the rows. */
struct apsp_stats_rows {
	const struct apsp_device *device; /* borrowed */
	enum apsp_element v;		  /* V's element there */
	bool has_sums; /* the device makes path sums, where the rows are such */
	uint32_t n_vertices;
	uint32_t n_rows; /* of a strip, at most */
};

/*
 * Make ready for strips of rows whose statistics are to go to stats. There is
 * no kernel on CPUs, which have the rows in their cache when they download
 * them; on devices without float64; where distances may be negative; and where
 * the host makes the path sums. The caller ends *out with
 * apsp_stats_device_done(). APSP_ELIMIT, APSP_EDEVICE, APSP_ENOMEM.
 */
int apsp_stats_device_open(const struct apsp_stats_rows *rows,
	const struct apsp_row_stats *stats, struct apsp_stats_device *out,
	struct apsp_err *err);
void apsp_stats_device_done(struct apsp_stats_device *stats);

/*
 * Enqueue, if there is a kernel: make the statistics of the next n_rows rows,
 * of the vertices from `first` on, and read them into the slot. cells holds the
 * rows as the table will have them; summed tells, from word summed_at on, which
 * path sums there are. Both are device buffers. APSP_EDEVICE.
 */
int apsp_stats_device_rows(struct apsp_stats_device *stats, uint32_t slot,
	cl_mem cells, uint32_t first, uint32_t n_rows, cl_mem summed,
	uint32_t summed_at, struct apsp_err *err);

/*
 * After the commands of apsp_stats_device_rows() have ended: *out, which stats
 * owns until the slot's next rows, is what was made; NULL without a kernel.
 * hops is read where the rows are path sums, and its arrays stay until then.
 * APSP_EDEVICE; APSP_EPROOF: what was read twice differs.
 */
int apsp_stats_device_made(struct apsp_stats_device *stats, uint32_t slot,
	const struct apsp_made_hops *hops, const struct apsp_made_stats **out,
	struct apsp_err *err);

#endif
