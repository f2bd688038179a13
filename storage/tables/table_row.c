/*
 * Whole rows; see table_row.h. A row is decoded from a copy, so that the values
 * that are used are those that were checked, even if the file changes
 * meanwhile.
 */
#include "storage/tables/table_row.h"

#include "storage/tables/table_read.h"
#include "storage/tables/table_value.h"

/* Copy a row of a section whose elements have one or more bytes. */
static int copy_row(struct apsp_tables *tables, enum apsp_section section,
	uint32_t row, void *out, struct apsp_err *err)
{
	const struct apsp_table_header *header = &tables->header;
	uint64_t size = header->n_vertices *
			apsp_element_size(header->sections[section].element);

	return apsp_table_read_copy(
		tables, section, row * size, size, out, err);
}

/* Decode a copy of a row of DISTANCE. */
static bool decode_row(const struct apsp_table_header *header, const void *raw,
	double *distance, uint32_t *hops)
{
	enum apsp_element element =
		header->sections[APSP_SECTION_DISTANCE].element;
	bool only_hops = header->distance_kind == APSP_DISTANCE_HOPS;
	bool sums = header->distance_kind == APSP_DISTANCE_SUM, good = true;
	double scale = (double)header->scale;
	uint64_t n = header->n_vertices;

	if (element == APSP_ELEMENT_U16)
		for (uint64_t j = 0; j < n; j++)
			good &= apsp_value_v(((const uint16_t *)raw)[j],
				APSP_V_INFINITY_U16, only_hops, scale,
				&distance[j], &hops[j]);
	else if (element == APSP_ELEMENT_I32)
		for (uint64_t j = 0; j < n; j++)
			good &= apsp_value_v(((const int32_t *)raw)[j],
				APSP_V_INFINITY_I32, only_hops, scale,
				&distance[j], &hops[j]);
	else if (element == APSP_ELEMENT_F32)
		for (uint64_t j = 0; j < n; j++)
			good &= apsp_value_sum(
				((const float *)raw)[j], &distance[j]);
	else if (sums)
		for (uint64_t j = 0; j < n; j++)
			good &= apsp_value_sum(
				((const double *)raw)[j], &distance[j]);
	else
		for (uint64_t j = 0; j < n; j++)
			good &= apsp_value_wide_v(((const double *)raw)[j],
				only_hops, header->scale, &distance[j],
				&hops[j]);
	return good;
}

int apsp_table_row_distances(struct apsp_tables *tables, uint32_t source,
	void *raw, double *distance, uint32_t *hops, struct apsp_err *err)
{
	int r = copy_row(tables, APSP_SECTION_DISTANCE, source, raw, err);

	if (r < 0)
		return r;
	if (!decode_row(&tables->header, raw, distance, hops))
		return apsp_tables_condemn(
			tables, APSP_VALUE_BAD_DISTANCE, err);
	distance[source] = 0;
	if (tables->header.distance_kind != APSP_DISTANCE_SUM)
		hops[source] = 0;
	return 0;
}

/*
 * Turn ranks into predecessors. *out_good: each rank leads to an arc of a
 * vertex.
 */
static int ranks_decode(struct apsp_tables *tables, uint32_t *predecessor,
	bool *out_good, struct apsp_err *err)
{
	const struct apsp_table_header *header = &tables->header;
	uint64_t n = header->n_vertices, m = header->n_arcs;
	const unsigned char *bytes = NULL;
	const uint64_t *offsets;
	const uint32_t *tails;
	bool good = true;
	int r;

	r = apsp_table_read_bytes(tables, APSP_SECTION_IN_OFFSETS, 0,
		(n + 1) * sizeof(*offsets), &bytes, err);
	offsets = (const void *)bytes;
	if (r == 0)
		r = apsp_table_read_bytes(tables, APSP_SECTION_IN_TAILS, 0,
			m * sizeof(*tails), &bytes, err);
	tails = (const void *)bytes;
	for (uint64_t j = 0; r == 0 && j < n; j++) {
		uint64_t rank = predecessor[j], first, end, place;

		if (rank == APSP_NO_PREDECESSOR)
			continue;
		first = __atomic_load_n(&offsets[j], __ATOMIC_RELAXED);
		end = __atomic_load_n(&offsets[j + 1], __ATOMIC_RELAXED);
		place = first + rank;
		if (first > m || end > m || place >= end) {
			good = false;
			break;
		}
		predecessor[j] =
			__atomic_load_n(&tails[place], __ATOMIC_RELAXED);
		good &= predecessor[j] < n;
	}
	*out_good = good;
	/* the lists were read from the mapping itself */
	return r < 0 ? r : apsp_tables_trust(tables, err);
}

int apsp_table_row_predecessors(struct apsp_tables *tables, uint32_t source,
	void *raw, uint32_t *predecessor, struct apsp_err *err)
{
	const struct apsp_table_header *header = &tables->header;
	uint32_t none = apsp_value_no_predecessor(header);
	bool good = true;
	int r;

	r = copy_row(tables, APSP_SECTION_PREDECESSOR, source, raw, err);
	if (r < 0)
		return r;
	for (uint64_t j = 0; j < header->n_vertices; j++)
		good &= apsp_value_predecessor(
			none == UINT8_MAX    ? ((const uint8_t *)raw)[j]
			: none == UINT16_MAX ? ((const uint16_t *)raw)[j]
					     : ((const uint32_t *)raw)[j],
			none, header, &predecessor[j]);
	if (apsp_table_has_ranks(header)) {
		r = ranks_decode(tables, predecessor, &good, err);
		if (r < 0)
			return r;
	}
	return good ? 0
		    : apsp_tables_condemn(
			      tables, APSP_VALUE_BAD_PREDECESSOR, err);
}
