/*
 * Divides the rows of a matrix into windows. Each process of a group computes
 * one window, then takes the next free window (apsp_group_ticket()). All
 * processes make the same list. The first windows are large, and the last
 * windows are small, so that fast and slow processes end at about the same
 * time.
 *
 * Method: guided self-scheduling (Polychronopoulos and Kuck 1987).
 */
#ifndef APSP_COMPUTE_GROUP_ROW_WINDOWS_H
#define APSP_COMPUTE_GROUP_ROW_WINDOWS_H

#include <stdint.h>

struct apsp_row_window {
	uint32_t first;
	uint32_t n_rows;
};

struct apsp_row_windows {
	uint32_t n;
	struct apsp_row_window *windows; /* owned; end it with free() */
};

/*
 * Divide n_rows rows into windows, for a group of `size` processes. The number
 * of rows of each window is a multiple of `unit`, at least `least` and at most
 * `most`. If no number meets all three conditions, `least` is ignored. If even
 * `most` is less than `unit`, windows have `unit` rows. The last window has the
 * remaining rows, and may be smaller. If memory runs out, out->windows is NULL.
 */
void apsp_row_windows_make(uint32_t n_rows, uint32_t size, uint32_t unit,
	uint32_t least, uint32_t most, struct apsp_row_windows *out);

#endif
