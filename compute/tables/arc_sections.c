/*
 * Writes the arcs of a graph into a table file; see arc_sections.h.
 */
#include "compute/tables/arc_sections.h"

#include "compute/graph/in_arcs.h"

enum {
	ONES = 512, /* number of lengths that ones_write() writes at a time */
};

/* Write n lengths of 1. If all lengths are 1, struct apsp_lengths has no array
   of lengths, so this function makes an array. */
static int ones_write(
	struct apsp_table_writer *writer, uint64_t n, struct apsp_err *err)
{
	double ones[ONES];
	int r = 0;

	for (int i = 0; i < ONES; i++)
		ones[i] = 1;
	while (r >= 0 && n > 0) {
		uint64_t step = n < ONES ? n : ONES;

		r = apsp_table_writer_append(writer, APSP_SECTION_ARC_LENGTHS,
			ones, step * sizeof(*ones), err);
		n -= step;
	}
	return r;
}

static int in_arcs_write(struct apsp_table_writer *writer,
	const struct apsp_lengths *lengths, struct apsp_err *err)
{
	const struct apsp_in_arcs *in = &lengths->in;
	size_t n = lengths->n_vertices, m = lengths->n_arcs;
	int r = apsp_in_arcs_check(lengths, err);

	if (r >= 0)
		r = apsp_table_writer_append(writer, APSP_SECTION_IN_OFFSETS,
			in->offsets, (n + 1) * sizeof(*in->offsets), err);
	if (r >= 0)
		r = apsp_table_writer_append(writer, APSP_SECTION_IN_TAILS,
			in->tails, m * sizeof(*in->tails), err);
	return r < 0 ? r
		     : apsp_table_writer_append(writer, APSP_SECTION_IN_ARCS,
			       in->arcs, m * sizeof(*in->arcs), err);
}

/* Write the lists that group the arcs by head. If `lengths` does not have these
   lists, build them first. */
static int in_arcs_add(struct apsp_table_writer *writer,
	const struct apsp_lengths *lengths, struct apsp_err *err)
{
	struct apsp_lengths own = *lengths;
	int r;

	if (lengths->in.offsets)
		return in_arcs_write(writer, lengths, err);
	own.in = (struct apsp_in_arcs){0};
	r = apsp_in_arcs_build(&own, err);
	if (r >= 0)
		r = in_arcs_write(writer, &own, err);
	apsp_in_arcs_done(&own.in);
	return r;
}

int apsp_arc_sections_write(struct apsp_table_writer *writer,
	const struct apsp_lengths *lengths, bool by_head, struct apsp_err *err)
{
	size_t n = lengths->n_vertices, m = lengths->n_arcs;
	int r = apsp_lengths_check(lengths, err);

	if (r >= 0)
		r = apsp_table_writer_append(writer, APSP_SECTION_ARC_OFFSETS,
			lengths->offsets, (n + 1) * sizeof(*lengths->offsets),
			err);
	if (r >= 0)
		r = apsp_table_writer_append(writer, APSP_SECTION_ARC_HEADS,
			lengths->heads, m * sizeof(*lengths->heads), err);
	if (r >= 0)
		r = apsp_table_writer_append(writer, APSP_SECTION_ARC_WEIGHTS,
			lengths->weights, m * sizeof(*lengths->weights), err);
	if (r >= 0)
		r = lengths->lengths
			    ? apsp_table_writer_append(writer,
				      APSP_SECTION_ARC_LENGTHS,
				      lengths->lengths,
				      m * sizeof(*lengths->lengths), err)
			    : ones_write(writer, m, err);
	return r < 0 || !by_head ? r : in_arcs_add(writer, lengths, err);
}
