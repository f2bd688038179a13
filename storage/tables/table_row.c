/*
 * Whole rows; see table_row.h. A row is decoded from a copy, so that the
 * checked values are the used ones, even if the file changes meanwhile. The
 * loops have no branches, so that the compiler can use vector instructions.
 */
#include "storage/tables/table_row.h"

#include <math.h>

#include "storage/tables/table_read.h"
#include "storage/tables/table_verify.h"

/* The largest magnitude of V (table_file.h), because float64 cannot hold every
   larger integer. */
#define V_MAX 9007199254740992.0

/* Decode distance and hops from a V. Returns whether the V is valid. */
static inline bool put(
	double v, double scale, bool reached, double *distance, uint32_t *hops)
{
	double whole = floor(v / scale), rest = v - whole * scale;

	*distance = reached ? whole : INFINITY;
	*hops = reached ? (uint32_t)(int32_t)rest : UINT32_MAX;
	return rest >= 0 && rest < scale;
}

/* Decode a V of hops: every length is 1, so V, hops and distance are equal. */
static inline bool put_hops(
	double v, bool reached, double *distance, uint32_t *hops)
{
	*distance = reached ? v : INFINITY;
	*hops = reached ? (uint32_t)(int32_t)v : UINT32_MAX;
	return !reached || (v >= 0 && v <= INT32_MAX);
}

/* Decode a V of 16 or 32 bits. A V above the infinity of its type is not
   valid. */
static inline bool put_narrow(int32_t v, int32_t infinity, bool only_hops,
	double scale, double *distance, uint32_t *hops)
{
	bool reached = v != infinity;
	bool good = only_hops ? put_hops(v, reached, distance, hops)
			      : put(v, scale, reached, distance, hops);

	return good & (v <= infinity);
}

static bool decode_u16(const struct apsp_table_header *header,
	const uint16_t *raw, double *distance, uint32_t *hops)
{
	bool only_hops = header->distance_kind == APSP_DISTANCE_HOPS;
	double scale = (double)header->scale;
	bool good = true;

	for (uint64_t j = 0; j < header->n_vertices; j++)
		good &= put_narrow(raw[j], APSP_V_INFINITY_U16, only_hops,
			scale, &distance[j], &hops[j]);
	return good;
}

static bool decode_i32(const struct apsp_table_header *header,
	const int32_t *raw, double *distance, uint32_t *hops)
{
	bool only_hops = header->distance_kind == APSP_DISTANCE_HOPS;
	double scale = (double)header->scale;
	bool good = true;

	for (uint64_t j = 0; j < header->n_vertices; j++)
		good &= put_narrow(raw[j], APSP_V_INFINITY_I32, only_hops,
			scale, &distance[j], &hops[j]);
	return good;
}

/* Decode a row of 64-bit V. Quotients of doubles would be rounded, so V is
   divided as an integer. */
static bool decode_f64(const struct apsp_table_header *header,
	const double *raw, double *distance, uint32_t *hops)
{
	bool only_hops = header->distance_kind == APSP_DISTANCE_HOPS;
	int64_t scale = header->scale;

	for (uint64_t j = 0; j < header->n_vertices; j++) {
		int64_t v, whole;

		if (raw[j] == INFINITY) {
			distance[j] = INFINITY;
			hops[j] = UINT32_MAX;
			continue;
		}
		if (!(fabs(raw[j]) <= V_MAX) || raw[j] != floor(raw[j]))
			return false;
		v = (int64_t)raw[j];
		whole = v / scale - (v % scale < 0);
		distance[j] = only_hops ? raw[j] : (double)whole;
		hops[j] = (uint32_t)(only_hops ? v : v - whole * scale);
		if (only_hops && (v < 0 || v > INT32_MAX))
			return false;
	}
	return true;
}

/* Decode a row of distances of real lengths. */
static bool decode_sums(const struct apsp_table_header *header, const void *raw,
	double *distance)
{
	bool narrow = header->sections[APSP_SECTION_DISTANCE].element ==
		      APSP_ELEMENT_F32;
	bool good = true;

	for (uint64_t j = 0; j < header->n_vertices; j++) {
		distance[j] = narrow ? (double)((const float *)raw)[j]
				     : ((const double *)raw)[j];
		good &= distance[j] > -INFINITY; /* false for NaN, too */
	}
	return good;
}

int apsp_table_row_distances(struct apsp_tables *tables, uint32_t source,
	void *raw, double *distance, uint32_t *hops, struct apsp_err *err)
{
	const struct apsp_table_header *header = &tables->header;
	enum apsp_element element =
		header->sections[APSP_SECTION_DISTANCE].element;
	size_t size = header->n_vertices * apsp_element_size(element);
	bool sums = header->distance_kind == APSP_DISTANCE_SUM, good;
	int r;

	r = apsp_table_read_copy(
		tables, APSP_SECTION_DISTANCE, source * size, size, raw, err);
	if (r < 0)
		return r;
	if (sums)
		good = decode_sums(header, raw, distance);
	else if (element == APSP_ELEMENT_U16)
		good = decode_u16(header, raw, distance, hops);
	else if (element == APSP_ELEMENT_I32)
		good = decode_i32(header, raw, distance, hops);
	else
		good = decode_f64(header, raw, distance, hops);
	if (!good)
		return apsp_table_verify_condemn(tables,
			sums ? "a distance is not a number"
			     : "a distance is out of its range",
			err);
	distance[source] = 0;
	if (!sums)
		hops[source] = 0;
	return 0;
}

int apsp_table_row_predecessors(struct apsp_tables *tables, uint32_t source,
	void *raw, uint32_t *predecessor, struct apsp_err *err)
{
	const struct apsp_table_header *header = &tables->header;
	enum apsp_element element =
		header->sections[APSP_SECTION_PREDECESSOR].element;
	size_t size = header->n_vertices * apsp_element_size(element);
	bool narrow = element == APSP_ELEMENT_U16, good = true;
	int r;

	r = apsp_table_read_copy(tables, APSP_SECTION_PREDECESSOR,
		source * size, size, raw, err);
	if (r < 0)
		return r;
	for (uint64_t j = 0; j < header->n_vertices; j++) {
		uint32_t v = narrow ? ((const uint16_t *)raw)[j]
				    : ((const uint32_t *)raw)[j];
		bool none = v == (narrow ? (uint32_t)UINT16_MAX : UINT32_MAX);

		predecessor[j] = none ? APSP_NO_PREDECESSOR : v;
		good &= none || v < header->n_vertices;
	}
	return good ? 0
		    : apsp_table_verify_condemn(
			      tables, "a predecessor is not a vertex", err);
}
