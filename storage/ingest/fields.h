/*
 * Separated text (RFC 4180 and its relatives) as a stream of fields.
 *
 * Quotes with doubled quotes inside; separators and newlines inside quotes;
 * LF, CRLF and CR line ends; blanks around a field are dropped; blank lines and
 * lines that start with # or % are skipped; the last line may end without a
 * newline. In blank-separated text a run of blanks is one separator.
 */
#ifndef APSP_STORAGE_INGEST_FIELDS_H
#define APSP_STORAGE_INGEST_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/base/err.h"
#include "storage/ingest/place.h"

enum {
	APSP_FIELD_MAX = 1 << 16, /* bytes of one field, padding included */
};

/* The separator is told by the first line: tab, else the more frequent of
   comma and semicolon, else blanks. */
#define APSP_SEPARATOR_DETECT '\0'

struct apsp_field {
	const char *text; /* borrowed for the call */
	size_t size;
	size_t index; /* in its record, from 0 */
	struct apsp_place place;
};

/* Negative returns end everything. */
struct apsp_fields_taker {
	int (*field)(void *ctx, const struct apsp_field *field,
		struct apsp_err *err);
	/* n fields came; place is the start of the record's last line. */
	int (*record)(void *ctx, size_t n_fields, struct apsp_place place,
		struct apsp_err *err);
	void *ctx;
};

struct apsp_fields;

/* The caller ends *out with apsp_fields_free(). */
int apsp_fields_new(char separator, const struct apsp_fields_taker *taker,
	struct apsp_fields **out, struct apsp_err *err);
void apsp_fields_free(struct apsp_fields *fields);

/* APSP_EDATA: a field too long, text after a closing quote; the taker's. */
int apsp_fields_feed(struct apsp_fields *fields, const char *data, size_t size,
	struct apsp_err *err);

/* The last record. APSP_EDATA: a quote is not closed; the taker's. */
int apsp_fields_end(struct apsp_fields *fields, struct apsp_err *err);

#endif
