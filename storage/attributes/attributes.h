/*
 * What is known of a graph's vertices besides their arcs: columns of texts,
 * such as type and side. Immutable, counted, read by any thread.
 *
 * A column has each of its texts once, numbered in order of appearance, and for
 * each vertex the number of its text: 4 bytes a vertex and column.
 */
#ifndef APSP_STORAGE_ATTRIBUTES_ATTRIBUTES_H
#define APSP_STORAGE_ATTRIBUTES_ATTRIBUTES_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/base/auto.h"
#include "daemon/base/err.h"
#include "storage/ingest/labels.h"

enum {
	APSP_ATTRIBUTE_COLUMNS_MAX = 64,
	APSP_ATTRIBUTE_NAME_MAX = 128,	    /* bytes of a column's name */
	APSP_ATTRIBUTE_CELLS_MAX = 1 << 24, /* vertices × columns of a graph */
};

/*
 * The stored form, in which attributes outlive the upload that they came to:
 * records of 1 + n_columns texts, each with a NUL. The first record has
 * "label" and the columns' names, each of the others a vertex's label and its
 * values; an empty value is none. No label comes twice.
 */
struct apsp_attribute_text {
	char *bytes; /* owned */
	size_t size;
	uint32_t n_columns;
	uint32_t n_rows; /* without the first record */
};

void apsp_attribute_text_done(struct apsp_attribute_text *text);

struct apsp_attributes;

/*
 * APSP_EDATA if no row is of a vertex with one of these labels; the message
 * shows some labels of both sides.
 */
int apsp_attribute_text_check(const struct apsp_attribute_text *text,
	const struct apsp_labels *labels, struct apsp_err *err);

/*
 * The attributes of the vertices with these labels, made of a stored form. id
 * is the stored form's. Rows of labels that the graph does not have are
 * counted and left out. The caller ends *out with apsp_attributes_unref().
 * APSP_EROW: bytes are no stored form; APSP_ENOMEM.
 */
int apsp_attributes_new(const struct apsp_attribute_text *text, uint64_t id,
	const struct apsp_labels *labels, struct apsp_attributes **out,
	struct apsp_err *err);
struct apsp_attributes *apsp_attributes_ref(struct apsp_attributes *attributes);
void apsp_attributes_unref(struct apsp_attributes *attributes); /* or NULL */
APSP_AUTO_DEFINE(
	apsp_attributes_end, struct apsp_attributes, apsp_attributes_unref);

uint64_t apsp_attributes_id(const struct apsp_attributes *attributes);

/* Rows whose label is a vertex of the graph, and the other rows. */
uint32_t apsp_attributes_n_matched(const struct apsp_attributes *attributes);
uint32_t apsp_attributes_n_unknown(const struct apsp_attributes *attributes);

uint32_t apsp_attributes_n_columns(const struct apsp_attributes *attributes);
const char *apsp_attributes_name(
	const struct apsp_attributes *attributes, uint32_t column);

/* The column of this name, or -1. */
int apsp_attributes_find(
	const struct apsp_attributes *attributes, const char *name);

/* A column's texts by number: apsp_labels_find(), apsp_labels_get(). */
const struct apsp_labels *apsp_attributes_values(
	const struct apsp_attributes *attributes, uint32_t column);

#define APSP_NO_VALUE UINT32_MAX

/* The number of the vertex's text in the column, or APSP_NO_VALUE. */
uint32_t apsp_attributes_value(const struct apsp_attributes *attributes,
	uint32_t column, uint32_t vertex);

/* The text itself, NUL-terminated and borrowed; "" where there is none. */
const char *apsp_attributes_text(const struct apsp_attributes *attributes,
	uint32_t column, uint32_t vertex);

#endif
