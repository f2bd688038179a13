/*
 * Levenshtein's edit distance, which is used to suggest a known name for a
 * mistyped one ("did you mean").
 */
#ifndef APSP_DAEMON_BASE_EDIT_DISTANCE_H
#define APSP_DAEMON_BASE_EDIT_DISTANCE_H

#include <stddef.h>

enum {
	APSP_EDIT_LIMIT_MAX = 64,
};

/*
 * Return the edit distance of a and b: the least number of edits that turn a
 * into b. An edit inserts, removes or replaces one byte. Returns limit + 1 if
 * the distance is larger than `limit`. `limit` is at most APSP_EDIT_LIMIT_MAX.
 * The number of computed rows of the distance matrix is added to *n_rows, as a
 * measure of the work: computing a row takes O(limit) time.
 *
 * Only the diagonals at most `limit` away from the main diagonal are computed
 * (Ukkonen 1985). Cell k of row i is the distance between the first i bytes of
 * a and the first (i + k - limit) bytes of b. The function is inline so that
 * the compiler can unroll the inner loop where the limit is a small constant.
 */
static inline unsigned int apsp_edit_distance(const char *a, size_t a_size,
	const char *b, size_t b_size, unsigned int limit, size_t *n_rows)
{
	const unsigned int width = 2 * limit + 1, far = limit + 1;
	unsigned int row[2 * APSP_EDIT_LIMIT_MAX + 2], best;

	if (a_size > b_size + limit || b_size > a_size + limit)
		return far;
	for (unsigned int k = 0; k <= width; k++)
		row[k] = k < limit || k - limit > far ? far : k - limit;
	for (size_t i = 1; i <= a_size; i++, (*n_rows)++) {
		best = far;
		for (size_t k = 0; k < width; k++) {
			/* cell k compares the first i bytes of a with the
			   first j bytes of b */
			size_t j = i + k - limit;
			unsigned int d = far;

			if (i + k >= limit && j <= b_size) {
				if (row[k + 1] < d)
					d = row[k + 1] + 1;
				if (k > 0 && row[k - 1] < d)
					d = row[k - 1] + 1;
				if (j > 0 &&
					row[k] + (a[i - 1] != b[j - 1]) < d)
					d = row[k] + (a[i - 1] != b[j - 1]);
			}
			row[k] = d;
			if (d < best)
				best = d;
		}
		if (best == far)
			return far;
	}
	return row[b_size + limit - a_size];
}

#endif
