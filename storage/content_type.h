/*
 * The format that a Content-Type (RFC 9110, section 8.3) tells. A parameter
 * that says something else than what would be read is refused: no one sends
 * layout=matrx and wants an edge list.
 */
#ifndef APSP_STORAGE_CONTENT_TYPE_H
#define APSP_STORAGE_CONTENT_TYPE_H

#include <stddef.h>

#include "storage/upload.h"

enum {
	APSP_CONTENT_TYPES_SIZE = 192, /* enough for apsp_content_types() */
};

/*
 * text/csv (csv-matrix with layout=matrix), text/tab-separated-values,
 * text/x-matrix-market, application/x-matrix-market, text/x-dimacs,
 * application/x-dimacs, application/x-npy, application/json; each with
 * charset=utf-8 or us-ascii if anything. Case does not matter, values may be
 * quoted. APSP_EMEDIATYPE: another type, another parameter or another value.
 */
int apsp_content_type_format(
	const char *content_type, enum apsp_format *out, struct apsp_err *err);

/* All of them in one line, for messages. size: APSP_CONTENT_TYPES_SIZE. */
void apsp_content_types(char *out, size_t size);

#endif
