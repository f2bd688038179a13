/*
 * The rules that all formats share; see graph_builder.h.
 */
#include "storage/ingest/graph_builder.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "daemon/base/number.h"
#include "daemon/base/utf8.h"
#include "daemon/base/weights.h"

int apsp_graph_builder_vertex(struct apsp_graph_builder *builder,
	const char *text, size_t size, struct apsp_text_position place,
	uint32_t *out_index, struct apsp_err *err)
{
	int r;

	if (size > APSP_LABEL_MAX)
		return apsp_refuse(err, place,
			"the vertex label '%s' has %zu bytes, expected at "
			"most %d",
			apsp_excerpt_of(text, size).text, size, APSP_LABEL_MAX);
	r = apsp_labels_intern(builder->labels, text, size, out_index, err);
	return r == APSP_EDATA ? apsp_refuse_again(err, place) : r;
}

int apsp_graph_builder_numbered(struct apsp_graph_builder *builder,
	uint64_t first, uint64_t n, struct apsp_text_position place,
	struct apsp_err *err)
{
	char text[24];
	uint32_t index;
	int length, r;

	if (n == 0 || n > APSP_VERTICES_MAX)
		return apsp_refuse(err, place,
			"the graph has %" PRIu64 " vertices, expected 1 to %d",
			n, APSP_VERTICES_MAX);
	for (uint64_t i = first; i < first + n; i++) {
		length = snprintf(text, sizeof(text), "%" PRIu64, i);
		r = apsp_graph_builder_vertex(
			builder, text, (size_t)length, place, &index, err);
		if (r < 0)
			return r;
	}
	return 0;
}

static int weight_refuse(const struct apsp_graph_builder *builder,
	double weight, struct apsp_text_position place, struct apsp_err *err)
{
	if (!isfinite(weight))
		return apsp_refuse(err, place,
			"the weight is %s, expected a finite number",
			isnan(weight) ? "not a number" : "infinite");
	return apsp_refuse(err, place,
		"the weight is %g, but the transform %s (invalid=drop leaves "
		"such arcs out)",
		weight, apsp_transform_domain(builder->profile.transform));
}

int apsp_graph_builder_weighted(struct apsp_graph_builder *builder,
	enum apsp_meaning meaning, const char *name,
	struct apsp_text_position place, struct apsp_err *err)
{
	if (!builder->transform_unsaid)
		return 0;
	if (meaning == APSP_MEANING_UNSAID)
		return apsp_refuse_as(APSP_ETRANSFORM, err, place,
			"%s%s%s may be lengths (less is nearer) or strengths, "
			"like counts of synapses (more is nearer): say "
			"transform=none if they are lengths, transform=inv "
			"(length 1/w) if they are strengths",
			name ? "the numbers of '" : "the weights",
			name ? name : "", name ? "'" : "");
	builder->transform_unsaid = false;
	return 0;
}

int apsp_graph_builder_arc(struct apsp_graph_builder *builder, uint32_t from,
	uint32_t to, double weight, struct apsp_text_position place,
	struct apsp_err *err)
{
	const struct apsp_profile *profile = &builder->profile;
	/* the sum turns -0 into 0, so that both have one revision */
	const struct apsp_arc arc = {from, to, weight + 0.0};
	int r;

	if (weight != 1) {
		r = apsp_graph_builder_weighted(
			builder, APSP_MEANING_UNSAID, NULL, place, err);
		if (r < 0)
			return r;
	}
	if (!apsp_transform_accepts(profile->transform, weight) &&
		(!isfinite(weight) || profile->invalid == APSP_INVALID_REFUSE))
		return weight_refuse(builder, weight, place, err);
	if (builder->spool.n_arcs >= builder->max_arcs)
		return apsp_fail_at(err, APSP_ETOOLARGE, place.line,
			place.column,
			"line %" PRIu64 " has one arc too many, the limit is "
			"%" PRIu64,
			place.line, builder->max_arcs);
	/* a self-loop never gets a length */
	if (from != to)
		builder->weights |= apsp_weights_of(weight);
	return apsp_arc_spool_add(&builder->spool, arc, err);
}

int apsp_graph_builder_cell(struct apsp_graph_builder *builder, uint32_t from,
	uint32_t to, double value, struct apsp_text_position place,
	struct apsp_err *err)
{
	double nonedge = builder->has_nonedge ? builder->nonedge : 0;

	if (isinf(value) || value == nonedge)
		return 0;
	return apsp_graph_builder_arc(builder, from, to, value, place, err);
}

/* Refuse a text that is no finite number. */
static int number_refuse(enum apsp_number kind, const char *text, size_t size,
	struct apsp_text_position place, struct apsp_err *err)
{
	struct apsp_excerpt found = apsp_excerpt_of(text, size);

	if (size == 0)
		return apsp_refuse(
			err, place, "the weight is blank, expected a number");
	if (kind == APSP_NUMBER_NONE)
		return apsp_refuse(err, place,
			"found '%s', expected a number as weight", found.text);
	return apsp_refuse(err, place,
		"the weight is '%s', expected a finite number%s", found.text,
		kind == APSP_NUMBER_RANGE ? " of 64-bit floating point" : "");
}

int apsp_graph_builder_cell_text(struct apsp_graph_builder *builder,
	uint32_t from, uint32_t to, const char *text, size_t size,
	struct apsp_text_position place, struct apsp_err *err)
{
	enum apsp_number kind;
	double value;

	if (size == 0)
		return 0;
	kind = apsp_number_parse(text, size, &value);
	if (kind == APSP_NUMBER_INFINITE)
		return 0;
	if (kind != APSP_NUMBER_FINITE)
		return number_refuse(kind, text, size, place, err);
	return apsp_graph_builder_cell(builder, from, to, value, place, err);
}

int apsp_weight_parse(const char *text, size_t size,
	struct apsp_text_position place, double *out, struct apsp_err *err)
{
	enum apsp_number kind = apsp_number_parse(text, size, out);

	if (kind == APSP_NUMBER_FINITE)
		return 0;
	return number_refuse(kind, text, size, place, err);
}
