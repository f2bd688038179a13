/*
 * Computes statistics of blocks of rows; see stat_cells.h. Distances that have
 * at most 32 bits are added by loops without branches; compilers vectorise
 * these loops. Distances that are float64 or that can be negative are added one
 * by one.
 */
#include "compute/statistics/stat_cells.h"

#include <math.h>
#include <string.h>

#include "compute/wide.h"

enum {
	COLUMNS = APSP_STAT_COLUMNS,
	LANES = 4,
	INFINITE_F32 = 0x7f800000, /* the bits of INFINITY as a float32 */
};

typedef double lanes_t __attribute__((vector_size(LANES * sizeof(double))));

static bool is_narrow(const struct apsp_stat_form *form)
{
	return !form->below && form->element != APSP_ELEMENT_F64;
}

static double far_value(const struct apsp_stat_form *form, int32_t far)
{
	float value;

	if (form->element != APSP_ELEMENT_F32)
		return far;
	memcpy(&value, &far, sizeof(value));
	return value;
}

double apsp_stat_columns_most(const struct apsp_stat_form *form,
	const struct apsp_stat_columns *columns, size_t c)
{
	return is_narrow(form) ? far_value(form, columns->far[c])
			       : columns->most[c];
}

void apsp_stat_columns_put_most(const struct apsp_stat_form *form,
	const struct apsp_stat_columns *columns, size_t c, double most)
{
	float value = most > 0 ? (float)most : 0;

	columns->most[c] = most;
	if (form->element == APSP_ELEMENT_F32)
		memcpy(&columns->far[c], &value, sizeof(value));
	else if (is_narrow(form))
		columns->far[c] = most > 0 ? (int32_t)most : 0;
}

/*
 * Split each integer distance v of the block into the distance and the hops: v
 * = distance · scale + hops. Store the sum of all v in cells->n_hops. The
 * distance is (v + 1/2) / scale, rounded down. The result is exact, because (v
 * + 1/2) / scale is at least 1/(2 scale) away from a whole number, and the
 * rounding error is smaller.
 */
static APSP_INLINE void values_part(double scale, struct apsp_stat_cells *cells)
{
	double per_scale = 1 / scale;
	int32_t whole_scale = (int32_t)scale, most = 0;
	int64_t cells_sum = 0;

	for (int c = 0; c < COLUMNS; c++) {
		int32_t v = cells->far[c];
		int32_t whole = (int32_t)((v + 0.5) * per_scale);
		int32_t hops = v - whole * whole_scale;

		cells->far[c] = whole;
		cells->hops[c] = hops;
		most = hops > most ? hops : most;
		cells_sum += v;
	}
	cells->most_hops = most;
	cells->n_hops = cells_sum;
}

/* Convert the block's distances to 32 bits, and store them in out->far. Set
   out->none to 1 for each cell without a path, else to 0. */
static APSP_INLINE void narrow_read(const struct apsp_stat_form *form,
	const void *row, size_t n, size_t self, struct apsp_stat_cells *out)
{
	int32_t infinite = form->element == APSP_ELEMENT_F32
				   ? INFINITE_F32
				   : APSP_V_INFINITY_I32;
	const uint16_t *narrow = row;
	int32_t values[COLUMNS];

	if (form->element == APSP_ELEMENT_U16)
		for (size_t c = 0; c < n; c++)
			values[c] = narrow[c] == APSP_V_INFINITY_U16
					    ? infinite
					    : narrow[c];
	else
		memcpy(values, row, n * sizeof(*values));
	for (size_t c = n; c < COLUMNS; c++)
		values[c] = infinite;
	if (self < n)
		values[self] = infinite;
	for (int c = 0; c < COLUMNS; c++) {
		int32_t none = values[c] >= infinite;

		out->none[c] = none;
		out->far[c] = values[c] & (none - 1);
	}
	if (form->kind == APSP_DISTANCE_SCALED)
		values_part(form->scale, out);
}

/* Count the block's paths in out->count and in the counts of the columns.
   Update the largest distance of each column. Return the largest distance of
   the block. */
static APSP_INLINE int32_t narrow_count(const struct apsp_stat_cells *cells,
	const struct apsp_stat_columns *to, struct apsp_stat_part *out)
{
	uint32_t n_none = 0;
	int32_t most = 0;

	for (int c = 0; c < COLUMNS; c++) {
		int32_t far = cells->far[c];

		n_none += (uint32_t)cells->none[c];
		most = far > most ? far : most;
		to->count[c] += 1 - (uint32_t)cells->none[c];
		to->far[c] = far > to->far[c] ? far : to->far[c];
	}
	out->count = COLUMNS - n_none;
	return most;
}

static APSP_INLINE double lanes_add(const lanes_t *sums)
{
	double sum = 0;

	for (int k = 0; k < LANES; k++)
		sum += (*sums)[k];
	return sum;
}

/* Convert the block's distances to doubles, and return their sum. Distances of
   float32 are added to LANES partial sums, which are added up at the end.
   Distances that are whole numbers are added as integers, because their order
   does not matter. */
static APSP_INLINE double narrow_distances(enum apsp_element element,
	const struct apsp_stat_cells *cells, double out[COLUMNS])
{
	lanes_t sums = {0}, next;
	float reals[COLUMNS];
	int64_t whole = 0;

	if (element != APSP_ELEMENT_F32) {
		for (int c = 0; c < COLUMNS; c++) {
			out[c] = cells->far[c];
			whole += cells->far[c];
		}
		return (double)whole;
	}
	memcpy(reals, cells->far, sizeof(reals));
	for (int c = 0; c < COLUMNS; c++)
		out[c] = (double)reals[c];
	for (int c = 0; c < COLUMNS; c += LANES) {
		memcpy(&next, out + c, sizeof(next));
		sums += next;
	}
	return lanes_add(&sums);
}

/* Add each distance and its inverse to the sums of its column. Also add up the
   distances and the inverses of the block. Where there is no path, the distance
   and its inverse count as 0. */
static APSP_INLINE void narrow_sum(enum apsp_element element,
	const struct apsp_stat_cells *cells, const struct apsp_stat_columns *to,
	struct apsp_stat_part *out)
{
	const int32_t *restrict none = cells->none;
	double *restrict sum = to->sum, *restrict harmonic = to->harmonic;
	double distances[COLUMNS], inverses[COLUMNS];
	lanes_t sums = {0}, next;

	out->sum = narrow_distances(element, cells, distances);
	for (int c = 0; c < COLUMNS; c++) {
		inverses[c] = (double)(1 - none[c]) /
			      (distances[c] + (double)none[c]);
		sum[c] += distances[c];
		harmonic[c] += inverses[c];
	}
	for (int c = 0; c < COLUMNS; c += LANES) {
		memcpy(&next, inverses + c, sizeof(next));
		sums += next;
	}
	out->harmonic = lanes_add(&sums);
}

APSP_WIDE static void narrow_add(const struct apsp_stat_form *form,
	const void *row, size_t n, size_t self,
	const struct apsp_stat_columns *to, struct apsp_stat_cells *cells,
	struct apsp_stat_part *out)
{
	int32_t most;

	narrow_read(form, row, n, self, cells);
	most = narrow_count(cells, to, out);
	narrow_sum(form->element, cells, to, out);
	if (form->kind == APSP_DISTANCE_SCALED)
		cells->n_hops -= (int64_t)out->sum * (int64_t)form->scale;
	out->most = out->count == 0 ? -INFINITY : far_value(form, most);
	cells->least = 0;
}

/* Return the distance in column c of a row; INFINITY: there is no path. The
   row's elements may have any type. *hops gets the number of hops, or 0 if the
   element contains no hops. */
static double wide_value(const struct apsp_stat_form *form, const void *row,
	size_t c, int32_t *hops)
{
	double v, whole;

	*hops = 0;
	switch (form->element) {
	case APSP_ELEMENT_U16:
		v = ((const uint16_t *)row)[c];
		v = v == APSP_V_INFINITY_U16 ? INFINITY : v;
		break;
	case APSP_ELEMENT_I32:
		v = ((const int32_t *)row)[c];
		v = v >= APSP_V_INFINITY_I32 ? INFINITY : v;
		break;
	case APSP_ELEMENT_F32:
		v = ((const float *)row)[c];
		break;
	default:
		v = ((const double *)row)[c];
	}
	if (form->kind != APSP_DISTANCE_SCALED || isinf(v))
		return v;
	/* if rounding has raised the quotient to a whole number, `whole` is too
	   large by 1 */
	whole = floor(v / form->scale);
	if (v < whole * form->scale)
		whole--;
	*hops = (int32_t)(v - whole * form->scale);
	return whole;
}

static void wide_add(const struct apsp_stat_form *form, const void *row,
	size_t n, size_t self, const struct apsp_stat_columns *to,
	struct apsp_stat_cells *cells, struct apsp_stat_part *out)
{
	double sum[LANES] = {0}, harmonic[LANES] = {0};

	*out = (struct apsp_stat_part){.most = -INFINITY};
	cells->least = INFINITY;
	cells->most_hops = 0;
	cells->n_hops = 0;
	for (size_t c = 0; c < COLUMNS; c++) {
		int32_t hops = 0;
		double d = c < n && c != self ? wide_value(form, row, c, &hops)
					      : INFINITY;

		cells->wide[c] = d;
		cells->hops[c] = hops;
		if (!(d < INFINITY))
			continue;
		if (hops > cells->most_hops)
			cells->most_hops = hops;
		cells->n_hops += hops;
		out->count++;
		sum[c % LANES] += d;
		harmonic[c % LANES] += 1 / d;
		out->most = fmax(out->most, d);
		cells->least = fmin(cells->least, d);
		to->count[c]++;
		to->sum[c] += d;
		to->harmonic[c] += 1 / d;
		to->most[c] = fmax(to->most[c], d);
	}
	for (int k = 0; k < LANES; k++) {
		out->sum += sum[k];
		out->harmonic += harmonic[k];
	}
	if (!form->below)
		cells->least = 0;
}

void apsp_stat_cells_add(const struct apsp_stat_form *form, const void *row,
	size_t n, size_t self, const struct apsp_stat_columns *to,
	struct apsp_stat_cells *cells, struct apsp_stat_part *out)
{
	cells->narrow = is_narrow(form);
	(cells->narrow ? narrow_add : wide_add)(
		form, row, n, self, to, cells, out);
}

/* Store the code of each distance. A code is 1 + the index of the distance's
   bin, or 0 if there is no path (histogram.h). */
APSP_WIDE static void codes_find(const struct apsp_stat_form *form,
	const struct apsp_stat_cells *cells, double width,
	uint16_t codes[COLUMNS])
{
	double per_width = 1 / width;
	float distances[COLUMNS];

	if (form->element != APSP_ELEMENT_F32) {
		int bits = ilogb(width); /* width >= 1 for whole numbers */

		for (int c = 0; c < COLUMNS; c++)
			codes[c] = (uint16_t)(((cells->far[c] >> bits) + 1) &
					      (cells->none[c] - 1));
		return;
	}
	memcpy(distances, cells->far, sizeof(distances));
	for (int c = 0; c < COLUMNS; c++) {
		int32_t bin = (int32_t)((double)distances[c] * per_width);

		codes[c] = (uint16_t)((bin + 1) & (cells->none[c] - 1));
	}
}

/* Store the code of each number of hops. A code is 1 + the index of the
   number's bin, or 0 if the number is 0 or negative (histogram.h). */
APSP_WIDE static void hop_codes_find(
	const int32_t hops[COLUMNS], double width, uint16_t codes[COLUMNS])
{
	int bits = ilogb(width);

	for (int c = 0; c < COLUMNS; c++)
		codes[c] = (uint16_t)(((hops[c] >> bits) + 1) &
				      -(int32_t)(hops[c] > 0));
}

static void hops_bin(
	const int32_t hops[COLUMNS], int32_t most, struct apsp_bins *bins)
{
	uint16_t codes[COLUMNS];

	apsp_bins_fit(bins, 0, most);
	hop_codes_find(hops, bins->width, codes);
	apsp_bins_count(bins, codes, 1 + (uint32_t)(most / bins->width));
}

uint32_t apsp_stat_hops_bin(
	const uint32_t *hops, size_t n, struct apsp_bins *bins)
{
	int32_t copied[COLUMNS] = {0}, most = 0, sum = 0;

	memcpy(copied, hops, n * sizeof(*hops));
	for (int c = 0; c < COLUMNS; c++) {
		most = copied[c] > most ? copied[c] : most;
		sum += copied[c] > 0 ? copied[c] : 0;
	}
	hops_bin(copied, most, bins);
	return (uint32_t)sum;
}

void apsp_stat_cells_bin(const struct apsp_stat_form *form,
	const struct apsp_stat_cells *cells, const struct apsp_stat_part *part,
	struct apsp_bins *distances, struct apsp_bins *hops)
{
	uint16_t codes[COLUMNS];

	apsp_bins_fit(distances, cells->least, part->most);
	if (cells->narrow) {
		codes_find(form, cells, distances->width, codes);
		apsp_bins_count(distances, codes,
			1 + (uint32_t)(part->most / distances->width));
	} else {
		apsp_bins_add(distances, cells->wide, COLUMNS);
	}
	if (form->kind == APSP_DISTANCE_SCALED)
		hops_bin(cells->hops, cells->most_hops, hops);
}
