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

/* The statistics of a strip of rows. The device makes them while the host works
   on the strip before. */
struct apsp_stats_slot {
	cl_mem words;
	cl_mem rows;
	cl_mem host_words; /* pinned */
	cl_mem host_rows;
	void *word_values; /* host_words, mapped */
	void *row_values;
	uint32_t n_rows;
	bool is_last; /* the strip has the table's last row */
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
	cl_mem left;	       /* a word; not 0: the host makes later rows */
	cl_mem columns;	       /* by target, of all rows so far */
	double *column_values; /* columns as read by the host; owned */
	bool is_read;	       /* column_values are filled */
	struct apsp_stats_slot slots[APSP_READBACK_SLOTS];
};

/* The rows whose statistics are made. */
struct apsp_stats_rows {
	const struct apsp_device *device; /* borrowed */
	enum apsp_element v;		  /* V's element there */
	bool has_sums; /* the device makes path sums, if rows have path sums */
	uint32_t n_vertices;
	uint32_t n_rows; /* of a strip, at most */
};

/*
 * Prepare for strips of rows whose statistics will be added to stats. The host
 * makes all statistics, and out->begin is NULL, on CPUs, where the rows are in
 * the cache when the host reads them; on devices without float64; where
 * distances may be negative; and where the host makes the path sums. The caller
 * ends *out with apsp_stats_device_done(). APSP_ELIMIT, APSP_EDEVICE,
 * APSP_ENOMEM.
 */
int apsp_stats_device_open(const struct apsp_stats_rows *rows,
	const struct apsp_row_stats *stats, struct apsp_stats_device *out,
	struct apsp_err *err);
void apsp_stats_device_done(struct apsp_stats_device *stats);

/*
 * Enqueue, if there is a kernel: make the statistics of the next n_rows rows,
 * of the vertices from `first` on, and read them into the slot. cells has the
 * rows in the table's form. The words of summed from summed_at on are 1 for
 * rows whose path sums the device has made. Both are device buffers.
 * APSP_EDEVICE.
 */
int apsp_stats_device_rows(struct apsp_stats_device *stats, uint32_t slot,
	cl_mem cells, uint32_t first, uint32_t n_rows, cl_mem summed,
	uint32_t summed_at, struct apsp_err *err);

/*
 * After the commands of apsp_stats_device_rows() have ended: *out gets the
 * statistics, which stats owns until the slot's next rows; NULL without a
 * kernel. hops is used where the rows are path sums, and its arrays are
 * borrowed as long. APSP_EDEVICE; APSP_EPROOF: two copies of the same numbers
 * differ.
 */
int apsp_stats_device_made(struct apsp_stats_device *stats, uint32_t slot,
	const struct apsp_made_hops *hops, const struct apsp_made_stats **out,
	struct apsp_err *err);

#endif
