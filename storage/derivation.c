/*
 * Makes a graph from a stored graph; see derivation.h.
 *
 *	map the vertices → read the arcs → add the sums as arcs → end the upload
 */
#include "storage/derivation.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/array.h"
#include "daemon/base/auto.h"
#include "daemon/base/bit_set.h"
#include "daemon/job/arc_facts.h"
#include "storage/store.h"

enum {
	LEFT_OUT = -1, /* in new_vertex: the vertex is left out */
	VERTICES_STEP = 8192,
	SUMS_STEP = 16384, /* number of sums that one step adds as arcs */
};

APSP_AUTO_DEFINE(derivation_end, struct apsp_derivation, apsp_derivation_free);

/* Free the memory that was needed to read the arcs. This memory is counted in
   the upload's share, so free it before the upload. */
static void work_done(struct apsp_derivation *self)
{
	apsp_pair_sums_done(&self->sums);
	free(self->new_vertex);
	self->new_vertex = NULL;
	free(self->chosen);
	self->chosen = NULL;
	if (self->upload)
		apsp_share_shrink(self->upload->builder.share,
			self->n_new * sizeof(*self->new_vertex));
	self->n_new = 0;
}

void apsp_derivation_free(struct apsp_derivation *self)
{
	if (!self)
		return;
	work_done(self);
	apsp_upload_free(self->upload);
	apsp_graph_snapshot_unref(self->snapshot);
	free(self);
}

static int upload_open(struct apsp_derivation *self,
	const struct apsp_derivation_question *question,
	const struct apsp_upload_options *said, struct apsp_err *err)
{
	const struct apsp_generation *generation = self->generation;
	struct apsp_upload_options options = *said;
	int r;

	options.format = generation->format;
	options.format_unsaid = false;
	options.coding = APSP_CODING_IDENTITY;
	options.file = (struct apsp_file_options){0};
	options.body_bytes = generation->n_arcs * sizeof(struct apsp_arc);
	options.no_body = true;
	options.attributes = !question->by_column && generation->attributes
				     ? generation->attributes->id
				     : 0;
	if (!options.weight_unit_said && *generation->weight_unit) {
		options.weight_unit_said = true;
		memcpy(options.weight_unit, generation->weight_unit,
			sizeof(options.weight_unit));
	}
	options.origin.question = strdup(question->text);
	if (!options.origin.question)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a graph");
	memcpy(options.origin.graph, self->snapshot->name,
		sizeof(options.origin.graph));
	memcpy(options.origin.revision, generation->revision,
		sizeof(options.origin.revision));
	r = apsp_upload_open(apsp_store_parts(self->store)->spool_dir, &options,
		&self->upload, err);
	if (r < 0) {
		free(options.origin.question);
		return r;
	}
	self->upload->builder.stored_before = !question->by_column;
	return 0;
}

/* Set new_vertex[v]: the index in the new graph of vertex v of the origin, or
   LEFT_OUT. */
static int vertex_map(
	struct apsp_derivation *self, uint32_t v, struct apsp_err *err)
{
	const struct apsp_generation *generation = self->generation;
	const char *text;
	uint32_t index;
	size_t size;
	int r;

	if (self->by_column) {
		text = apsp_attributes_text(
			generation->attributes, self->column, v);
		size = strlen(text);
	} else {
		text = apsp_labels_get(generation->labels, v, &size);
		if (!apsp_bit_set_has(self->chosen, v))
			size = 0;
	}
	self->new_vertex[v] = LEFT_OUT;
	self->n_left_out += size == 0;
	if (size == 0)
		return 0;
	r = apsp_graph_builder_vertex(&self->upload->builder, text, size,
		(struct apsp_text_position){0}, &index, err);
	if (r == 0)
		self->new_vertex[v] = (int32_t)index;
	return r;
}

/* Set new_vertex for the next vertices of the origin. */
static int vertices_map(struct apsp_derivation *self, struct apsp_err *err)
{
	uint32_t n_vertices = self->generation->n_vertices;
	int r = 0;

	for (int i = 0; i < VERTICES_STEP && self->n_mapped < n_vertices; i++) {
		r = vertex_map(self, self->n_mapped++, err);
		if (r < 0)
			return r;
	}
	if (self->n_left_out < n_vertices)
		return 1;
	return apsp_fail(err, APSP_EDATA,
		self->by_column
			? "no vertex of '%s' has a value of this attribute, so "
			  "the new graph has no vertex"
			: "no vertex of '%s' matches, so the new graph has no "
			  "vertex",
		self->snapshot->name);
}

int apsp_derivation_new(struct apsp_store *store,
	struct apsp_derivation_question *question,
	const struct apsp_upload_options *options, struct apsp_derivation **out,
	struct apsp_err *err)
{
	APSP_AUTO(derivation_end) struct apsp_derivation *self = NULL;
	struct apsp_array_growth growth = {.element = sizeof(*self->new_vertex),
		.first = question->generation->n_vertices,
		.purpose = "the vertices of the origin"};
	int r;

	self = calloc(1, sizeof(*self));
	if (!self)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a graph");
	self->store = store;
	self->snapshot = apsp_graph_snapshot_ref(question->snapshot);
	self->generation = question->generation;
	self->by_column = question->by_column;
	self->column = question->column;
	r = upload_open(self, question, options, err);
	if (r < 0)
		return r;
	growth.share = self->upload->builder.share;
	apsp_pair_sums_init(&self->sums, APSP_DUPLICATES_SUM, growth.share);
	r = apsp_array_reserve(
		&self->new_vertex, growth.first, &self->n_new, &growth, err);
	if (r < 0)
		return r;
	self->chosen = APSP_TAKE(question->chosen);
	*out = APSP_TAKE(self);
	return 0;
}

/* Add an arc to the new graph. If the weight is refused, the message names the
   ends of the arc, because the upload has no file, and therefore no line
   numbers. */
static int arc_add(struct apsp_derivation *self, const struct apsp_arc *arc,
	struct apsp_err *err)
{
	const struct apsp_labels *labels = self->upload->builder.labels;
	struct apsp_err why;
	int r = apsp_graph_builder_arc(&self->upload->builder, arc->from,
		arc->to, arc->weight, (struct apsp_text_position){0}, &why);

	if (r == 0)
		return 0;
	if (r != APSP_EDATA) {
		*err = why;
		return r;
	}
	return apsp_fail(err, APSP_EDATA, "the arc from '%.64s' to '%.64s': %s",
		apsp_labels_get(labels, arc->from, NULL),
		apsp_labels_get(labels, arc->to, NULL), why.message);
}

/* Read the next arcs of the origin. Returns 1 if arcs were read, 0 at the
   end. */
static int arcs_read(struct apsp_derivation *self, struct apsp_err *err)
{
	int n = apsp_stored_arcs_read(self->store, self->generation, self->next,
		&self->digest, self->arcs, err);
	int r = 0;

	if (n <= 0)
		return n;
	for (int i = 0; i < n && r == 0; i++) {
		struct apsp_arc arc = self->arcs[i];
		int32_t from = self->new_vertex[arc.from];
		int32_t to = self->new_vertex[arc.to];

		if (from == LEFT_OUT || to == LEFT_OUT) {
			self->n_arcs_left_out++;
			continue;
		}
		self->n_arcs_used++;
		arc.from = (uint32_t)from;
		arc.to = (uint32_t)to;
		r = self->by_column ? apsp_pair_sums_add(&self->sums, &arc, err)
				    : arc_add(self, &arc, err);
	}
	self->next += (uint64_t)n;
	return r < 0 ? r : 1;
}

/* Add the next sums of weights to the new graph, each as one arc. Returns 1 if
   sums were added, 0 at the end. */
static int sums_add(struct apsp_derivation *self, struct apsp_err *err)
{
	size_t end = self->next_sum + SUMS_STEP;
	int r = 0;

	if (self->next_sum == self->sums.n)
		return 0;
	if (end > self->sums.n)
		end = self->sums.n;
	for (; self->next_sum < end && r == 0; self->next_sum++) {
		struct apsp_arc arc =
			apsp_pair_sums_get(&self->sums, self->next_sum);

		r = arc_add(self, &arc, err);
	}
	return r < 0 ? r : 1;
}

int apsp_derivation_step(struct apsp_derivation *self, struct apsp_err *err)
{
	int r;

	if (self->n_mapped < self->generation->n_vertices)
		return vertices_map(self, err);
	r = arcs_read(self, err);
	if (r == 0)
		r = sums_add(self, err);
	if (r != 0)
		return r;
	work_done(self);
	r = apsp_arc_facts_check(self->upload->builder.weights,
		&self->upload->builder.profile, err);
	return r < 0 ? r : apsp_upload_end(self->upload, err);
}
