/*
 * Reads widths; see pair_width.h. The section DISTANCE has ranks, and the
 * section WIDTHS has the width of each rank (daemon/job/table_file.h). Values
 * are copied before they are checked, so that exactly the checked value is
 * used, even if the file changes meanwhile.
 */
#include "storage/tables/pair_width.h"

#include <math.h>

#include "storage/tables/tables.h"
#include "storage/tables/table_read.h"

/* Messages about values that no solver writes. */
#define BAD_RANK "a rank is not that of a width"
#define BAD_WIDTH "a width is not the weight of an arc"

static bool is_short(const struct apsp_table_header *header)
{
	return header->sections[APSP_SECTION_DISTANCE].element ==
	       APSP_ELEMENT_U16;
}

/* Return the rank that means that there is no path. */
static uint32_t no_path(const struct apsp_table_header *header)
{
	return is_short(header) ? APSP_V_INFINITY_U16 : APSP_V_INFINITY_I32;
}

int apsp_pair_width_rank(struct apsp_tables *tables, uint32_t from, uint32_t to,
	double *out, struct apsp_err *err)
{
	const struct apsp_table_header *header = &tables->header;
	uint64_t cell = from * header->n_vertices + to;
	size_t size = is_short(header) ? sizeof(uint16_t) : sizeof(uint32_t);
	uint16_t narrow = 0;
	uint32_t rank = 0;
	int r;

	if (from == to) {
		*out = 0;
		return 0;
	}
	r = apsp_table_read_copy(tables, APSP_SECTION_DISTANCE, cell * size,
		size, is_short(header) ? (void *)&narrow : &rank, err);
	if (r < 0)
		return r;
	if (is_short(header))
		rank = narrow;
	*out = rank == no_path(header) ? (double)INFINITY : rank;
	if (rank == 0 ||
		(rank != no_path(header) && rank > apsp_table_n_widths(header)))
		return apsp_tables_condemn(tables, BAD_RANK, err);
	return 0;
}

int apsp_pair_width_of_rank(struct apsp_tables *tables, double rank,
	double *out, struct apsp_err *err)
{
	double width = 0;
	int r;

	if (!(rank >= 1 &&
		    rank <= (double)apsp_table_n_widths(&tables->header)))
		return apsp_tables_condemn(tables, BAD_RANK, err);
	r = apsp_table_read_copy(tables, APSP_SECTION_WIDTHS,
		((uint64_t)rank - 1) * sizeof(width), sizeof(width), &width,
		err);
	if (r == 0 && !(width > 0 && width < INFINITY))
		r = apsp_tables_condemn(tables, BAD_WIDTH, err);
	if (r == 0)
		*out = width;
	return r;
}

int apsp_pair_width_read(struct apsp_tables *tables, uint32_t from, uint32_t to,
	double *out, struct apsp_err *err)
{
	double rank;
	int r = apsp_pair_width_rank(tables, from, to, &rank, err);

	if (r < 0)
		return r;
	if (rank > 0 && rank < INFINITY)
		return apsp_pair_width_of_rank(tables, rank, out, err);
	*out = rank == 0 ? (double)INFINITY : 0;
	return 0;
}

/* Decode the ranks of a row. *out_ranks becomes true if all ranks are valid.
   *out_widths becomes true if the widths of all valid ranks are valid. The
   source's own element is not used. */
static void ranks_decode(const struct apsp_table_header *header,
	const void *raw, const double *widths, uint32_t source, double *out,
	bool *out_ranks, bool *out_widths)
{
	uint64_t n_widths = apsp_table_n_widths(header);
	bool narrow = is_short(header), ranks = true, sound = true;
	uint32_t none = no_path(header);

	for (uint64_t j = 0; j < header->n_vertices; j++) {
		uint32_t rank = narrow ? ((const uint16_t *)raw)[j]
				       : ((const uint32_t *)raw)[j];
		bool is_path = (rank != none) & (j != source);
		bool is_rank = rank - 1 < n_widths; /* false if rank is 0 */
		double width = is_path & is_rank ? widths[rank - 1] : 0;

		out[j] = width;
		ranks &= is_rank | !is_path;
		sound &= ((width > 0) & (width < INFINITY)) | !is_path;
	}
	out[source] = INFINITY;
	*out_ranks = ranks;
	*out_widths = sound;
}

int apsp_pair_width_row(struct apsp_tables *tables, uint32_t source, void *raw,
	double *out, struct apsp_err *err)
{
	const struct apsp_table_header *header = &tables->header;
	uint64_t n = header->n_vertices;
	uint64_t size =
		n * (is_short(header) ? sizeof(uint16_t) : sizeof(uint32_t));
	const void *widths = NULL;
	bool ranks, sound;
	int r;

	r = apsp_table_read_copy(
		tables, APSP_SECTION_DISTANCE, source * size, size, raw, err);
	if (r == 0)
		r = apsp_table_bytes_section(
			tables, APSP_SECTION_WIDTHS, &widths, err);
	if (r < 0)
		return r;
	ranks_decode(header, raw, widths, source, out, &ranks, &sound);
	/* the widths were read directly from the mapping, so check that no
	   damage was found (where the file cannot be read, the mapping has
	   zeros) */
	r = apsp_tables_trust(tables, err);
	if (r == 0 && !ranks)
		r = apsp_tables_condemn(tables, BAD_RANK, err);
	if (r == 0 && !sound)
		r = apsp_tables_condemn(tables, BAD_WIDTH, err);
	return r;
}

int apsp_pair_width_facts(struct apsp_tables *tables,
	struct apsp_width_facts *out, struct apsp_err *err)
{
	uint64_t n = apsp_table_n_widths(&tables->header);
	const void *widths = NULL;
	int r = apsp_table_bytes_section(
		tables, APSP_SECTION_WIDTHS, &widths, err);

	*out = (struct apsp_width_facts){.whole = true, .single = true};
	for (uint64_t i = 0; r == 0 && i < n; i++) {
		double width = ((const double *)widths)[i];

		out->whole &= rint(width) == width;
		out->single &= (double)(float)width == width;
	}
	return r < 0 ? r : apsp_tables_trust(tables, err);
}
