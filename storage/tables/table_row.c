/*
 * Reads whole rows; see table_row.h. Each function copies a row from the file,
 * and checks and decodes the copy. So it uses exactly the values that it has
 * checked, even if the file changes meanwhile.
 */
#include "storage/tables/table_row.h"

#include "storage/tables/tables.h"
#include "storage/tables/table_read.h"
#include "storage/tables/table_value.h"

/* Copy a row of a section whose elements have at least one byte. */
static int copy_row(struct apsp_tables *tables, enum apsp_section section,
	uint32_t row, void *out, struct apsp_err *err)
{
	const struct apsp_table_header *header = &tables->header;
	uint64_t size = header->n_vertices *
			apsp_element_size(header->sections[section].element);

	return apsp_table_read_copy(
		tables, section, row * size, size, out, err);
}

/* Decode a copy of a row of DISTANCE. Returns false if an element is
   invalid. */
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
	int r = apsp_table_read_no_widths(&tables->header, err);

	if (r == 0)
		r = copy_row(tables, APSP_SECTION_DISTANCE, source, raw, err);
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

/* Decode the integer distance (daemon/job/table_file.h) in column j of a copy
   of a row. Returns false if the element is invalid. */
static bool v_get(const struct apsp_table_header *header, const void *raw,
	uint64_t j, int64_t *out)
{
	uint32_t element = header->sections[APSP_SECTION_DISTANCE].element;
	uint64_t bits;

	if (element == APSP_ELEMENT_U16)
		bits = ((const uint16_t *)raw)[j];
	else if (element == APSP_ELEMENT_I32)
		bits = ((const uint32_t *)raw)[j];
	else
		bits = ((const uint64_t *)raw)[j];
	return apsp_value_integer(element, bits, out);
}

/*
 * On entry, element v of `predecessor` is a rank, the number of an arc among
 * all arcs to v (daemon/job/table_file.h). Replace each rank by the tail of its
 * arc. *out_good becomes true if each rank has an arc and each tail is a
 * vertex.
 */
static int ranks_decode(struct apsp_tables *tables, uint32_t *predecessor,
	bool *out_good, struct apsp_err *err)
{
	const struct apsp_table_header *header = &tables->header;
	uint64_t n = header->n_vertices, m = header->n_arcs;
	const void *section = NULL;
	const uint64_t *offsets;
	const uint32_t *tails;
	bool good = true;
	int r;

	r = apsp_table_bytes_section(
		tables, APSP_SECTION_IN_OFFSETS, &section, err);
	offsets = section;
	if (r == 0)
		r = apsp_table_bytes_section(
			tables, APSP_SECTION_IN_TAILS, &section, err);
	tails = section;
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
	/* the lists of arcs were read directly from the mapping, so check
	   that no damage was found (where the file cannot be read, the
	   mapping has zeros) */
	return r < 0 ? r : apsp_tables_trust(tables, err);
}

/* The lists of arcs by head, with the lengths of the arcs. The pointers point
   into the mapping. */
struct in_lists {
	const uint64_t *offsets;
	const uint32_t *tails;
	const uint32_t *arcs;
	const double *lengths;
};

static int lists_map(
	struct apsp_tables *tables, struct in_lists *out, struct apsp_err *err)
{
	const void *offsets = NULL, *tails = NULL, *arcs = NULL,
		   *lengths = NULL;
	int r = apsp_table_bytes_section(
		tables, APSP_SECTION_IN_OFFSETS, &offsets, err);

	if (r == 0)
		r = apsp_table_bytes_section(
			tables, APSP_SECTION_IN_TAILS, &tails, err);
	if (r == 0)
		r = apsp_table_bytes_section(
			tables, APSP_SECTION_IN_ARCS, &arcs, err);
	if (r == 0)
		r = apsp_table_bytes_section(
			tables, APSP_SECTION_ARC_LENGTHS, &lengths, err);
	*out = (struct in_lists){offsets, tails, arcs, lengths};
	return r;
}

/*
 * Find the predecessor of j: the tail of the first tight arc to j. An arc is
 * tight if it is the last arc of a shortest path. `raw` is a copy of the
 * source's row of integer distances (daemon/job/table_file.h), and `v` is the
 * integer distance in column j. Returns the number of vertices if no arc is
 * tight.
 */
static uint32_t tight_tail(const struct apsp_table_header *header,
	const struct in_lists *lists, const void *raw, uint64_t j, int64_t v)
{
	uint64_t first = __atomic_load_n(&lists->offsets[j], __ATOMIC_RELAXED);
	uint64_t end =
		__atomic_load_n(&lists->offsets[j + 1], __ATOMIC_RELAXED);

	for (uint64_t at = first; at < end && end <= header->n_arcs; at++) {
		uint32_t tail =
			__atomic_load_n(&lists->tails[at], __ATOMIC_RELAXED);
		uint32_t arc =
			__atomic_load_n(&lists->arcs[at], __ATOMIC_RELAXED);
		int64_t from = APSP_VALUE_NOWHERE;

		if (tail >= header->n_vertices || arc >= header->n_arcs)
			break;
		if (v_get(header, raw, tail, &from) &&
			from != APSP_VALUE_NOWHERE &&
			apsp_value_is_tight(
				header, from, lists->lengths[arc], v))
			return tail;
	}
	return (uint32_t)header->n_vertices;
}

/* Compute the predecessors of one source from its row of integer distances
   (daemon/job/table_file.h) and from the arcs. */
static int predecessors_make(struct apsp_tables *tables, uint32_t source,
	void *raw, uint32_t *predecessor, struct apsp_err *err)
{
	const struct apsp_table_header *header = &tables->header;
	struct in_lists lists = {0};
	bool good = true;
	int r = copy_row(tables, APSP_SECTION_DISTANCE, source, raw, err);

	if (r == 0)
		r = lists_map(tables, &lists, err);
	if (r < 0)
		return r;
	for (uint64_t j = 0; j < header->n_vertices; j++) {
		int64_t v = 0;

		good &= v_get(header, raw, j, &v);
		predecessor[j] = APSP_NO_PREDECESSOR;
		if (j == source || v == APSP_VALUE_NOWHERE)
			continue;
		predecessor[j] = tight_tail(header, &lists, raw, j, v);
		good &= predecessor[j] < header->n_vertices;
	}
	/* the lists of arcs were read directly from the mapping, so check
	   that no damage was found (where the file cannot be read, the
	   mapping has zeros) */
	r = apsp_tables_trust(tables, err);
	if (r == 0 && !good)
		r = apsp_tables_condemn(tables, APSP_VALUE_NOT_TIGHT, err);
	return r;
}

int apsp_table_row_predecessors(struct apsp_tables *tables, uint32_t source,
	void *raw, uint32_t *predecessor, struct apsp_err *err)
{
	const struct apsp_table_header *header = &tables->header;
	uint32_t none = apsp_value_no_predecessor(header);
	bool good = true;
	int r = apsp_table_read_no_widths(header, err);

	if (r < 0)
		return r;
	if (!apsp_table_holds(header, APSP_SECTION_PREDECESSOR))
		return predecessors_make(tables, source, raw, predecessor, err);
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
