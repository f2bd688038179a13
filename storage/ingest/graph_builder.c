/*
 * The rules that all formats share; see graph_builder.h.
 */
#include "storage/ingest/graph_builder.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/job/arc_facts.h"
#include "daemon/base/number.h"
#include "daemon/job/profile_domain.h"
#include "daemon/base/utf8.h"

int apsp_graph_builder_open(struct apsp_graph_builder *builder,
	const char *spool_dir, struct apsp_err *err)
{
	int r = apsp_labels_new(builder->share, &builder->labels, err);

	if (r < 0)
		return r;
	builder->findings.numeric = true;
	apsp_arc_counts_init(&builder->counts, builder->share);
	return apsp_arc_spool_open(
		spool_dir, builder->share, &builder->spool, err);
}

void apsp_graph_builder_done(struct apsp_graph_builder *builder)
{
	apsp_arc_spool_close(&builder->spool);
	apsp_arc_counts_done(&builder->counts);
	free(builder->touched.words);
	for (size_t i = 0; i < builder->bundled.n_profiles; i++)
		apsp_received_table_free(builder->bundled.profiles[i].received);
	free(builder->bundled.origin.question);
	free(builder->bundled.profiles);
	free(builder->bundled.attributes.bytes);
	apsp_labels_unref(builder->labels);
}

void apsp_graph_builder_end(struct apsp_graph_builder *builder)
{
	struct apsp_findings *findings = &builder->findings;
	const char *label;
	size_t size;

	findings->merged_known = !builder->counts.pairs_given_up;
	findings->n_vertices = builder->labels->count;
	for (uint32_t v = 0; v < findings->n_vertices; v++) {
		if (apsp_vertex_marks_has(&builder->touched, v))
			continue;
		label = apsp_labels_get(builder->labels, v, &size);
		apsp_found_add(&findings->isolated, label, size);
	}
	builder->weights |= apsp_arc_counts_facts(
		&builder->counts, findings->n_vertices - findings->isolated.n);
	apsp_arc_counts_done(&builder->counts);
}

/* Record whether a new label is a number. For each finding about labels, count
   the label if it has the property that the finding reports. */
static void label_note(
	struct apsp_findings *findings, const char *text, size_t size)
{
	const char *point = memchr(text, '.', size);
	size_t digits = 0;
	double value;

	while (digits < size && text[digits] >= '0' && text[digits] <= '9')
		digits++;
	if (digits == size) {
		if (size < APSP_LONG_DIGITS)
			return;
		apsp_found_add(&findings->long_ids, text, size);
		digits = APSP_KEPT_DIGITS;
		while (digits < size && text[digits] == '0')
			digits++;
		findings->n_long_zeros += digits == size;
		return;
	}
	if (apsp_missing_value(text, size))
		apsp_found_add(&findings->missing, text, size);
	if (apsp_number_parse(text, size, &value) != APSP_NUMBER_FINITE) {
		findings->numeric = false;
		return;
	}
	if (value >= 1e15 && value < 1e19 && value == (double)(uint64_t)value)
		apsp_found_add(&findings->rounded, text, size);
	else if (point && size - (size_t)(point - text) == 2 &&
		 text[size - 1] == '0')
		apsp_found_add(&findings->decimal, text, size);
}

int apsp_graph_builder_vertex(struct apsp_graph_builder *builder,
	const char *text, size_t size, struct apsp_text_position place,
	uint32_t *out_index, struct apsp_err *err)
{
	const uint32_t before = builder->labels->count;
	int r;

	if (size > APSP_LABEL_MAX)
		return apsp_refuse(err, place,
			"the vertex label '%s' has %zu bytes, expected at "
			"most %d",
			apsp_excerpt_of(text, size).text, size, APSP_LABEL_MAX);
	r = apsp_labels_intern(builder->labels, text, size, out_index, err);
	if (r == 0 && *out_index == before)
		label_note(&builder->findings, text, size);
	if (r == APSP_EDATA)
		return apsp_refuse(err, place, "%s", err ? err->message : "");
	return r;
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
	builder->findings.has_index_base = true;
	builder->findings.index_base = first;
	for (uint64_t i = first; i < first + n; i++) {
		length = snprintf(text, sizeof(text), "%" PRIu64, i);
		r = apsp_graph_builder_vertex(
			builder, text, (size_t)length, place, &index, err);
		if (r < 0)
			return r;
	}
	return 0;
}

int apsp_graph_builder_weighted(struct apsp_graph_builder *builder,
	enum apsp_meaning meaning, const char *name,
	struct apsp_text_position place, struct apsp_err *err)
{
	if (!builder->transform_unsaid)
		return 0;
	if (meaning == APSP_MEANING_UNSAID) {
		apsp_refuse(err, place,
			"%s%s%s may be lengths (less is nearer) or strengths, "
			"like counts of synapses (more is nearer): say "
			"transform=none if they are lengths, transform=inv "
			"(length 1/w) if they are strengths",
			name ? "the numbers of '" : "the weights",
			name ? name : "", name ? "'" : "");
		if (err)
			err->code = APSP_ETRANSFORM;
		return APSP_ETRANSFORM;
	}
	builder->transform_unsaid = false;
	return 0;
}

/* Whether a weight outside the transform's domain is refused while the upload
   is read. `weight` is the weight of an arc, or the sum of the weights of a
   pair. */
static bool refuses(const struct apsp_graph_builder *builder, double weight)
{
	const struct apsp_profile *profile = &builder->profile;

	return profile->invalid == APSP_INVALID_REFUSE &&
	       !builder->stored_before &&
	       !apsp_profile_may_spare(profile, weight);
}

/* Whether the exact sum of a pair's weights is certainly above 1. `sum` is the
   sum that was rounded after each weight. For at most 2^31 weights above 0, its
   relative error is less than 2^-21. Sums near 1 are left to the job, which
   adds exactly. */
static bool exceeds_one(double sum)
{
	return sum > 1 + 0x1p-20;
}

static int arc_add(struct apsp_graph_builder *builder, struct apsp_arc arc,
	struct apsp_text_position place, struct apsp_err *err)
{
	const struct apsp_profile *profile = &builder->profile;
	double sum;

	if (builder->spool.n_arcs >= builder->max_arcs) {
		apsp_refuse(err, place,
			"this is one arc too many, the limit is %" PRIu64,
			builder->max_arcs);
		if (err)
			err->code = APSP_ETOOLARGE;
		return APSP_ETOOLARGE;
	}
	if (apsp_arc_counts_add(&builder->counts, &arc, &sum))
		builder->findings.n_merged++;
	if (exceeds_one(sum))
		builder->weights |= APSP_ARC_SUM_ABOVE_ONE;
	/* refuse the sum while the upload is read, because it would make the
	   job fail later */
	if (exceeds_one(sum) && profile->transform == APSP_TRANSFORM_LOG &&
		profile->duplicates == APSP_DUPLICATES_SUM &&
		profile->normalise == APSP_NORMALISE_NONE &&
		refuses(builder, sum))
		return apsp_refuse(err, place,
			"the weights of this pair, which duplicates=sum adds, "
			"come to %g, but the transform %s (invalid=drop leaves "
			"such arcs out)",
			sum, apsp_profile_refusal(profile, sum));
	return apsp_arc_spool_add(&builder->spool, arc, err);
}

int apsp_graph_builder_arc(struct apsp_graph_builder *builder, uint32_t from,
	uint32_t to, double weight, struct apsp_text_position place,
	struct apsp_err *err)
{
	const struct apsp_profile *profile = &builder->profile;
	struct apsp_findings *findings = &builder->findings;
	/* adding 0 turns -0 into 0, so that both weights give the same
	   revision */
	const struct apsp_arc arc = {from, to, weight + 0.0};
	const uint64_t merged = findings->n_merged;
	const char *refusal = apsp_profile_refusal(profile, weight);
	int r = 0;

	if (weight != 1)
		r = apsp_graph_builder_weighted(
			builder, APSP_MEANING_UNSAID, NULL, place, err);
	if (r < 0)
		return r;
	if (!isfinite(weight))
		return apsp_refuse(err, place,
			"the weight is %s, expected a finite number",
			isnan(weight) ? "not a number" : "infinite");
	if (refusal && refuses(builder, weight))
		return apsp_refuse(err, place,
			"the weight is %g, but %s%s (invalid=drop leaves such "
			"arcs out)",
			weight,
			profile->path == APSP_PATH_WIDEST ||
					profile->normalise !=
						APSP_NORMALISE_NONE
				? ""
				: "the transform ",
			refusal);
	findings->n_rows++;
	findings->n_outside += refusal && profile->invalid == APSP_INVALID_DROP;
	r = arc_add(builder, arc, place, err);
	if (r < 0)
		return r;
	if (from == to) { /* a self-loop gets no length; record only the sign of
			     its weight */
		findings->n_loops++;
		builder->weights |=
			apsp_arc_facts_of_weight(weight) & APSP_ARC_NEGATIVE;
		return 0;
	}
	builder->weights |= apsp_arc_facts_of_weight(weight);
	r = apsp_vertex_marks_add(&builder->touched, from, err);
	if (r == 0)
		r = apsp_vertex_marks_add(&builder->touched, to, err);
	if (r < 0 || !builder->file.undirected)
		return r;
	findings->n_repeats += findings->n_merged > merged;
	return arc_add(
		builder, (struct apsp_arc){to, from, arc.weight}, place, err);
}

int apsp_graph_builder_cell(struct apsp_graph_builder *builder, uint32_t from,
	uint32_t to, double value, struct apsp_text_position place,
	struct apsp_err *err)
{
	if (value == INFINITY || value == builder->file.nonedge)
		return 0;
	if (isnan(value) && builder->profile.invalid == APSP_INVALID_DROP) {
		builder->findings.n_missing++;
		return 0;
	}
	if (value == -INFINITY)
		return apsp_refuse(err, place,
			"the weight is '-inf', expected a finite number, or "
			"inf where there is no arc");
	return apsp_graph_builder_arc(builder, from, to, value, place, err);
}

enum apsp_number apsp_file_number(const struct apsp_file_options *file,
	const char *text, size_t size, double *out)
{
	char pointed[APSP_NUMBER_MAX];
	char *comma;

	if (!file->decimal_comma || size > sizeof(pointed) || size == 0)
		return apsp_number_parse(text, size, out);
	if (memchr(text, '.', size))
		return APSP_NUMBER_NONE;
	memcpy(pointed, text, size);
	comma = memchr(pointed, ',', size);
	if (comma)
		*comma = '.';
	return apsp_number_parse(pointed, size, out);
}

bool apsp_file_text(
	const struct apsp_file_options *file, const char *text, size_t size)
{
	double value;

	return !apsp_missing_value(text, size) &&
	       apsp_file_number(file, text, size, &value) == APSP_NUMBER_NONE;
}

void apsp_graph_builder_whole(struct apsp_graph_builder *builder,
	const char *text, size_t size, double value)
{
	char rounded[APSP_NUMBER_MAX + 1];
	size_t begin = *text == '+' || *text == '-';

	if (fabs(value) < 0x1p53 || value == builder->file.nonedge)
		return;
	while (begin < size && text[begin] == '0')
		begin++;
	/* numbers such as 1e30 are not checked: their writer chose how many
	   digits they have */
	for (size_t i = begin; i < size; i++)
		if (text[i] < '0' || text[i] > '9')
			return;
	snprintf(rounded, sizeof(rounded), "%.0f", fabs(value));
	if (strlen(rounded) != size - begin ||
		memcmp(rounded, text + begin, size - begin) != 0)
		apsp_found_add(&builder->findings.inexact, text, size);
}

int apsp_graph_builder_weight(struct apsp_graph_builder *builder,
	const char *text, size_t size, struct apsp_text_position place,
	double *out, struct apsp_err *err)
{
	const bool missing = apsp_missing_value(text, size);
	const char *hint = ""; /* advice at the end of the message, such as an
				  option to set */
	enum apsp_number kind;

	if (missing && builder->profile.invalid == APSP_INVALID_DROP) {
		builder->findings.n_missing++;
		return 1;
	}
	kind = apsp_file_number(&builder->file, text, size, out);
	if (kind == APSP_NUMBER_FINITE) {
		apsp_graph_builder_whole(builder, text, size, *out);
		return 0;
	}
	if (missing)
		hint = " (invalid=drop leaves rows without a weight out)";
	else if (memchr(text, ',', size))
		hint = builder->file.decimal_comma
			       ? " (decimal=, takes no point and no thousands "
				 "separators)"
			       : " (in csv and tsv, decimal=, reads "
				 "0,5 as a number; thousands "
				 "separators are not read)";
	if (size == 0)
		return apsp_refuse(err, place,
			"the weight is blank, expected a number%s", hint);
	if (size > APSP_NUMBER_MAX)
		return apsp_refuse(err, place,
			"the weight '%s' has %zu bytes, expected at most %d",
			apsp_excerpt_of(text, size).text, size,
			APSP_NUMBER_MAX);
	if (kind == APSP_NUMBER_NONE)
		return apsp_refuse(err, place,
			"found '%s', expected a number as weight%s",
			apsp_excerpt_of(text, size).text, hint);
	return apsp_refuse(err, place,
		"the weight is '%s', expected a finite number%s%s",
		apsp_excerpt_of(text, size).text,
		kind == APSP_NUMBER_RANGE ? " of 64-bit floating point" : "",
		hint);
}
