/*
 * Cells and bits; see lookup.h.
 */
#include "storage/tables/lookup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "storage/tables/row_decode.h"
#include "storage/tables/table_bytes.h"
#include "storage/tables/table_verify.h"

int apsp_lookup_cell(struct apsp_tables *tables, uint32_t from, uint32_t to,
	struct apsp_cell *out, struct apsp_err *err)
{
	struct apsp_cell cell = {.reachable = true};
	int r = 0;

	if (from != to)
		r = apsp_table_read_cell(tables, from, to, &cell, err);
	if (r == 0)
		r = apsp_table_verify_trust(tables, err);
	if (r < 0)
		return r;
	*out = cell;
	return 0;
}

int apsp_lookup_row(struct apsp_tables *tables, uint32_t from, double *distance,
	uint32_t *hops, struct apsp_err *err)
{
	const struct apsp_table_header *header = apsp_tables_header(tables);
	size_t width = apsp_element_size(
		header->sections[APSP_SECTION_DISTANCE].element);
	size_t size = header->n_vertices * width;
	APSP_AUTO(apsp_free) void *raw = NULL;
	bool good;
	int r;

	raw = malloc(size);
	if (!raw)
		return apsp_fail_errno(err, ENOMEM, "a row");
	/* decoded from a copy, because the file may change between check and
	   use */
	r = apsp_table_bytes_copy(
		tables, APSP_SECTION_DISTANCE, from * size, size, raw, err);
	if (r < 0)
		return r;
	if (header->distance_kind == APSP_DISTANCE_SUM) {
		good = apsp_row_decode_sums(header, raw, distance);
		memset(hops, 0xff, header->n_vertices * sizeof(*hops));
	} else {
		good = apsp_row_decode_v(header, raw, distance, hops);
		hops[from] = 0;
	}
	distance[from] = 0;
	return good ? 0
		    : apsp_table_verify_condemn(
			      tables, "a distance is out of its range", err);
}

static int read_bit(struct apsp_tables *tables, enum apsp_section section,
	uint32_t row, uint32_t column, bool *out, struct apsp_err *err)
{
	uint64_t word;
	int r;

	r = apsp_table_read_bits(tables, section, row, column / 64, &word, err);
	if (r == 0)
		r = apsp_table_verify_trust(tables, err);
	if (r < 0)
		return r;
	*out = word >> column % 64 & 1;
	return 0;
}

int apsp_lookup_reachable(struct apsp_tables *tables, uint32_t from,
	uint32_t to, bool *out, struct apsp_err *err)
{
	return read_bit(tables, APSP_SECTION_CLOSURE, from, to, out, err);
}

int apsp_lookup_on_cycle(
	struct apsp_tables *tables, uint32_t v, bool *out, struct apsp_err *err)
{
	return read_bit(tables, APSP_SECTION_ON_CYCLE, 0, v, out, err);
}

int apsp_lookup_neighbourhood(struct apsp_tables *tables, uint32_t v,
	struct apsp_neighbourhood *out, struct apsp_err *err)
{
	uint32_t n = (uint32_t)apsp_tables_header(tables)->n_vertices;
	struct apsp_neighbourhood found = {.first = v};
	uint64_t row, column;
	int r = 0;

	for (uint32_t w = 0; w < (n + 63) / 64; w++) {
		r = apsp_table_read_bits(
			tables, APSP_SECTION_CLOSURE, v, w, &row, err);
		if (r == 0)
			r = apsp_table_read_bits(tables,
				APSP_SECTION_CLOSURE_TRANSPOSED, v, w, &column,
				err);
		if (r < 0)
			return r;
		if (found.n_component == 0 && (row & column))
			found.first = w * 64 +
				      (uint32_t)__builtin_ctzll(row & column);
		found.n_reached += (uint32_t)__builtin_popcountll(row);
		found.n_reaching += (uint32_t)__builtin_popcountll(column);
		found.n_component +=
			(uint32_t)__builtin_popcountll(row & column);
	}
	r = apsp_table_verify_trust(tables, err);
	if (r == 0 && found.first >= n)
		return apsp_table_verify_condemn(
			tables, "a closure row has a bit past its end", err);
	if (r == 0)
		*out = found;
	return r;
}
