/*
 * Finds the format that a Content-Type (RFC 9110, section 8.3) names. An
 * unknown parameter is refused, because it may be misspelt: a client that
 * writes layout=matrx does not want its matrix to be read as an edge list.
 */
#ifndef APSP_STORAGE_INGEST_FORMATS_CONTENT_TYPE_H
#define APSP_STORAGE_INGEST_FORMATS_CONTENT_TYPE_H

#include "storage/ingest/formats/format.h"

/*
 * Look up a Content-Type in the list of formats (format.h), and store the
 * format that has this Content-Type. Case is ignored, values of parameters may
 * be quoted, and charset=utf-8 or us-ascii may be added. APSP_EMEDIATYPE: the
 * type, a parameter or a value is unknown.
 */
int apsp_content_type_format(
	const char *content_type, enum apsp_format *out, struct apsp_err *err);

#endif
