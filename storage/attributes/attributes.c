/*
 * Attributes in memory; see attributes.h.
 */
#include "storage/attributes/attributes.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nettle/sha2.h>

#include "daemon/base/hex.h"
#include "daemon/base/utf8.h"

void apsp_attribute_text_done(struct apsp_attribute_text *text)
{
	free(text->bytes);
	memset(text, 0, sizeof(*text));
}

int apsp_attributes_size_check(
	uint32_t n_columns, uint32_t n_vertices, struct apsp_err *err)
{
	if ((uint64_t)n_columns * n_vertices <= APSP_ATTRIBUTE_CELLS_MAX)
		return 0;
	return apsp_fail(err, APSP_ETOOLARGE,
		"%u columns for %u vertices are more than the %d values that a "
		"graph may have",
		n_columns, n_vertices, APSP_ATTRIBUTE_CELLS_MAX);
}

static int no_memory(struct apsp_err *err)
{
	return apsp_fail(err, APSP_ENOMEM, "no memory for attributes");
}

/* Return the next text and move *at past it. NULL: no complete text is left. */
static const char *text_next(const char **at, const char *end, size_t *out_size)
{
	const char *text = *at;
	size_t size = strnlen(text, (size_t)(end - text));

	if (size == (size_t)(end - text))
		return NULL;
	*at = text + size + 1;
	*out_size = size;
	return text;
}

enum {
	SHOWN_LABELS = 3,
	SHOWN_BYTES = 20, /* a message shows at most this many bytes of each
			     label */
	SHOWN_SIZE = SHOWN_LABELS * 2 * SHOWN_BYTES,
};

/* Append a label to the list that a message shows. */
static void label_show(char list[SHOWN_SIZE], const char *label, size_t size)
{
	size_t used = strlen(list);
	bool is_cut = size > SHOWN_BYTES;

	snprintf(list + used, SHOWN_SIZE - used, "%s'%s%s'", used ? ", " : "",
		apsp_excerpt_of(label, is_cut ? SHOWN_BYTES : size).text,
		is_cut ? "…" : "");
}

int apsp_attribute_text_check(const struct apsp_attribute_text *text,
	const struct apsp_labels *labels, struct apsp_err *err)
{
	const char *at = text->bytes, *end = at + text->size, *label;
	char of_rows[SHOWN_SIZE] = "", of_graph[SHOWN_SIZE] = "";
	size_t size = strlen(text->label_name);

	if (size > 0 && apsp_labels_find(labels, text->label_name, size) >= 0)
		return apsp_fail(err, APSP_EDATA,
			"the first line was read as a header, but it begins "
			"with the vertex '%s': write a header above it that "
			"begins with 'label' or, if it is a header, name its "
			"first column 'label'",
			apsp_excerpt_of(text->label_name, size).text);
	/* skip the first record, which has the columns' names */
	for (uint64_t i = 0; (label = text_next(&at, end, &size)); i++) {
		if (i % (text->n_columns + 1) || i == 0)
			continue;
		if (apsp_labels_find(labels, label, size) >= 0)
			return 0;
		if (i <= (uint64_t)SHOWN_LABELS * (text->n_columns + 1))
			label_show(of_rows, label, size);
	}
	if (!*of_rows)
		return apsp_fail(err, APSP_EDATA,
			"there is no row; DELETE removes attributes");
	for (uint32_t i = 0; i < SHOWN_LABELS && i < labels->count; i++) {
		label = apsp_labels_get(labels, i, &size);
		label_show(of_graph, label, size);
	}
	return apsp_fail(err, APSP_EDATA,
		"no row belongs to a vertex: the rows have the labels %s, the "
		"vertices %s; labels are expected in the column 'label', or "
		"else in the first column",
		of_rows, of_graph);
}

static int columns_make(struct apsp_attributes *self, const char **at,
	const char *end, uint32_t n_vertices, struct apsp_err *err)
{
	size_t size;
	int r = 0;

	for (uint32_t c = 0; r == 0 && c < self->n_columns; c++) {
		struct apsp_attribute_column *column = &self->columns[c];
		const char *name = text_next(at, end, &size);

		if (!name)
			return apsp_fail(err, APSP_EROW,
				"its attributes are incomplete");
		column->name = strdup(name);
		column->of_vertex = calloc(
			(size_t)n_vertices + 1, sizeof(*column->of_vertex));
		if (!column->name || !column->of_vertex)
			return no_memory(err);
		r = apsp_labels_new(NULL, &column->values, err);
	}
	return r;
}

static int value_set(struct apsp_attribute_column *column, uint32_t vertex,
	const char *text, size_t size, struct apsp_err *err)
{
	struct apsp_err why;
	uint32_t number;
	int r;

	if (size == 0)
		return 0;
	r = apsp_labels_intern(column->values, text, size, &number, &why);
	if (r < 0)
		return apsp_fail(err,
			r == APSP_ENOMEM ? APSP_ENOMEM : APSP_EROW, "%s",
			why.message);
	column->of_vertex[vertex] = number + 1;
	return 0;
}

/* Read one row and set the values of its vertex. */
static int row_add(struct apsp_attributes *self,
	const struct apsp_labels *labels, const char **at, const char *end,
	struct apsp_err *err)
{
	size_t size;
	const char *text = text_next(at, end, &size);
	int64_t vertex = text ? apsp_labels_find(labels, text, size) : -1;
	int r = 0;

	if (text && vertex < 0)
		self->n_unknown++;
	else
		self->n_matched++;
	for (uint32_t c = 0; r == 0 && text && c < self->n_columns; c++) {
		text = text_next(at, end, &size);
		if (text && vertex >= 0)
			r = value_set(&self->columns[c], (uint32_t)vertex, text,
				size, err);
	}
	if (r == 0 && !text)
		return apsp_fail(
			err, APSP_EROW, "its attributes are incomplete");
	return r;
}

/* Return the text of one field of a record. Field 0 is the label of a vertex
   or, in the record of names, the word "label". */
static const char *field_text(const struct apsp_attribute_records *walk,
	uint64_t record, uint32_t field)
{
	const struct apsp_attributes *all = walk->attributes;

	if (record == 0)
		return field == 0 ? "label" : all->columns[field - 1].name;
	if (field == 0)
		return apsp_labels_get(
			walk->labels, (uint32_t)(record - 1), NULL);
	return apsp_attributes_text(all, field - 1, (uint32_t)(record - 1));
}

/* Whether record walk->next exists: a vertex without values has no record. */
static bool has_record(const struct apsp_attribute_records *walk)
{
	const struct apsp_attributes *all = walk->attributes;

	for (uint32_t c = 0; walk->next > 0 && c < all->n_columns; c++)
		if (all->columns[c].of_vertex[walk->next - 1] != 0)
			return true;
	return walk->next == 0;
}

size_t apsp_attribute_records_size(struct apsp_attribute_records *walk)
{
	uint64_t end = UINT64_C(1) + walk->labels->count;
	size_t size = 0;

	while (walk->next < end && !has_record(walk))
		walk->next++;
	if (walk->next == end)
		return 0;
	for (uint32_t i = 0; i <= walk->attributes->n_columns; i++)
		size += strlen(field_text(walk, walk->next, i)) + 1;
	return size;
}

void apsp_attribute_records_next(
	struct apsp_attribute_records *walk, size_t size, char *out)
{
	for (uint32_t i = 0; out && i <= walk->attributes->n_columns; i++)
		out = stpcpy(out, field_text(walk, walk->next, i)) + 1;
	walk->next++;
	walk->at += size;
}

/* Set the attributes' members records_size and sha256. */
static void records_digest(
	struct apsp_attributes *attributes, const struct apsp_labels *labels)
{
	struct apsp_attribute_records walk = {
		.attributes = attributes, .labels = labels};
	unsigned char digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx sha;
	size_t size;

	sha256_init(&sha);
	while ((size = apsp_attribute_records_size(&walk)) > 0) {
		for (uint32_t i = 0; i <= attributes->n_columns; i++) {
			const char *text = field_text(&walk, walk.next, i);

			sha256_update(
				&sha, strlen(text) + 1, (const void *)text);
		}
		apsp_attribute_records_next(&walk, size, NULL);
	}
	sha256_digest(&sha, sizeof(digest), digest);
	apsp_hex_write(digest, sizeof(digest), attributes->sha256);
	attributes->records_size = walk.at;
}

int apsp_attributes_new(const struct apsp_attribute_text *text, uint64_t id,
	const struct apsp_labels *labels, struct apsp_attributes **out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_attributes_end) struct apsp_attributes *self = NULL;
	const char *at = text->bytes, *end = at + text->size;
	size_t size;
	int r;

	self = calloc(
		1, sizeof(*self) + text->n_columns * sizeof(self->columns[0]));
	if (!self)
		return no_memory(err);
	atomic_init(&self->n_refs, 1);
	self->id = id;
	self->n_columns = text->n_columns;
	if (!text_next(&at, end, &size))
		return apsp_fail(
			err, APSP_EROW, "its attributes are incomplete");
	r = columns_make(self, &at, end, labels->count, err);
	while (r == 0 && at < end)
		r = row_add(self, labels, &at, end, err);
	if (r < 0)
		return r;
	records_digest(self, labels);
	*out = APSP_TAKE(self);
	return 0;
}

struct apsp_attributes *apsp_attributes_ref(struct apsp_attributes *self)
{
	atomic_fetch_add_explicit(&self->n_refs, 1, memory_order_relaxed);
	return self;
}

void apsp_attributes_unref(struct apsp_attributes *self)
{
	if (!self || atomic_fetch_sub_explicit(
			     &self->n_refs, 1, memory_order_acq_rel) > 1)
		return;
	for (uint32_t c = 0; c < self->n_columns; c++) {
		free(self->columns[c].name);
		free(self->columns[c].of_vertex);
		apsp_labels_unref(self->columns[c].values);
	}
	free(self);
}

const struct apsp_labels *apsp_attributes_values(
	const struct apsp_attributes *attributes, uint32_t column,
	const struct apsp_labels *labels)
{
	return column == APSP_LABEL_COLUMN ? labels
					   : attributes->columns[column].values;
}

uint32_t apsp_attributes_value(
	const struct apsp_attributes *self, uint32_t column, uint32_t vertex)
{
	return self->columns[column].of_vertex[vertex] - 1;
}

const char *apsp_attributes_text(
	const struct apsp_attributes *self, uint32_t column, uint32_t vertex)
{
	uint32_t number = apsp_attributes_value(self, column, vertex);

	if (number == APSP_NO_VALUE)
		return "";
	return apsp_labels_get(self->columns[column].values, number, NULL);
}
