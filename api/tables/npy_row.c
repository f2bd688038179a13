/*
 * Elements of NumPy arrays; see npy_row.h. Loops without a branch, which the
 * compiler makes vectors of.
 */
#include "api/tables/npy_row.h"

#include <math.h>

char apsp_npy_cell_kind(enum apsp_npy_cell cell)
{
	return cell == APSP_NPY_B1 ? 'b' : cell == APSP_NPY_I4 ? 'i' : 'f';
}

unsigned int apsp_npy_cell_size(enum apsp_npy_cell cell)
{
	return cell == APSP_NPY_B1 ? 1 : cell == APSP_NPY_F8 ? 8 : 4;
}

enum apsp_npy_cell apsp_npy_cell_of(unsigned int values)
{
	switch (values) {
	case APSP_ROW_HOPS:
		return APSP_NPY_F4;
	case APSP_ROW_PREDECESSOR:
		return APSP_NPY_I4;
	case APSP_ROW_REACHABLE:
		return APSP_NPY_B1;
	default: /* distances, or several values */
		return APSP_NPY_F8;
	}
}

static void put_f4(float *to, enum apsp_row_value value,
	const struct apsp_row *row, size_t n)
{
	if (value == APSP_ROW_DISTANCE)
		for (size_t i = 0; i < n; i++)
			to[i] = (float)row->distance[i];
	else
		for (size_t i = 0; i < n; i++)
			to[i] = row->hops[i] == APSP_NO_HOPS
					? INFINITY
					: (float)row->hops[i];
}

static void put_f8(double *to, enum apsp_row_value value,
	const struct apsp_row *row, size_t n)
{
	if (value == APSP_ROW_DISTANCE)
		memcpy(to, row->distance, n * sizeof(*to));
	else if (value == APSP_ROW_HOPS)
		for (size_t i = 0; i < n; i++)
			to[i] = row->hops[i] == APSP_NO_HOPS ? (double)INFINITY
							     : row->hops[i];
	else if (value == APSP_ROW_PREDECESSOR)
		for (size_t i = 0; i < n; i++)
			to[i] = (int32_t)row->predecessor[i];
	else
		for (size_t i = 0; i < n; i++)
			to[i] = row->reachable[i];
}

void apsp_npy_row_append(struct apsp_text *text, enum apsp_npy_cell cell,
	enum apsp_row_value value, const struct apsp_row *row, size_t n)
{
	size_t size = n * apsp_npy_cell_size(cell);
	void *to = apsp_text_reserve(text, size);

	if (!to)
		return;
	if (cell == APSP_NPY_F4)
		put_f4(to, value, row, n);
	else if (cell == APSP_NPY_F8)
		put_f8(to, value, row, n);
	else if (cell == APSP_NPY_I4) /* all ones are -1 */
		memcpy(to, row->predecessor, size);
	else
		memcpy(to, row->reachable, size);
	text->size += size;
}
