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

static void put_f4(float *to, const struct apsp_row *row, size_t n)
{
	if (row->distance)
		for (size_t i = 0; i < n; i++)
			to[i] = (float)row->distance[i];
	else
		for (size_t i = 0; i < n; i++)
			to[i] = row->hops[i] == APSP_NO_HOPS
					? INFINITY
					: (float)row->hops[i];
}

static void put_f8(double *to, const struct apsp_row *row, size_t n)
{
	if (row->distance)
		memcpy(to, row->distance, n * sizeof(*to));
	else if (row->hops)
		for (size_t i = 0; i < n; i++)
			to[i] = row->hops[i] == APSP_NO_HOPS ? (double)INFINITY
							     : row->hops[i];
	else if (row->predecessor)
		for (size_t i = 0; i < n; i++)
			to[i] = (int32_t)row->predecessor[i];
	else
		for (size_t i = 0; i < n; i++)
			to[i] = row->reachable[i];
}

void apsp_npy_row_append(struct apsp_text *text, enum apsp_npy_cell cell,
	const struct apsp_row *row, size_t n)
{
	size_t size = n * apsp_npy_cell_size(cell);
	/* headers and rows are multiples of the element */
	void *to = apsp_text_reserve(text, size);

	if (!to)
		return;
	if (cell == APSP_NPY_F4)
		put_f4(to, row, n);
	else if (cell == APSP_NPY_F8)
		put_f8(to, row, n);
	else if (cell == APSP_NPY_I4) /* all ones are -1 */
		memcpy(to, row->predecessor, size);
	else
		memcpy(to, row->reachable, size);
	text->size += size;
}
