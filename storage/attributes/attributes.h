/*
 * The attributes of a graph's vertices: columns of texts, such as type and
 * side. They are immutable and reference counted, and any thread may read
 * them.
 *
 * A column stores each distinct text once, and numbers the texts in order of
 * appearance. For each vertex, it stores 4 bytes, which hold the number of the
 * vertex's text.
 */
#ifndef APSP_STORAGE_ATTRIBUTES_ATTRIBUTES_H
#define APSP_STORAGE_ATTRIBUTES_ATTRIBUTES_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/auto.h"
#include "daemon/base/err.h"
#include "daemon/base/limits.h"
#include "daemon/job/table_file.h"
#include "storage/ingest/bundled.h"
#include "storage/ingest/labels.h"

/* Free the bytes of `text`, the stored form of attributes
   (storage/ingest/bundled.h), and set its members to 0. */
void apsp_attribute_text_done(struct apsp_attribute_text *text);

struct apsp_attribute_column {
	char *name;		    /* owned */
	struct apsp_labels *values; /* the column's texts by number; owned */
	uint32_t *of_vertex; /* for each vertex: 1 + the number of its text, or
				0 if it has no text; owned */
};

/* Only attributes.c changes this struct. */
struct apsp_attributes {
	atomic_uint n_refs;
	uint64_t id;	    /* id of these attributes in the database */
	uint32_t n_matched; /* number of the upload's rows whose label belongs
			       to a vertex */
	uint32_t n_unknown; /* number of the upload's rows whose label belongs
			       to no vertex */
	/* size in bytes and SHA-256 (hexadecimal) of the stored form that a
	   walk over the records writes. The SHA-256 depends only on names,
	   labels and values, so ETags contain it. They do not contain the id,
	   because another database may give the same id to other attributes */
	uint64_t records_size;
	char sha256[APSP_HASH_SIZE];
	uint32_t n_columns;
	struct apsp_attribute_column columns[];
};

/* Check that a graph of n_vertices vertices may have n_columns attributes.
   APSP_ETOOLARGE: n_vertices * n_columns is more than APSP_ATTRIBUTE_CELLS_MAX.
 */
int apsp_attributes_size_check(
	uint32_t n_columns, uint32_t n_vertices, struct apsp_err *err);

/*
 * Check that at least one row of an upload of attributes has the label of a
 * vertex, and that the name of the column of labels is no such label, unless it
 * is "label". APSP_EDATA: no row has such a label, and the message shows some
 * labels of the rows and some labels of the vertices; or the file may have no
 * header.
 */
int apsp_attribute_text_check(const struct apsp_attribute_text *text,
	const struct apsp_labels *labels, struct apsp_err *err);

/*
 * Make, from the stored form `text`, the attributes of the vertices that have
 * the labels `labels`. `id` is the id of the attributes in the database. Rows
 * whose label belongs to no vertex are counted and left out. The caller
 * ends *out with apsp_attributes_unref(). APSP_EROW: the bytes are not a stored
 * form; APSP_ENOMEM.
 */
int apsp_attributes_new(const struct apsp_attribute_text *text, uint64_t id,
	const struct apsp_labels *labels, struct apsp_attributes **out,
	struct apsp_err *err);
struct apsp_attributes *apsp_attributes_ref(struct apsp_attributes *attributes);
/* Drop a reference. Accepts NULL. */
void apsp_attributes_unref(struct apsp_attributes *attributes);
APSP_AUTO_DEFINE(
	apsp_attributes_end, struct apsp_attributes, apsp_attributes_unref);

#define APSP_NO_VALUE UINT32_MAX

/* Used in place of a column's number, this means the labels of the vertices. */
#define APSP_LABEL_COLUMN UINT32_MAX

/* Return the values of a column; for APSP_LABEL_COLUMN, return `labels`.
   Borrowed. `attributes` may be NULL if the column is APSP_LABEL_COLUMN. */
const struct apsp_labels *apsp_attributes_values(
	const struct apsp_attributes *attributes, uint32_t column,
	const struct apsp_labels *labels);

/* Return the number of the vertex's text in the column, or APSP_NO_VALUE if the
   vertex has no text. */
uint32_t apsp_attributes_value(const struct apsp_attributes *attributes,
	uint32_t column, uint32_t vertex);

/* Return the vertex's text in the column, NUL-terminated and borrowed, or "" if
   the vertex has no text. */
const char *apsp_attributes_text(const struct apsp_attributes *attributes,
	uint32_t column, uint32_t vertex);

enum {
	/* largest number of bytes of a record */
	APSP_ATTRIBUTE_RECORD_MAX =
		(1 + APSP_ATTRIBUTE_COLUMNS_MAX) * (APSP_LABEL_STORED_MAX + 1),
};

/*
 * A walk over the records of the stored form, which are written from the
 * columns in memory: first the record of names, then a record for each vertex
 * that has a value, in index order. Rows of an upload whose label belongs to no
 * vertex are not in memory, so they are not written. Any part of the stored
 * form can be written again at any time, because attributes and labels in
 * memory never change.
 *
 * To begin a walk, give the first two members their values, and set all other
 * members to 0.
 */
struct apsp_attribute_records {
	const struct apsp_attributes *attributes; /* borrowed */
	const struct apsp_labels *labels;	  /* borrowed */
	uint64_t next; /* number of the next record. 0: the record of the
			  columns' names; 1 + v: the record of vertex v */
	uint64_t at;   /* number of bytes of all records before record `next` */
};

/* Move past vertices without values, which have no record. Return the size of
   the next record in bytes; 0: no record is left. */
size_t apsp_attribute_records_size(struct apsp_attribute_records *walk);

/* Move past the next record, after apsp_attribute_records_size() has returned
   its size. If `out` is not NULL, write the record there. */
void apsp_attribute_records_next(
	struct apsp_attribute_records *walk, size_t size, char *out);

#endif
