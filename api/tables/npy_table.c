/*
 * Tables as NumPy arrays of sources × targets, or of targets for one vertex. If
 * an answer has several kinds of values, such as distances and hops, the array
 * has an additional first dimension, with an index for each kind of value. All
 * elements are then float64.
 *
 * The loops over a row's cells have no branches, so that the compiler
 * vectorizes them.
 */
#include <math.h>

#include "api/encode/npy_header.h"
#include "api/tables/table.h"
#include "api/tables/table_internal.h"

/* float32 represents each number of hops in a graph with at most this many
   vertices */
#define F4_VERTICES (UINT32_C(1) << 24)

/* The element type of the file. */
enum cell {
	F4, /* distances or hops (infinity: no path), or widths (0: no path;
	       infinity: a vertex and itself) */
	F8, /* distances, hops or widths as in F4, or several kinds of values in
	       one file. In a file with several kinds, a missing predecessor is
	       -1, and reachable is 0 or 1 */
	I4, /* predecessors; -1: no predecessor */
	B1, /* reachable */
};

static const struct {
	char kind; /* letter of the type in NumPy */
	unsigned char size;
} cells[] = {{'f', 4}, {'f', 8}, {'i', 4}, {'b', 1}};

static enum cell cell_of(const struct apsp_table *t)
{
	switch (t->q.values) {
	case APSP_ROW_DISTANCE:
	case APSP_ROW_WIDTH:
		return t->q.narrow ? F4 : F8;
	case APSP_ROW_HOPS:
		return t->q.reading.generation->n_vertices > F4_VERTICES ? F8
									 : F4;
	case APSP_ROW_PREDECESSOR:
		return I4;
	case APSP_ROW_REACHABLE:
		return B1;
	default:
		return F8;
	}
}

static void begin(struct apsp_table *t)
{
	enum cell cell = cell_of(t);
	unsigned int n_values = (unsigned int)__builtin_popcount(t->q.values);
	uint64_t dimensions[APSP_NPY_DIMENSIONS_MAX];
	char header[APSP_NPY_HEADER_SIZE];
	unsigned int n = 0;

	if (n_values > 1)
		dimensions[n++] = n_values;
	if (!t->q.of_vertex)
		dimensions[n++] = t->q.sources.n;
	dimensions[n++] = t->q.targets.n;
	apsp_npy_header_write(
		cells[cell].kind, cells[cell].size, dimensions, n, header);
	apsp_text_append(&t->text, header, sizeof(header));
}

static void put_f4(float *to, enum apsp_row_value value,
	const struct apsp_row *row, size_t from, size_t end)
{
	if (value == APSP_ROW_DISTANCE)
		for (size_t i = from; i < end; i++)
			*to++ = (float)row->distance[i];
	else if (value == APSP_ROW_WIDTH)
		for (size_t i = from; i < end; i++)
			*to++ = (float)row->width[i];
	else
		for (size_t i = from; i < end; i++)
			*to++ = row->hops[i] == APSP_NO_HOPS
					? INFINITY
					: (float)row->hops[i];
}

static void put_f8(double *to, enum apsp_row_value value,
	const struct apsp_row *row, size_t from, size_t end)
{
	if (value == APSP_ROW_DISTANCE)
		memcpy(to, row->distance + from, (end - from) * sizeof(*to));
	else if (value == APSP_ROW_WIDTH)
		memcpy(to, row->width + from, (end - from) * sizeof(*to));
	else if (value == APSP_ROW_HOPS)
		for (size_t i = from; i < end; i++)
			*to++ = row->hops[i] == APSP_NO_HOPS ? (double)INFINITY
							     : row->hops[i];
	else if (value == APSP_ROW_PREDECESSOR)
		for (size_t i = from; i < end; i++)
			*to++ = (int32_t)row->predecessor[i];
	else
		for (size_t i = from; i < end; i++)
			*to++ = row->reachable[i];
}

/*
 * Append the row's cells up to `end`. In the text, each element is at a
 * multiple of its size, because the sizes of the header and of each row are
 * multiples of this size.
 */
static void cells_append(struct apsp_table *t, size_t end)
{
	enum apsp_row_value value = (enum apsp_row_value)t->written;
	enum cell cell = cell_of(t);
	size_t size = (end - t->at) * cells[cell].size;
	void *to = apsp_text_reserve(&t->text, size);

	if (!to)
		return;
	if (cell == F4)
		put_f4(to, value, &t->row, t->at, end);
	else if (cell == F8)
		put_f8(to, value, &t->row, t->at, end);
	else if (cell == I4) /* the cells are copied as they are: read as an
				int32, APSP_NO_PREDECESSOR is -1 */
		memcpy(to, t->row.predecessor + t->at, size);
	else
		memcpy(to, t->row.reachable + t->at, size);
	t->text.size += size;
}

static uint64_t row_bytes(const struct apsp_table *t)
{
	return t->q.targets.n * cells[cell_of(t)].size;
}

uint64_t apsp_table_npy_size(const struct apsp_table *t)
{
	uint64_t n_rows = t->q.of_vertex ? 1 : t->q.sources.n;

	return APSP_NPY_HEADER_SIZE +
	       n_rows * row_bytes(t) *
		       (unsigned int)__builtin_popcount(t->q.values);
}

void apsp_table_npy_range(struct apsp_table *t, uint64_t from, uint64_t size)
{
	t->skip = from;
	t->left = size;
	t->headless = from >= APSP_NPY_HEADER_SIZE;
	if (!t->headless)
		return;
	t->first = (size_t)((from - APSP_NPY_HEADER_SIZE) / row_bytes(t));
	t->skip = (from - APSP_NPY_HEADER_SIZE) % row_bytes(t);
}

const struct apsp_table_format apsp_table_npy = {
	.pass_per_value = true,
	.begin = begin,
	.cells = cells_append,
};
