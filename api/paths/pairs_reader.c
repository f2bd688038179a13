/*
 * Batches as a stream of JSON events; see pairs_reader.h. An end of a pair is a
 * vertex, or, with its highest bit set, the place of a fault among the texts:
 *
 *	texts    N "no_such" \0 S "a number" \0 P \0     kind, text, NUL
 */
#include "api/paths/pairs_reader.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/body_stream.h"
#include "daemon/base/array.h"
#include "daemon/base/auto.h"

enum {
	KEPT_MAX = 200, /* bytes kept of an unknown label; a message has room
			   for 255 */
	FIRST_PAIRS = 64,
	FIRST_TEXT = 256,
};

static const uint32_t fault_bit = UINT32_C(1) << 31;

struct pair {
	uint32_t ends[2];
};

struct apsp_pairs_reader {
	const struct apsp_labels *labels;
	struct apsp_share *share;
	struct apsp_json_reader *json;
	uint32_t max;
	bool has_pairs;	     /* the member was seen */
	bool in_list;	     /* the pair under way is a list */
	size_t n_ends;	     /* of the pair under way */
	struct pair current; /* the pair under way */
	struct pair *pairs;
	size_t n, room;
	char *text;
	size_t text_size, text_room;
	char pointer[APSP_POINTER_SIZE];
};

/* Store what is wrong with an end of a pair. */
static int fault_add(struct apsp_pairs_reader *reader,
	enum apsp_pair_fault fault, const char *text, size_t size,
	uint32_t *out, struct apsp_err *err)
{
	size_t need;
	int r;

	size = strnlen(text, size < KEPT_MAX ? size : KEPT_MAX);
	need = reader->text_size + size + 2;
	r = apsp_array_reserve(&reader->text, need, &reader->text_room,
		&(struct apsp_array_growth){
			1, FIRST_TEXT, "the batch", reader->share},
		err);
	if (r < 0)
		return r;
	*out = fault_bit | (uint32_t)reader->text_size;
	reader->text[reader->text_size] = (char)fault;
	memcpy(reader->text + reader->text_size + 1, text, size);
	reader->text[need - 1] = '\0';
	reader->text_size = need;
	return 0;
}

static int pair_add(struct apsp_pairs_reader *reader, const struct pair *pair,
	struct apsp_err *err)
{
	int r = apsp_array_reserve(&reader->pairs, reader->n + 1, &reader->room,
		&(struct apsp_array_growth){
			sizeof(*pair), FIRST_PAIRS, "the batch", reader->share},
		err);

	if (r == 0)
		reader->pairs[reader->n++] = *pair;
	return r;
}

/* The kind of an event's value, in the words of apsp_json_kind(). */
static const char *kind_of(const struct apsp_json_event *event)
{
	switch (event->kind) {
	case APSP_JSON_OBJECT:
		return "an object";
	case APSP_JSON_ARRAY:
		return "a list";
	case APSP_JSON_STRING:
		return "a string";
	case APSP_JSON_NUMBER:
		return "a number";
	default:
		return event->size == 4 && memcmp(event->text, "null", 4) == 0
			       ? "null"
			       : "a truth value";
	}
}

static int member_begin(struct apsp_pairs_reader *reader,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	bool is_pairs =
		event->size == 5 && memcmp(event->text, "pairs", 5) == 0;
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)event->size, event->text);
	if (!is_pairs) {
		apsp_body_pointer(event->text, event->size, reader->pointer);
		return apsp_fail(err, APSP_EMALFORMED,
			"the body has a member '%s' that is not known", name);
	}
	if (reader->has_pairs)
		return apsp_fail(err, APSP_EMALFORMED,
			"the body has the member 'pairs' twice");
	reader->has_pairs = true;
	return 0;
}

static int list_begin(struct apsp_pairs_reader *reader,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	if (event->kind == APSP_JSON_ARRAY)
		return 0;
	strcpy(reader->pointer, "/pairs");
	return apsp_fail(err, APSP_EMALFORMED,
		"pairs is %s; expected a list of [from, to]", kind_of(event));
}

/* The pair under way has ended. */
static int pair_end(struct apsp_pairs_reader *reader, struct apsp_err *err)
{
	int r = 0;

	if (!reader->in_list || reader->n_ends != 2)
		r = fault_add(reader, APSP_PAIR_NO_PAIR, "", 0,
			&reader->current.ends[0], err);
	reader->in_list = false;
	return r < 0 ? r : pair_add(reader, &reader->current, err);
}

static int pair_begin(struct apsp_pairs_reader *reader,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	if (reader->n == reader->max) {
		strcpy(reader->pointer, "/pairs");
		return apsp_fail(err, APSP_ETOOLARGE,
			"pairs has more than %u items, which is the limit",
			reader->max);
	}
	reader->current = (struct pair){0};
	reader->in_list = event->kind == APSP_JSON_ARRAY;
	reader->n_ends = 0;
	/* pair_end() follows at the end of a list or an object */
	return event->kind == APSP_JSON_ARRAY || event->kind == APSP_JSON_OBJECT
		       ? 0
		       : pair_end(reader, err);
}

static int end_take(struct apsp_pairs_reader *reader,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	size_t i = reader->n_ends++;
	const char *kind;
	int64_t v;

	if (i >= 2 || !reader->in_list)
		return 0;
	if (event->kind != APSP_JSON_STRING) {
		kind = kind_of(event);
		return fault_add(reader, APSP_PAIR_NO_STRING, kind,
			strlen(kind), &reader->current.ends[i], err);
	}
	v = apsp_labels_find(reader->labels, event->text, event->size);
	if (v < 0)
		return fault_add(reader, APSP_PAIR_NO_VERTEX, event->text,
			event->size, &reader->current.ends[i], err);
	reader->current.ends[i] = (uint32_t)v;
	return 0;
}

static int on_event(
	void *ctx, const struct apsp_json_event *event, struct apsp_err *err)
{
	struct apsp_pairs_reader *reader = ctx;
	bool ends = event->kind == APSP_JSON_OBJECT_END ||
		    event->kind == APSP_JSON_ARRAY_END;

	if (event->depth == 2 && ends)
		return pair_end(reader, err);
	if (event->depth == 0 || ends)
		return apsp_body_stream_check(event, err);
	if (event->depth == 1)
		return event->kind == APSP_JSON_KEY
			       ? member_begin(reader, event, err)
			       : list_begin(reader, event, err);
	if (event->depth == 2)
		return pair_begin(reader, event, err);
	return event->depth == 3 ? end_take(reader, event, err) : 0;
}

APSP_AUTO_DEFINE(
	reader_cleanup, struct apsp_pairs_reader, apsp_pairs_reader_free);

int apsp_pairs_reader_new(const struct apsp_labels *labels, uint32_t max,
	struct apsp_share *share, struct apsp_pairs_reader **out,
	struct apsp_err *err)
{
	APSP_AUTO(reader_cleanup) struct apsp_pairs_reader *reader = NULL;
	int r;

	reader = calloc(1, sizeof(*reader));
	if (!reader)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a batch");
	reader->labels = labels;
	reader->max = max;
	reader->share = share;
	r = apsp_json_reader_new(on_event, reader, &reader->json, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(reader);
	return 0;
}

void apsp_pairs_reader_free(struct apsp_pairs_reader *reader)
{
	if (!reader)
		return;
	apsp_json_reader_free(reader->json);
	free(reader->pairs);
	free(reader->text);
	free(reader);
}

int apsp_pairs_reader_feed(struct apsp_pairs_reader *reader, const char *data,
	size_t size, struct apsp_err *err)
{
	return apsp_body_stream_feed(reader->json, data, size, err);
}

int apsp_pairs_reader_end(
	struct apsp_pairs_reader *reader, struct apsp_err *err)
{
	int r = apsp_body_stream_end(reader->json, err);

	/* frees a buffer for the longest string; the reader may live long */
	apsp_json_reader_free(reader->json);
	reader->json = NULL;
	if (r < 0 || reader->has_pairs)
		return r;
	strcpy(reader->pointer, "/pairs");
	return apsp_fail(err, APSP_EMALFORMED,
		"pairs is missing; expected a list of [from, to]");
}

const char *apsp_pairs_reader_pointer(const struct apsp_pairs_reader *reader)
{
	return reader->pointer;
}

size_t apsp_pairs_reader_count(const struct apsp_pairs_reader *reader)
{
	return reader->n;
}

void apsp_pairs_reader_get(const struct apsp_pairs_reader *reader, size_t i,
	struct apsp_pair_end out[2])
{
	for (int side = 0; side < 2; side++) {
		uint32_t end = reader->pairs[i].ends[side];
		const char *text = reader->text + (end & ~fault_bit);

		out[side] = (struct apsp_pair_end){.vertex = end};
		if (!(end & fault_bit))
			continue;
		out[side] = (struct apsp_pair_end){
			.fault = (enum apsp_pair_fault) * text,
			.text = text + 1,
		};
	}
}
