/*
 * Reads values of a table file; see table_read.h.
 */
#include "storage/tables/table_read.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "storage/tables/tables.h"
#include "storage/tables/table_value.h"

/* Mark the tables as damaged, because they contain a value that no solver
   writes. The function is written so that the compiler can see that the result
   is negative. */
static int broken(
	struct apsp_tables *tables, const char *what, struct apsp_err *err)
{
	apsp_tables_condemn(tables, what, err);
	return APSP_EDAMAGED;
}

/* Return the width in bytes of an element of the section. In a section of bits,
   an element is a word of 64 bits. */
static size_t width_of(const struct apsp_section_place *place)
{
	size_t width = apsp_element_size(place->element);

	return width ? width : sizeof(uint64_t);
}

/*
 * Load an element from a block that was checked. The load is atomic, so that
 * the caller tests and uses the same value, even if the file changes meanwhile.
 * The load has acquire order, so that the caller reads the flag of damage only
 * after the element.
 */
static uint64_t load_checked(
	const struct apsp_tables *tables, uint64_t offset, size_t width)
{
	const void *at = tables->mapping.data + offset;

	if (width == 1)
		return __atomic_load_n((const uint8_t *)at, __ATOMIC_ACQUIRE);
	if (width == 2)
		return __atomic_load_n((const uint16_t *)at, __ATOMIC_ACQUIRE);
	if (width == 4)
		return __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE);
	return __atomic_load_n((const uint64_t *)at, __ATOMIC_ACQUIRE);
}

/* Return the number of elements of a row of a section whose rows are computed
   on demand. */
static uint64_t row_elements(
	const struct apsp_table_header *header, enum apsp_section section)
{
	return section == APSP_SECTION_PREDECESSOR
		       ? header->n_vertices
		       : apsp_bit_row_words(header->n_vertices);
}

/* Copy bytes of a section whose rows are computed on demand. All these bytes
   must belong to one row. */
static int copy_demanded(struct apsp_tables *tables, enum apsp_section section,
	uint64_t at, uint64_t size, void *out, struct apsp_err *err)
{
	const struct apsp_table_header *header = &tables->header;
	uint64_t row = row_elements(header, section) *
		       width_of(&header->sections[section]);
	const unsigned char *bytes;
	enum apsp_demand demand;
	size_t begin = apsp_demand_at(header, section, &demand);

	if (at / row >= header->n_vertices || size > row - at % row)
		return apsp_fail(err, APSP_EBUG,
			"bytes behind the end of a row were requested");
	bytes = apsp_demand_rows_find(tables->demand, demand, at / row);
	if (!bytes)
		return apsp_fail(err, APSP_EBUG,
			"the rows of vertex %" PRIu64
			" were read and are not held",
			at / row);
	memcpy(out, bytes + begin + at % row, size);
	return 0;
}

/* Load the bits of element number i of a section whose rows are computed on
   demand. */
static int load_demanded(struct apsp_tables *tables, enum apsp_section section,
	uint64_t i, uint64_t *out, struct apsp_err *err)
{
	const struct apsp_table_header *header = &tables->header;
	size_t width = width_of(&header->sections[section]);

	if (i / row_elements(header, section) >= header->n_vertices)
		return broken(tables, "an index leads out of its section", err);
	*out = 0;
	return copy_demanded(tables, section, i * width, width, out, err);
}

/* Load the bits of element number i of a section. */
static int load(struct apsp_tables *tables, enum apsp_section section,
	uint64_t i, uint64_t *out, struct apsp_err *err)
{
	const struct apsp_section_place *place =
		&tables->header.sections[section];
	size_t width = width_of(place);
	uint64_t offset;
	int r;

	if (place->absent == APSP_ON_DEMAND)
		return load_demanded(tables, section, i, out, err);
	if (i >= place->size / width)
		return broken(tables, "an index leads out of its section", err);
	/* the size of a block is a multiple of every width, so each element is
	   inside one block */
	offset = place->offset + i * width;
	r = apsp_tables_touch(tables, offset, err);
	if (r < 0)
		return r;
	*out = load_checked(tables, offset, width);
	return 0;
}

static double bits_to_double(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static float bits_to_float(uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	float value;

	memcpy(&value, &low, sizeof(value));
	return value;
}

/* Decode an element of DISTANCE from its bits. */
static bool decode_distance(const struct apsp_table_header *header,
	uint64_t bits, double *distance, uint32_t *hops)
{
	enum apsp_element element =
		header->sections[APSP_SECTION_DISTANCE].element;
	bool only_hops = header->distance_kind == APSP_DISTANCE_HOPS;
	double scale = (double)header->scale;

	if (header->distance_kind == APSP_DISTANCE_SUM)
		return apsp_value_sum(element == APSP_ELEMENT_F32
					      ? (double)bits_to_float(bits)
					      : bits_to_double(bits),
			distance);
	switch (element) {
	case APSP_ELEMENT_U16:
		return apsp_value_v((int32_t)bits, APSP_V_INFINITY_U16,
			only_hops, scale, distance, hops);
	case APSP_ELEMENT_I32:
		return apsp_value_v((int32_t)(uint32_t)bits,
			APSP_V_INFINITY_I32, only_hops, scale, distance, hops);
	default:
		return apsp_value_wide_v(bits_to_double(bits), only_hops,
			header->scale, distance, hops);
	}
}

int apsp_table_read_cell(struct apsp_tables *tables, uint32_t i, uint32_t j,
	struct apsp_cell *out, struct apsp_err *err)
{
	const struct apsp_table_header *header = &tables->header;
	bool sums = header->distance_kind == APSP_DISTANCE_SUM;
	uint32_t hops = UINT32_MAX;
	uint64_t bits;
	double distance;
	int r;

	if (i == j) {
		*out = (struct apsp_cell){.reachable = true};
		return 0;
	}
	r = apsp_table_read_no_widths(header, err);
	if (r == 0)
		r = load(tables, APSP_SECTION_DISTANCE,
			i * header->n_vertices + j, &bits, err);
	if (r < 0)
		return r;
	if (!decode_distance(header, bits, &distance, &hops))
		return broken(tables, APSP_VALUE_BAD_DISTANCE, err);
	*out = (struct apsp_cell){.hops = -1};
	out->reachable = distance != INFINITY;
	if (out->reachable) {
		out->distance = distance;
		out->hops = sums ? -1 : (int64_t)hops;
	}
	return 0;
}

double apsp_table_read_rounded(
	const struct apsp_table_header *header, double sum)
{
	return header->sections[APSP_SECTION_DISTANCE].element ==
			       APSP_ELEMENT_F32
		       ? (double)(float)sum
		       : sum;
}

bool apsp_table_read_holds(
	const struct apsp_table_header *header, double held, double sum)
{
	if (header->sections[APSP_SECTION_DISTANCE].element != APSP_ELEMENT_F32)
		return held == sum;
	return held == (double)(float)sum &&
	       (sum == 0 || fabs(sum) >= (double)FLT_MIN);
}

/* Load the indices in the sections IN_TAILS and IN_ARCS at which the arcs to j
   begin and end. */
static int in_places(struct apsp_tables *tables, uint32_t j, uint64_t *first,
	uint64_t *end, struct apsp_err *err)
{
	int r = load(tables, APSP_SECTION_IN_OFFSETS, j, first, err);

	return r < 0 ? r
		     : load(tables, APSP_SECTION_IN_OFFSETS, (uint64_t)j + 1,
			       end, err);
}

/* Load the integer distance of the pair i → j (daemon/job/table_file.h). */
static int load_v(struct apsp_tables *tables, uint32_t i, uint32_t j,
	int64_t *out, struct apsp_err *err)
{
	const struct apsp_table_header *header = &tables->header;
	uint64_t bits;
	int r = load(tables, APSP_SECTION_DISTANCE, i * header->n_vertices + j,
		&bits, err);

	if (r < 0)
		return r;
	return apsp_value_integer(
		       header->sections[APSP_SECTION_DISTANCE].element, bits,
		       out)
		       ? 0
		       : broken(tables, APSP_VALUE_BAD_DISTANCE, err);
}

/*
 * Find the last arc of the path i → j in a file that holds no predecessors.
 * *out is the index that this arc has in the sections IN_TAILS and IN_ARCS. The
 * arc is the first arc (k,j) in these sections for which V(i,k) plus the arc's
 * integer length is V(i,j). V has the integer distances
 * (daemon/job/table_file.h). Returns 1, or 0 if there is no path.
 */
static int tight_arc(struct apsp_tables *tables, uint32_t i, uint32_t j,
	uint64_t *out, struct apsp_err *err)
{
	uint64_t first = 0, end = 0, tail = 0, arc, length;
	int64_t v, from;
	int r = i == j ? 0 : load_v(tables, i, j, &v, err);

	if (r < 0 || i == j || v == APSP_VALUE_NOWHERE)
		return r;
	r = in_places(tables, j, &first, &end, err);
	for (uint64_t place = first; r == 0 && place < end; place++) {
		r = load(tables, APSP_SECTION_IN_TAILS, place, &tail, err);
		if (r == 0 && tail >= tables->header.n_vertices)
			return broken(tables, APSP_VALUE_BAD_PREDECESSOR, err);
		if (r == 0)
			r = load_v(tables, i, (uint32_t)tail, &from, err);
		if (r == 0)
			r = load(
				tables, APSP_SECTION_IN_ARCS, place, &arc, err);
		if (r == 0)
			r = load(tables, APSP_SECTION_ARC_LENGTHS, arc, &length,
				err);
		if (r == 0 && from != APSP_VALUE_NOWHERE &&
			apsp_value_is_tight(&tables->header, from,
				bits_to_double(length), v)) {
			*out = place;
			return 1;
		}
	}
	return r < 0 ? r : broken(tables, APSP_VALUE_NOT_TIGHT, err);
}

/* Whether last_arc() can find the last arc of a path: predecessors are stored
   as ranks, or the section PREDECESSOR is absent. */
static bool by_arc(const struct apsp_table_header *header)
{
	return apsp_table_has_ranks(header) ||
	       !apsp_table_holds(header, APSP_SECTION_PREDECESSOR);
}

/*
 * Find the last arc of the path i → j. *out is the index that this arc has in
 * the sections IN_TAILS and IN_ARCS. Returns 1, or 0 if there is no path.
 */
static int last_arc(struct apsp_tables *tables, uint32_t i, uint32_t j,
	uint64_t *out, struct apsp_err *err)
{
	const struct apsp_table_header *header = &tables->header;
	uint64_t rank, first, end;
	int r;

	if (!apsp_table_holds(header, APSP_SECTION_PREDECESSOR))
		return tight_arc(tables, i, j, out, err);
	r = load(tables, APSP_SECTION_PREDECESSOR, i * header->n_vertices + j,
		&rank, err);
	if (r < 0 || rank == apsp_value_no_predecessor(header))
		return r;
	r = in_places(tables, j, &first, &end, err);
	if (r < 0)
		return r;
	if (end < first || rank >= end - first)
		return broken(tables, APSP_VALUE_BAD_RANK, err);
	*out = first + rank;
	return 1;
}

int apsp_table_read_predecessor(struct apsp_tables *tables, uint32_t i,
	uint32_t j, uint32_t *out, struct apsp_err *err)
{
	const struct apsp_table_header *header = &tables->header;
	uint64_t bits = APSP_NO_PREDECESSOR, place;
	uint32_t none = APSP_NO_PREDECESSOR, v;
	int r = apsp_table_read_no_widths(header, err);

	if (r < 0)
		return r;
	if (by_arc(header)) {
		r = last_arc(tables, i, j, &place, err);
		if (r > 0)
			r = load(tables, APSP_SECTION_IN_TAILS, place, &bits,
				err);
	} else {
		none = apsp_value_no_predecessor(header);
		r = load(tables, APSP_SECTION_PREDECESSOR,
			i * header->n_vertices + j, &bits, err);
	}
	if (r < 0)
		return r;
	if (!apsp_value_predecessor((uint32_t)bits, none, header, &v))
		return broken(tables, APSP_VALUE_BAD_PREDECESSOR, err);
	*out = v;
	return 0;
}

int apsp_table_read_bits(struct apsp_tables *tables, enum apsp_section section,
	uint32_t i, uint32_t word, uint64_t *out, struct apsp_err *err)
{
	return load(tables, section,
		i * apsp_bit_row_words(tables->header.n_vertices) + word, out,
		err);
}

/* Find the index of the arc from tail to head, by binary search among the heads
   of the arcs out of tail. Returns 1, or 0 if there is no such arc. */
static int find_arc(struct apsp_tables *tables, uint32_t tail, uint32_t head,
	uint64_t *out, struct apsp_err *err)
{
	const struct apsp_section_place *place =
		&tables->header.sections[APSP_SECTION_ARC_HEADS];
	size_t width = width_of(place);
	const unsigned char *heads;
	uint64_t low, high;
	int r;

	r = load(tables, APSP_SECTION_ARC_OFFSETS, tail, &low, err);
	if (r == 0)
		r = load(tables, APSP_SECTION_ARC_OFFSETS, (uint64_t)tail + 1,
			&high, err);
	if (r == 0 && low < high && high > place->size / width)
		r = broken(tables, "an index leads out of its section", err);
	if (r == 0 && low < high)
		r = apsp_table_bytes_get(tables, APSP_SECTION_ARC_HEADS,
			low * width, (high - low) * width, &heads, err);
	while (r == 0 && low < high) {
		uint64_t middle = low + (high - low) / 2;
		uint64_t found = load_checked(
			tables, place->offset + middle * width, width);

		if (found == head) {
			*out = middle;
			return 1;
		}
		if (found < head)
			low = middle + 1;
		else
			high = middle;
	}
	return r;
}

int apsp_table_read_has_arc(struct apsp_tables *tables, uint32_t tail,
	uint32_t head, struct apsp_err *err)
{
	uint64_t arc;

	return find_arc(tables, tail, head, &arc, err);
}

/* Read the weight and the length of the arc with this index. */
static int arc_values(struct apsp_tables *tables, uint64_t arc,
	double *out_weight, double *out_length, struct apsp_err *err)
{
	uint64_t weight, length;
	int r = load(tables, APSP_SECTION_ARC_WEIGHTS, arc, &weight, err);

	if (r == 0)
		r = load(tables, APSP_SECTION_ARC_LENGTHS, arc, &length, err);
	if (r < 0)
		return r;
	*out_weight = bits_to_double(weight);
	*out_length = bits_to_double(length);
	return 0;
}

int apsp_table_read_arc(struct apsp_tables *tables, uint32_t tail,
	uint32_t head, double *out_weight, double *out_length,
	struct apsp_err *err)
{
	uint64_t arc;
	int r = find_arc(tables, tail, head, &arc, err);

	if (r == 0)
		return broken(
			tables, "an arc of a shortest path is missing", err);
	return r < 0 ? r : arc_values(tables, arc, out_weight, out_length, err);
}

int apsp_table_read_last_arc(struct apsp_tables *tables, uint32_t i,
	uint32_t tail, uint32_t j, double *out_weight, double *out_length,
	struct apsp_err *err)
{
	uint64_t place = 0, arc;
	int r;

	if (!by_arc(&tables->header))
		return apsp_table_read_arc(
			tables, tail, j, out_weight, out_length, err);
	r = last_arc(tables, i, j, &place, err);
	if (r == 0)
		return broken(
			tables, "an arc of a shortest path is missing", err);
	if (r > 0)
		r = load(tables, APSP_SECTION_IN_ARCS, place, &arc, err);
	return r < 0 ? r : arc_values(tables, arc, out_weight, out_length, err);
}

int apsp_table_read_copy(struct apsp_tables *tables, enum apsp_section section,
	uint64_t at, uint64_t size, void *out, struct apsp_err *err)
{
	const unsigned char *bytes;
	int r;

	if (tables->header.sections[section].absent == APSP_ON_DEMAND)
		return copy_demanded(tables, section, at, size, out, err);
	r = apsp_table_bytes_get(tables, section, at, size, &bytes, err);
	if (r < 0)
		return r;
	memcpy(out, bytes, size);
	return apsp_tables_trust(tables, err);
}
