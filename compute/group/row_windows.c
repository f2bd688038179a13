/*
 * Divides rows into windows; see row_windows.h.
 */
#include "compute/group/row_windows.h"

#include <stdlib.h>

static uint32_t rounded(uint32_t n, uint32_t unit)
{
	return n < unit ? unit : n - n % unit;
}

void apsp_row_windows_make(uint32_t n_rows, uint32_t size, uint32_t unit,
	uint32_t least, uint32_t most, struct apsp_row_windows *out)
{
	uint32_t first = 0;

	most = rounded(most, unit);
	least = rounded(least + unit - 1, unit);
	if (least > most)
		least = most;
	out->n = 0;
	out->windows =
		malloc(((size_t)n_rows / unit + 1) * sizeof(*out->windows));
	while (out->windows && first < n_rows) {
		uint32_t left = n_rows - first;
		uint32_t n = rounded(left / size, unit);

		n = n < least ? least : n > most ? most : n;
		n = n < left ? n : left;
		out->windows[out->n++] = (struct apsp_row_window){first, n};
		first += n;
	}
}
