/*
 * Writes a table file whose rows are computed on demand; see demand_file.h.
 */
#include "compute/rows/demand_file.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "compute/graph/in_arcs.h"
#include "compute/parallel.h"
#include "compute/tables/arc_sections.h"
#include "compute/tables/table_writer.h"
#include "daemon/base/auto.h"
#include "daemon/base/size.h"

APSP_AUTO_DEFINE(writer_end, struct apsp_table_writer, apsp_table_writer_free);

/* A search for the vertices of one component. */
struct search {
	const uint32_t *of; /* vertex → component */
	uint32_t *found; /* vertices, in the order in which they were found */
	uint8_t *seen;	 /* for each vertex, whether the search has found it */
	uint32_t *first; /* for each component, the vertex from which its search
			    begins */
	uint32_t *sizes; /* for each component, its number of vertices */
};

static void search_done(struct search *s)
{
	free(s->found);
	free(s->seen);
	free(s->first);
	free(s->sizes);
}

static int search_init(struct search *s, const struct apsp_components *from,
	struct apsp_err *err)
{
	size_t n = from->n_vertices, n_components = from->n_components;

	s->of = from->of;
	s->found = malloc((n + 1) * sizeof(*s->found));
	s->seen = calloc(n + 1, sizeof(*s->seen));
	s->first = calloc(n_components + 1, sizeof(*s->first));
	s->sizes = calloc(n_components + 1, sizeof(*s->sizes));
	return s->found && s->seen && s->first && s->sizes
		       ? 0
		       : apsp_fail(err, APSP_ENOMEM,
				 "no memory to check components");
}

/* Search component c from one of its vertices, along arcs that stay in c.
   `offsets` and `others` are the arcs as compressed sparse rows, either by tail
   or by head. Return whether the search finds all vertices of c. */
static bool search_all(struct search *s, uint32_t c, const uint64_t *offsets,
	const uint32_t *others)
{
	uint32_t n = 1;

	s->found[0] = s->first[c];
	s->seen[s->first[c]] = 1;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t v = s->found[i];

		for (uint64_t a = offsets[v]; a < offsets[v + 1]; a++) {
			if (s->of[others[a]] != c || s->seen[others[a]])
				continue;
			s->seen[others[a]] = 1;
			s->found[n++] = others[a];
		}
	}
	for (uint32_t i = 0; i < n; i++)
		s->seen[s->found[i]] = 0;
	return n == s->sizes[c];
}

static bool arcs_ascend(const struct apsp_lengths *lengths, const uint32_t *of)
{
	bool good = true;

	for (uint32_t v = 0; v < lengths->n_vertices; v++)
		for (uint64_t a = lengths->offsets[v];
			a < lengths->offsets[v + 1]; a++)
			good &= of[v] <= of[lengths->heads[a]];
	return good;
}

/*
 * Prove two facts about the components. First, each arc stays in its component,
 * or leads to a component with a higher number. Second, the vertices of each
 * component reach each other. Takes linear time. APSP_EPROOF: the components
 * are wrong. APSP_ENOMEM.
 */
static int components_prove(const struct apsp_lengths *lengths,
	const struct apsp_components *components, struct apsp_err *err)
{
	APSP_AUTO(search_done) struct search s = {0};
	bool good = arcs_ascend(lengths, components->of);
	int r = search_init(&s, components, err);

	if (r < 0)
		return r;
	for (uint32_t v = 0; v < lengths->n_vertices; v++) {
		uint32_t c = s.of[v];

		good &= c < components->n_components;
		if (!good)
			break;
		s.first[c] = v;
		s.sizes[c]++;
	}
	for (uint32_t c = 0; good && c < components->n_components; c++)
		good = s.sizes[c] <= 1 ||
		       (search_all(&s, c, lengths->offsets, lengths->heads) &&
			       search_all(&s, c, lengths->in.offsets,
				       lengths->in.tails));
	return good ? 0
		    : apsp_fail(err, APSP_EPROOF,
			      "the components are not those of the graph");
}

/*
 * Find the type that distances have in answers. It is float32 if three things
 * are true: distances are sums of real lengths, the profile does not ask for
 * float64, and no path can have a sum outside the normal range of float32.
 * Otherwise it is float64. APSP_EOVERFLOW: a path could have a sum above the
 * range of float64. Such a sum would be infinity, which readers of rows report
 * as no path.
 */
static int distance_element(const struct apsp_demand_file *file,
	enum apsp_element *out, struct apsp_err *err)
{
	const struct apsp_lengths *lengths = file->lengths;
	double least = INFINITY, most = 0;

	*out = APSP_ELEMENT_F64;
	if (file->integers->kind != APSP_DISTANCE_SUM)
		return 0;
	for (uint64_t a = 0; a < lengths->n_arcs; a++) {
		double length = fabs(lengths->lengths[a]);

		most = fmax(most, length);
		if (length > 0)
			least = fmin(least, length);
	}
	/*
	 * There are potentials if some length is negative. Then positive and
	 * negative lengths can cancel each other, so the magnitude of a sum can
	 * be less than `least`, the least magnitude of a length other than 0.
	 * But all lengths, and so all sums, are multiples of the lowest bit of
	 * the mantissa of `least`. So a sum that is not 0 has at least the
	 * magnitude of this bit.
	 */
	if (file->integers->potentials)
		least *= DBL_EPSILON / 2;
	most *= lengths->n_vertices;
	if (isinf(most))
		return apsp_fail(err, APSP_EOVERFLOW,
			"without tables, the largest length times the number "
			"of vertices must be at most 1.8e308; scale the "
			"weights down");
	if (file->precision != APSP_PRECISION_FLOAT64 &&
		least >= (double)FLT_MIN && most <= (double)FLT_MAX)
		*out = APSP_ELEMENT_F32;
	return 0;
}

static int layout(const struct apsp_demand_file *file,
	struct apsp_table_header *out, struct apsp_err *err)
{
	char need[APSP_SIZE_TEXT_SIZE], have[APSP_SIZE_TEXT_SIZE];
	enum apsp_element element;
	int r = distance_element(file, &element, err);

	if (r < 0)
		return r;

	*out = (struct apsp_table_header){
		.n_vertices = file->lengths->n_vertices,
		.n_arcs = file->lengths->n_arcs,
		.distance_kind = file->integers->kind,
		.scale = file->integers->kind == APSP_DISTANCE_SCALED
				 ? file->integers->scale
				 : 1,
		.algorithm = "rows",
		.sections[APSP_SECTION_PREDECESSOR] = {
			.element = apsp_in_arcs_best(file->lengths),
			.absent = APSP_ON_DEMAND}};
	r = apsp_table_header_layout(out, element, err);
	if (r < 0 || file->room_bytes == 0 ||
		out->file_size <= file->room_bytes)
		return r;
	apsp_sizes_format(out->file_size, file->room_bytes, need, have);
	return apsp_fail(err, APSP_ENOSPACE,
		"the file of arcs needs %s and the cache has room for %s "
		"(--cache-limit); delete tables that nobody needs",
		need, have);
}

int apsp_demand_file_write(
	const struct apsp_demand_file *file, struct apsp_err *err)
{
	APSP_AUTO(writer_end) struct apsp_table_writer *writer = NULL;
	const struct apsp_components *components = file->components;
	size_t n = file->lengths->n_vertices;
	struct apsp_table_header header;
	int r = components_prove(file->lengths, components, err);

	if (r >= 0)
		r = layout(file, &header, err);
	if (r >= 0)
		r = apsp_table_writer_open(file->path, APSP_WRITER_ALONE,
			&header, apsp_parallel_processors(),
			apsp_parallel_processors(), &writer, err);
	if (r >= 0)
		r = apsp_arc_sections_write(writer, file->lengths, true, err);
	if (r >= 0)
		r = apsp_table_writer_append(writer, APSP_SECTION_ON_CYCLE,
			file->on_cycle->words,
			file->on_cycle->row_words *
				sizeof(*file->on_cycle->words),
			err);
	if (r >= 0)
		r = apsp_table_writer_append(writer, APSP_SECTION_COMPONENT,
			components->of, n * sizeof(*components->of), err);
	return r < 0 ? r : apsp_table_writer_finish(writer, NULL, err);
}
