/*
 * The format that a Content-Type (RFC 9110, section 8.3) tells. An unknown
 * parameter is refused: no one sends layout=matrx and wants an edge list.
 */
#ifndef APSP_STORAGE_INGEST_FORMATS_CONTENT_TYPE_H
#define APSP_STORAGE_INGEST_FORMATS_CONTENT_TYPE_H

#include <stddef.h>

#include "storage/ingest/formats/format.h"

enum {
	APSP_CONTENT_TYPES_SIZE = 224, /* enough for apsp_content_types() */
};

/*
 * Store the format whose Content-Type in the list of formats (format.h) this
 * is. Case does not matter, values of parameters may be quoted, and
 * charset=utf-8 or us-ascii may be added. APSP_EMEDIATYPE: another type,
 * another parameter or another value.
 */
int apsp_content_type_format(
	const char *content_type, enum apsp_format *out, struct apsp_err *err);

/* All Content-Types in one line, for messages; APSP_CONTENT_TYPES_SIZE. */
void apsp_content_types(char *out, size_t size);

#endif
