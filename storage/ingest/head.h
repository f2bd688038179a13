/*
 * The fields of a first record, kept until it is clear what they are: a header
 * or data.
 */
#ifndef APSP_STORAGE_INGEST_HEAD_H
#define APSP_STORAGE_INGEST_HEAD_H

#include "storage/ingest/fields.h"

enum {
	APSP_HEAD_BYTES_MAX = 1 << 25,	/* text of one record */
	APSP_HEAD_FIELDS_MAX = 1 << 21, /* a label for every vertex, and more */
};

struct apsp_head_field {
	size_t offset, size;
	struct apsp_place place;
};

struct apsp_head {
	char *text;
	size_t text_used, text_size;
	struct apsp_head_field *fields;
	size_t n_fields, fields_size;
};

/* Copy a field. APSP_EDATA: the record is too long. APSP_ENOMEM. */
int apsp_head_add(struct apsp_head *head, const struct apsp_field *field,
	struct apsp_err *err);

/* Field i, borrowed. */
struct apsp_field apsp_head_get(const struct apsp_head *head, size_t i);

/* Free what it holds and make it empty. */
void apsp_head_done(struct apsp_head *head);

#endif
