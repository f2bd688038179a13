/*
 * Sets of vertices in bodies; see vertex_set.h.
 */
#include "api/vertex_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/body.h"
#include "api/http/query.h"
#include "api/reading.h"
#include "api/label_text.h"
#include "daemon/base/array.h"
#include "daemon/base/auto.h"
#include "daemon/base/bit_set.h"
#include "storage/attributes/attributes.h"

enum {
	FIRST_LABELS = 64,
	SHOWN_MAX = 200,   /* largest number of bytes of a label that a message
			      shows */
	POINTER_SIZE = 64, /* bytes for the JSON pointer to a condition */
	/* In a graph with more vertices than this, vertices are chosen by
	   attributes on the thread pool. */
	SMALL_VERTICES = 65536,
};

void apsp_vertex_set_done(struct apsp_vertex_set *set)
{
	free(set->vertices);
	memset(set, 0, sizeof(*set));
}

int apsp_vertex_sets_begin(struct apsp_request *req,
	struct apsp_vertex_set_reader readers[2],
	const struct apsp_generation *generation, struct apsp_share *share,
	const char *purpose, struct apsp_err *err)
{
	static const char *const names[] = {"sources", "targets"};

	for (int end = 0; end < 2; end++)
		readers[end] = (struct apsp_vertex_set_reader){
			.name = names[end],
			.generation = generation,
			.share = share,
			.purpose = purpose,
			.max = req->config->limits.max_pairs,
		};
	return apsp_body_stream_begin(req, generation->labels, err);
}

void apsp_vertex_sets_done(struct apsp_vertex_set_reader readers[2])
{
	for (int end = 0; end < 2; end++)
		apsp_vertex_set_done(&readers[end].set);
}

int apsp_vertex_set_bits(const struct apsp_vertex_set *set, uint32_t n_vertices,
	struct apsp_vertex_match *out, struct apsp_err *err)
{
	uint64_t *bits;

	if (set->all) {
		out->bits = NULL;
		return 0;
	}
	bits = calloc(n_vertices / 64 + 1, sizeof(*bits));
	if (!bits)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a set");
	for (size_t i = 0; i < set->n; i++)
		apsp_bit_set_add(bits, set->vertices[i]);
	out->bits = bits;
	return 0;
}

void apsp_vertex_set_keep(
	struct apsp_vertex_set *set, const struct apsp_vertex_match *match)
{
	size_t n = 0;

	for (size_t i = 0; i < set->n; i++) {
		uint32_t v = apsp_vertex_set_at(set, i);

		if (apsp_vertex_match_has(match, v))
			set->vertices[n++] = v;
	}
	set->n = n;
	set->all = false;
}

int apsp_vertex_set_unique(struct apsp_vertex_set *set, uint32_t n_vertices,
	struct apsp_share *share, struct apsp_err *err)
{
	size_t n_words = n_vertices / 64 + 1, n = 0;
	uint64_t *seen;
	int r;

	if (set->all)
		return 0;
	r = apsp_share_grow(share, n_words * sizeof(*seen), "a set", err);
	if (r < 0)
		return r;
	seen = calloc(n_words, sizeof(*seen));
	for (size_t i = 0; seen && i < set->n; i++) {
		uint32_t v = set->vertices[i];

		if (apsp_bit_set_has(seen, v))
			continue;
		apsp_bit_set_add(seen, v);
		set->vertices[n++] = v;
	}
	apsp_share_shrink(share, n_words * sizeof(*seen));
	if (!seen)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a set");
	free(seen);
	set->n = n;
	return 0;
}

/*
 * Add to the error reply a JSON pointer, which names the item that is being
 * read. If the item is a label that no vertex has, `unknown` is this label, and
 * similar labels are added, too. Otherwise `unknown` is NULL.
 */
static void item_point(struct apsp_request *req,
	const struct apsp_vertex_set_reader *reader, const char *unknown)
{
	json_t *suggestions = NULL;

	if (unknown)
		suggestions = apsp_reading_vertex_suggestions(
			reader->generation, unknown);
	apsp_request_extra(req,
		json_pack("{s:o, s:o*}", "pointer",
			json_sprintf(
				reader->is_match ? "/%s/match/%zu" : "/%s/%zu",
				reader->name, reader->n_items),
			"suggestions", suggestions));
}

/* Refuse the member as a whole. */
static int member_refuse(struct apsp_request *req,
	const struct apsp_vertex_set_reader *reader, const char *fault,
	struct apsp_err *err)
{
	return apsp_body_refuse(req, reader->name, err,
		"%s %s; expected a list of labels, or "
		"{\"match\":[\"attribute:value\"]}",
		reader->name, fault);
}

static int label_read(struct apsp_request *req,
	struct apsp_vertex_set_reader *reader,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	struct apsp_vertex_set *set = &reader->set;
	const struct apsp_array_growth growth = {sizeof(*set->vertices),
		FIRST_LABELS, reader->purpose, reader->share};
	char text[SHOWN_MAX + 1];
	int64_t v;
	int r;

	v = apsp_labels_find(
		reader->generation->labels, event->text, event->size);
	if (v < 0) {
		snprintf(text, sizeof(text), "%.*s",
			(int)(event->size < SHOWN_MAX ? event->size
						      : SHOWN_MAX),
			event->text);
		item_point(req, reader, text);
		return apsp_fail(err, APSP_EBADVERTEX,
			"%s[%zu] '%s' is not in the graph%s", reader->name,
			reader->n_items, text,
			strchr(text, ':') ? "; to choose vertices by an "
					    "attribute, write "
					    "{\"match\":[\"attribute:value\"]}"
					  : "");
	}
	if (set->n == reader->max) {
		item_point(req, reader, NULL);
		return apsp_fail(err, APSP_ETOOLARGE,
			"%s has more than %u labels, which is the limit; name "
			"more vertices by their attributes, "
			"{\"match\":[\"attribute:value\"]}",
			reader->name, reader->max);
	}
	r = apsp_array_reserve(
		&set->vertices, set->n + 1, &reader->capacity, &growth, err);
	if (r == 0)
		set->vertices[set->n++] = (uint32_t)v;
	return r;
}

static int condition_read(struct apsp_request *req,
	struct apsp_vertex_set_reader *reader,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	char pointer[POINTER_SIZE];
	int r;

	if (reader->n_conditions == APSP_VERTEX_CONDITIONS_MAX) {
		item_point(req, reader, NULL);
		return apsp_fail(err, APSP_EMALFORMED,
			"%s.match has more than %d conditions, which is the "
			"limit",
			reader->name, APSP_VERTEX_CONDITIONS_MAX);
	}
	snprintf(pointer, sizeof(pointer), "/%s/match/%zu", reader->name,
		reader->n_items);
	r = apsp_vertex_condition_read(req, reader->generation, event->text,
		event->size, pointer, &reader->conditions[reader->n_conditions],
		err);
	if (r == 0)
		reader->n_conditions++;
	return r;
}

/* Read an item of the list of labels or of the list of conditions. */
static int item_read(struct apsp_request *req,
	struct apsp_vertex_set_reader *reader,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	int r;

	if (event->kind != APSP_JSON_STRING) {
		item_point(req, reader, NULL);
		return apsp_fail(err, APSP_EMALFORMED,
			reader->is_match
				? "%s.match[%zu] is no string; a condition is "
				  "a string, such as \"type:KC\""
				: "%s[%zu] is no string; vertices are named by "
				  "strings, since a number loses digits",
			reader->name, reader->n_items);
	}
	r = reader->is_match ? condition_read(req, reader, event, err)
			     : label_read(req, reader, event, err);
	reader->n_items++;
	return r;
}

/* Read a key of the object {"match": […]}, or the beginning of its value. */
static int choice_read(struct apsp_request *req,
	struct apsp_vertex_set_reader *reader,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	if (event->kind != APSP_JSON_KEY)
		return event->kind == APSP_JSON_ARRAY
			       ? 0
			       : member_refuse(req, reader,
					 "has a 'match' that is not a list",
					 err);
	if (event->size != strlen("match") ||
		memcmp(event->text, "match", event->size) != 0)
		return member_refuse(
			req, reader, "has a member that is not 'match'", err);
	if (reader->has_match)
		return member_refuse(
			req, reader, "has the member 'match' twice", err);
	reader->has_match = true;
	return 0;
}

int apsp_vertex_set_event(struct apsp_request *req,
	struct apsp_vertex_set_reader *reader,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	bool ends = event->kind == APSP_JSON_OBJECT_END ||
		    event->kind == APSP_JSON_ARRAY_END;

	if (event->depth == 1 && ends)
		return reader->is_match && reader->n_conditions == 0
			       ? member_refuse(
					 req, reader, "has no condition", err)
			       : 0;
	if (ends)
		return 0;
	if (event->depth == 1) {
		reader->seen = true;
		reader->is_match = event->kind == APSP_JSON_OBJECT;
		return reader->is_match || event->kind == APSP_JSON_ARRAY
			       ? 0
			       : member_refuse(req, reader,
					 "is neither a list nor an object",
					 err);
	}
	if (event->depth == 2 && reader->is_match)
		return choice_read(req, reader, event, err);
	return item_read(req, reader, event, err);
}

/* Store the vertices that the conditions choose. */
static int match_end(
	struct apsp_vertex_set_reader *reader, struct apsp_err *err)
{
	struct apsp_vertex_match match = {0};
	uint32_t n_vertices = reader->generation->n_vertices;
	uint64_t n_bytes = 0;
	uint32_t *vertices;
	size_t n = 0;
	int r;

	r = apsp_vertex_match_new(reader->generation, reader->conditions,
		reader->n_conditions, &match, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i <= n_vertices / 64; i++)
		n += (size_t)__builtin_popcountll(match.bits[i]);
	n_bytes = n * sizeof(*vertices);
	r = apsp_share_grow(reader->share, n_bytes, reader->purpose, err);
	vertices = r == 0 ? malloc(n_bytes + 1) : NULL;
	if (r == 0 && !vertices) {
		apsp_share_shrink(reader->share, n_bytes);
		r = apsp_fail(err, APSP_ENOMEM, "no memory for a set");
	}
	if (r == 0) {
		uint32_t v = 0;

		for (size_t i = 0; i < n; i++, v++)
			vertices[i] = v =
				apsp_vertex_match_next(&match, v, n_vertices);
		reader->set.vertices = vertices;
		reader->set.n = n;
	}
	apsp_vertex_match_done(&match);
	return r;
}

int apsp_vertex_set_end(struct apsp_request *req,
	struct apsp_vertex_set_reader *reader, struct apsp_vertex_set *out,
	struct apsp_err *err)
{
	int r;

	if (reader->ended)
		return 0;
	if (!reader->seen) {
		reader->set.all = true;
		reader->set.n = reader->generation->n_vertices;
	}
	if (reader->is_match && apsp_query_get(req, "match"))
		return apsp_body_refuse(req, reader->name, err,
			"%s has a 'match' in the body, and the query has "
			"'match', too; put all conditions into the body",
			reader->name);
	if (reader->is_match) {
		r = reader->generation->n_vertices > SMALL_VERTICES
			    ? apsp_request_move(req, err)
			    : 0;
		if (r == 0)
			r = match_end(reader, err);
		if (r < 0)
			return r;
	}
	reader->ended = true;
	*out = reader->set;
	memset(&reader->set, 0, sizeof(reader->set));
	return 0;
}

/* Append a condition as a string, such as "type:KC". */
static void condition_write(const struct apsp_generation *generation,
	const struct apsp_vertex_condition *condition,
	struct apsp_json_writer *w)
{
	APSP_AUTO(apsp_text_done) struct apsp_text text = {0};
	const char *value;
	size_t size;

	apsp_text_string(
		&text, apsp_vertex_match_name(generation, condition->column));
	apsp_text_byte(&text, ':');
	if (condition->value != APSP_NO_VALUE) {
		value = apsp_labels_get(
			apsp_attributes_values(generation->attributes,
				condition->column, generation->labels),
			condition->value, &size);
		apsp_text_append(&text, value, size);
	}
	w->text->failed |= text.failed;
	if (!text.failed)
		apsp_json_string(w, text.data, text.size);
}

void apsp_vertex_set_write(const struct apsp_vertex_set_reader *reader,
	const struct apsp_vertex_set *set, struct apsp_json_writer *w)
{
	const struct apsp_generation *generation = reader->generation;

	if (reader->is_match) {
		apsp_json_object(w);
		apsp_json_key(w, "match");
	}
	apsp_json_array(w);
	for (size_t i = 0; reader->is_match && i < reader->n_conditions; i++)
		condition_write(generation, &reader->conditions[i], w);
	for (size_t i = 0; !reader->is_match && i < set->n; i++)
		apsp_label_json(
			w, generation->labels, apsp_vertex_set_at(set, i));
	apsp_json_array_end(w);
	if (reader->is_match)
		apsp_json_object_end(w);
}
