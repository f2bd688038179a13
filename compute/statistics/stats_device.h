/*
 * Computes statistics of rows on a GPU before the rows are downloaded. The
 * statistics have the same bits as statistics that the host computes
 * (row_stats.h; compute/statistics/README.md, On a GPU).
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

/* The statistics of a strip of rows (row_strip.h). The device makes these
   statistics while the host works on the previous strip. */
struct apsp_stats_slot {
	cl_mem words;
	cl_mem rows;
	cl_mem host_words; /* pinned host memory for two copies of `words` */
	cl_mem host_rows;
	/* the mapped bytes of host_words; they are two copies of the buffer
	   `words` */
	void *word_values;
	/* the mapped bytes of host_rows; they are two copies of the buffer
	   `rows` */
	void *row_values;
	uint32_t n_rows;
	bool is_last; /* the strip (row_strip.h) has the table's last row */
	struct apsp_made_stats made;
};

struct apsp_stats_device {
	const struct apsp_device *device; /* borrowed */
	uint32_t n_vertices;
	cl_uint scale;
	/* the bins of distances are at least 2^exponent wide */
	cl_int exponent;
	bool sums; /* distances are path sums */
	/* NULL: there is no kernel, and the host makes all statistics */
	cl_kernel begin;
	cl_kernel by_target;
	cl_kernel by_source;
	cl_kernel bins;
	/* one word; not 0: the host computes all later statistics */
	cl_mem left;
	/* two copies of the statistics of each target's column (enum
	   apsp_made_column_stat) */
	cl_mem columns;
	/* memory of the host, to which `columns` is copied; owned */
	double *column_values;
	/* true: `columns` has been copied to column_values */
	bool is_read;
	struct apsp_stats_slot slots[APSP_READBACK_SLOTS];
};

/* Says for which rows a device computes statistics. */
struct apsp_stats_rows {
	const struct apsp_device *device; /* borrowed */
	enum apsp_element v;		  /* element type of the distance matrix
					     V on the device */
	/* distances are path sums, and the device computes them */
	bool has_sums;
	uint32_t n_rows; /* the largest number of rows of a strip
			    (row_strip.h) */
};

/*
 * Prepare to make statistics of strips of rows (row_strip.h) on a device. The
 * caller will add the statistics to `stats`. In six cases there is no kernel:
 * out->begin is NULL, and the host makes all statistics. 1. The device is a
 * CPU: its rows are in the cache anyway when the host reads them. 2. The device
 * has no float64. 3. Its work-groups or its local memory are too small. 4.
 * Distances can be negative. 5. Distances are path sums that the host computes.
 * 6. `stats` keeps source blocks (stats_pieces.h). The caller ends *out with
 * apsp_stats_device_done(). APSP_ELIMIT, APSP_EDEVICE, APSP_ENOMEM.
 */
int apsp_stats_device_open(const struct apsp_stats_rows *rows,
	const struct apsp_row_stats *stats, struct apsp_stats_device *out,
	struct apsp_err *err);
void apsp_stats_device_done(struct apsp_stats_device *stats);

/*
 * Enqueue the commands that make the statistics of the next n_rows rows, and
 * copy these statistics into the slot. If there is no kernel, do nothing. The
 * sources of the rows are the vertices from `first` on. `cells` is a device
 * buffer that has these rows as they will be stored in the table. `summed` is a
 * device buffer that has one word for each row, beginning at word summed_at. A
 * row's word is 1 if the device has made the path sums of the row.
 * APSP_EDEVICE.
 */
int apsp_stats_device_rows(struct apsp_stats_device *stats, uint32_t slot,
	cl_mem cells, uint32_t first, uint32_t n_rows, cl_mem summed,
	uint32_t summed_at, struct apsp_err *err);

/*
 * Call this when the commands of apsp_stats_device_rows() have ended. *out gets
 * the statistics, or NULL if there is no kernel. The statistics are owned by
 * `stats`, and are valid until the slot gets new rows. If distances are path
 * sums, the pointers in *hops are copied into *out. So the arrays of *hops must
 * stay valid until the caller no longer reads *out. APSP_EDEVICE; APSP_EPROOF:
 * two copies of the same statistics differ.
 */
int apsp_stats_device_made(struct apsp_stats_device *stats, uint32_t slot,
	const struct apsp_made_hops *hops, const struct apsp_made_stats **out,
	struct apsp_err *err);

#endif
