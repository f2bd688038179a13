/*
 * Statistics of rows, computed on a GPU before the rows are downloaded. Their
 * bits equal the bits that row_stats.h computes (compute/statistics/README.md,
 * On a GPU).
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
   on the previous strip. */
struct apsp_stats_slot {
	cl_mem words;
	cl_mem rows;
	cl_mem host_words; /* pinned */
	cl_mem host_rows;
	void *word_values; /* host_words, mapped; two copies */
	void *row_values;  /* host_rows, mapped; two copies */
	uint32_t n_rows;
	bool is_last; /* the strip has the table's last row */
	struct apsp_made_stats made;
};

struct apsp_stats_device {
	const struct apsp_device *device; /* borrowed */
	uint32_t n_vertices;
	cl_uint scale;
	cl_int exponent; /* the narrowest bins are 2^exponent wide */
	bool sums;	 /* distances are path sums */
	cl_kernel begin; /* NULL: the host makes all statistics */
	cl_kernel by_target;
	cl_kernel by_source;
	cl_kernel bins;
	cl_mem left;	/* a word; not 0: the host makes all later statistics */
	cl_mem columns; /* statistics of each target over all rows so far */
	double *column_values; /* columns on the host, two copies; owned */
	bool is_read;	       /* column_values is filled */
	struct apsp_stats_slot slots[APSP_READBACK_SLOTS];
};

/* The rows whose statistics are made. */
struct apsp_stats_rows {
	const struct apsp_device *device; /* borrowed */
	enum apsp_element v;		  /* element of V on the device */
	bool has_sums; /* the device makes the path sums, if there are any */
	uint32_t n_vertices;
	uint32_t n_rows; /* the largest number of rows of a strip */
};

/*
 * Prepare for strips of rows whose statistics will be added to stats. In four
 * cases out->begin is NULL, and the host makes all statistics: on CPUs, because
 * the rows are in the cache when the host reads them; on devices without
 * float64; if distances may be negative; and if the host makes the path sums.
 * The caller ends *out with apsp_stats_device_done(). APSP_ELIMIT,
 * APSP_EDEVICE, APSP_ENOMEM.
 */
int apsp_stats_device_open(const struct apsp_stats_rows *rows,
	const struct apsp_row_stats *stats, struct apsp_stats_device *out,
	struct apsp_err *err);
void apsp_stats_device_done(struct apsp_stats_device *stats);

/*
 * Enqueue, if there is a kernel: make the statistics of the next n_rows rows,
 * whose sources are the vertices from `first` on, and read them into the slot.
 * cells has the rows as the table will have them. From word summed_at on, the
 * buffer summed has a word for each row: 1 if the device has made the path sums
 * of the row. cells and summed are device buffers. APSP_EDEVICE.
 */
int apsp_stats_device_rows(struct apsp_stats_device *stats, uint32_t slot,
	cl_mem cells, uint32_t first, uint32_t n_rows, cl_mem summed,
	uint32_t summed_at, struct apsp_err *err);

/*
 * After the commands of apsp_stats_device_rows() have ended: *out gets the
 * statistics, or NULL if there is no kernel. stats owns them, and they are
 * valid until the slot gets new rows. If the rows are path sums, *hops is
 * copied into *out, so its arrays must stay valid as long as *out.
 * APSP_EDEVICE; APSP_EPROOF: two copies of the same statistics differ.
 */
int apsp_stats_device_made(struct apsp_stats_device *stats, uint32_t slot,
	const struct apsp_made_hops *hops, const struct apsp_made_stats **out,
	struct apsp_err *err);

#endif
