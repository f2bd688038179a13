/* The answer about a circuit, part by part; see circuit_text.h. */
#include "api/circuits/circuit_text.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/attribute_row.h"
#include "api/http/reply.h"
#include "api/http/rows.h"
#include "daemon/base/auto.h"
#include "daemon/job/profile_text.h"
#include "storage/attributes/attributes.h"
#include "storage/ingest/labels.h"

enum {
	HEADER_BYTES = 4096, /* largest number of bytes of a header; proxies
				refuse larger headers */
};

enum part {
	PART_HEAD,
	PART_VERTICES,
	PART_ARCS,
};

/* An answer that is being sent. The reply is a stream (api/http/rows.h), which
   owns this struct. The head, each vertex and each arc are rows of the
   stream. */
struct answer {
	struct apsp_circuit_request *request; /* owned */
	const struct apsp_circuit_format *format;
	struct apsp_circuit_text out;
	enum part part;
	uint64_t next; /* index of the vertex or arc to write next */
};

static void answer_free(void *ctx)
{
	struct answer *a = ctx;

	if (!a)
		return;
	apsp_circuit_request_free(a->request);
	apsp_text_done(&a->out.question);
	for (uint32_t c = 0; c < a->out.n_attributes; c++)
		free(a->out.attributes[c]);
	free(a->out.attributes);
	free(a);
}

APSP_AUTO_DEFINE(answer_end, struct answer, answer_free);

const char *apsp_circuit_text_label(const struct apsp_circuit_text *t,
	const struct apsp_circuit_vertex *vertex, size_t *out_size)
{
	const struct apsp_circuit_request *request = t->request;
	const struct apsp_generation *generation = request->reading.generation;

	if (!t->is_rolled)
		return apsp_labels_get(
			generation->labels, vertex->vertex, out_size);
	if (vertex->vertex + 1 == request->question.n_groups) {
		*out_size = 0;
		return "";
	}
	return apsp_labels_get(
		generation->attributes->columns[request->by_column].values,
		vertex->vertex, out_size);
}

double apsp_circuit_text_share(const struct apsp_circuit_text *t,
	const struct apsp_circuit_vertex *vertex)
{
	return (double)vertex->pairs / (double)t->request->circuit.n_pairs;
}

static void unit_member(
	struct apsp_json_writer *w, const char *name, const char *unit)
{
	if (*unit)
		apsp_json_text_member(w, name, unit);
	else
		apsp_json_null_member(w, name);
}

void apsp_circuit_text_head(struct apsp_circuit_text *t, bool question_is_text)
{
	const struct apsp_circuit_request *request = t->request;
	uint32_t n_left_out = apsp_reading_n_left_out(&request->reading);
	struct apsp_json_writer *w = t->w;

	apsp_reading_head_write(&request->reading, w);
	apsp_json_text_member(w, "graph", request->reading.snapshot->name);
	apsp_json_text_member(w, "rule", t->rule);
	unit_member(w, "weight_unit", t->weight_unit);
	unit_member(w, "length_unit", t->length_unit);
	apsp_json_key(w, "question");
	if (question_is_text)
		apsp_json_string(w, t->question.data, t->question.size);
	else
		apsp_circuit_request_write(request, w);
	apsp_json_integer_member(w, "pairs", (int64_t)request->circuit.n_pairs);
	apsp_json_integer_member(
		w, "skipped", (int64_t)request->circuit.n_skipped);
	if (n_left_out > 0)
		apsp_json_integer_member(w, "left_out", n_left_out);
}

void apsp_circuit_text_vertex(const struct apsp_circuit_text *t,
	const struct apsp_circuit_vertex *vertex, struct apsp_cells *cells)
{
	apsp_cell_integer(cells, "layer", vertex->layer);
	apsp_cell_integer(cells, "pairs", vertex->pairs);
	apsp_cell_real(cells, "share", apsp_circuit_text_share(t, vertex));
	if (t->is_rolled)
		apsp_cell_integer(cells, "vertices", vertex->n_vertices);
}

void apsp_circuit_text_arc(const struct apsp_circuit_text *t,
	const struct apsp_circuit_arc *arc, struct apsp_cells *cells)
{
	apsp_cell_real(cells, "weight", arc->weight);
	apsp_cell_real(cells, "length", arc->length);
	apsp_cell_integer(cells, "pairs", arc->pairs);
	if (t->is_rolled)
		apsp_cell_integer(cells, "arcs", arc->n_arcs);
}

const char *apsp_circuit_text_value(const struct apsp_circuit_text *t,
	uint32_t column, const struct apsp_circuit_vertex *vertex)
{
	return apsp_attributes_text(t->request->reading.generation->attributes,
		column, vertex->vertex);
}

static int part_write(void *ctx, struct apsp_cells *cells, struct apsp_err *err)
{
	struct answer *a = ctx;
	const struct apsp_circuit *circuit = &a->request->circuit;

	(void)err;
	a->out.w = cells->json;
	a->out.text = cells->csv.text;
	switch (a->part) {
	case PART_HEAD:
		if (a->format->head)
			a->format->head(&a->out);
		a->part = PART_VERTICES;
		return 1;
	case PART_VERTICES:
		if (a->format->vertex && a->next < circuit->answer.n_vertices) {
			a->format->vertex(
				&a->out, &circuit->answer.vertices[a->next++]);
			return 1;
		}
		if (a->format->between)
			a->format->between(&a->out);
		a->part = PART_ARCS;
		a->next = 0;
		return 1;
	default:
		if (a->format->arc && !circuit->truncated &&
			a->next < circuit->n_arcs) {
			a->format->arc(
				&a->out, &circuit->answer.arcs[a->next++]);
			return 1;
		}
		if (a->format->tail)
			a->format->tail(&a->out);
		return 0;
	}
}

/* Append JSON in ASCII. Characters that are not ASCII occur only in strings,
   and are escaped there. */
static void ascii_append(struct apsp_text *out, const struct apsp_text *json)
{
	for (size_t i = 0; i < json->size; i++) {
		unsigned char byte = (unsigned char)json->data[i];
		unsigned int more = byte < 0xc0	  ? 0
				    : byte < 0xe0 ? 1
				    : byte < 0xf0 ? 2
						  : 3;
		uint32_t code = byte & (0x3fU >> more);

		for (unsigned int k = 0; k < more; k++)
			code = code << 6 |
			       ((unsigned char)json->data[++i] & 0x3fU);
		if (more == 0)
			apsp_text_byte(out, (char)byte);
		else if (more < 3)
			apsp_text_printf(out, "\\u%04x", code);
		else
			apsp_text_printf(out, "\\u%04x\\u%04x",
				0xd7c0U + (code >> 10),
				0xdc00U + (code & 0x3ffU));
	}
	apsp_text_byte(out, '\0');
}

/*
 * Add the header Apsp-Question, because CSV has no place for the question.
 * Headers must be ASCII. If the question has so many labels that it is too long
 * for a header, no header is added.
 */
static int question_header(
	struct apsp_request *req, const struct answer *a, struct apsp_err *err)
{
	const struct apsp_reading *reading = &a->request->reading;
	const struct apsp_text *question = &a->out.question;
	APSP_AUTO(apsp_text_done) struct apsp_text json = {0};
	APSP_AUTO(apsp_text_done) struct apsp_text ascii = {0};
	struct apsp_json_writer w = {.text = &json};
	int r;

	if (question->size > HEADER_BYTES)
		return 0;
	apsp_json_tree(&w,
		json_pack("{s:s, s:s, s:s, s:o}", "graph",
			reading->snapshot->name, "profile",
			reading->profile->name, "rule", a->out.rule, "question",
			json_loadb(question->data, question->size, 0, NULL)));
	r = apsp_text_check(&json, err);
	if (r < 0)
		return r;
	ascii_append(&ascii, &json);
	r = apsp_text_check(&ascii, err);
	return r < 0 || ascii.size - 1 > HEADER_BYTES
		       ? r
		       : apsp_reply_header(
				 req, "Apsp-Question", ascii.data, err);
}

/* Make the names under which the answer shows the attributes. */
static int attributes_name(struct apsp_circuit_text *out,
	const char *const *own_names, struct apsp_err *err)
{
	const struct apsp_attributes *attributes =
		out->request->reading.generation->attributes;
	APSP_AUTO(apsp_text_done) struct apsp_text name = {0};
	uint32_t n = attributes ? attributes->n_columns : 0;

	if (n == 0 || !own_names || out->is_rolled)
		return 0;
	out->attributes = calloc(n, sizeof(*out->attributes));
	for (uint32_t c = 0; out->attributes && c < n; c++) {
		name.size = 0;
		apsp_attribute_name(
			attributes->columns[c].name, own_names, &name);
		apsp_text_byte(&name, '\0');
		out->attributes[c] = name.failed ? NULL : strdup(name.data);
		if (!out->attributes[c])
			break;
		out->n_attributes++;
	}
	return out->n_attributes == n
		       ? 0
		       : apsp_fail(err, APSP_ENOMEM, "no memory for a reply");
}

int apsp_circuit_text_reply(struct apsp_request *req,
	const struct apsp_circuit_format *format, struct apsp_err *err)
{
	APSP_AUTO(answer_end) struct answer *a = calloc(1, sizeof(*a));
	struct apsp_rows rows = {
		.write = part_write,
		.in_pool = true,
		.done = answer_free,
	};
	const struct apsp_profile *rule;
	const struct apsp_circuit *circuit;
	struct apsp_json_writer w = {0};
	int r;

	if (!a)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a reply");
	a->request = APSP_TAKE(req->state);
	circuit = &a->request->circuit;
	a->format = format;
	a->out.request = a->request;
	a->out.weight_unit = a->request->reading.generation->weight_unit;
	a->out.is_rolled =
		apsp_circuit_request_has(a->request, APSP_CIRCUIT_MEMBER_BY);
	/* make the texts of struct apsp_circuit_text (`rule` and the units),
	   which the functions of the format need */
	rule = &a->request->reading.profile->tables_rule;
	apsp_profile_format(rule, a->out.rule);
	apsp_unit_of_lengths(rule, a->out.weight_unit, a->out.length_unit);
	a->out.least_weight = INFINITY;
	a->out.most_weight = -INFINITY;
	for (uint64_t i = 0; !circuit->truncated && i < circuit->n_arcs; i++) {
		double weight = circuit->answer.arcs[i].weight;

		a->out.least_weight = fmin(a->out.least_weight, weight);
		a->out.most_weight = fmax(a->out.most_weight, weight);
	}
	w.text = &a->out.question;
	apsp_circuit_request_write(a->request, &w);
	r = apsp_text_check(&a->out.question, err);
	if (r == 0)
		r = attributes_name(&a->out, format->own_names, err);
	if (r == 0 && format->check)
		r = format->check(&a->out, err);
	if (r == 0 && req->format == APSP_REPLY_CSV)
		r = question_header(req, a, err);
	if (r < 0)
		return r;
	rows.ctx = APSP_TAKE(a);
	return apsp_rows_reply(req, &rows, err);
}
