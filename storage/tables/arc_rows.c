/*
 * Rows of arcs; see arc_rows.h. The copy is checked, never the mapping, because
 * the file may change between two reads.
 */
#include "storage/tables/arc_rows.h"

#include <math.h>

#include "storage/tables/table_bytes.h"
#include "storage/tables/table_verify.h"
#include "storage/tables/tables_internal.h"

/* Copy elements [first, first + n) of a section. */
static int copy(struct apsp_tables *tables, enum apsp_section section,
	uint64_t first, uint64_t n, void *out, struct apsp_err *err)
{
	const struct apsp_section_place *place =
		&tables->header.sections[section];
	size_t width = apsp_element_size(place->element);

	if (n == 0)
		return 0;
	if (first > place->size / width || n > place->size / width - first)
		return apsp_table_verify_condemn(
			tables, "an index leads out of its section", err);
	return apsp_table_bytes_copy(
		tables, section, first * width, n * width, out, err);
}

int apsp_arc_rows_offsets(struct apsp_tables *tables, uint64_t first,
	uint64_t n, uint64_t *out, struct apsp_err *err)
{
	const struct apsp_table_header *header = &tables->header;
	int r = copy(tables, APSP_SECTION_ARC_OFFSETS, first, n, out, err);
	bool right = true;

	if (r < 0 || n == 0)
		return r;
	for (uint64_t i = 1; i < n; i++)
		right &= out[i - 1] <= out[i];
	right &= out[n - 1] <= header->n_arcs;
	if (first == 0)
		right &= out[0] == 0;
	if (first + n == header->n_vertices + 1)
		right &= out[n - 1] == header->n_arcs;
	return right ? 0
		     : apsp_table_verify_condemn(
			       tables, "rows of arcs do not ascend", err);
}

int apsp_arc_rows_arcs(struct apsp_tables *tables, uint64_t first, uint64_t n,
	const struct apsp_arc_rows *out, struct apsp_err *err)
{
	bool right = true;
	int r;

	r = copy(tables, APSP_SECTION_ARC_HEADS, first, n, out->heads, err);
	if (r == 0)
		r = copy(tables, APSP_SECTION_ARC_WEIGHTS, first, n,
			out->weights, err);
	if (r == 0)
		r = copy(tables, APSP_SECTION_ARC_LENGTHS, first, n,
			out->lengths, err);
	if (r < 0)
		return r;
	for (uint64_t i = 0; i < n; i++)
		right &= out->heads[i] < tables->header.n_vertices &&
			 isfinite(out->lengths[i]);
	return right ? 0
		     : apsp_table_verify_condemn(
			       tables, "an arc has no head or no length", err);
}
