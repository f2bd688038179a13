/*
 * How an upload was read, as JSON: for the reply to its PUT.
 */
#ifndef APSP_API_GRAPHS_RECEIPT_JSON_H
#define APSP_API_GRAPHS_RECEIPT_JSON_H

#include <jansson.h>

#include "storage/ingest/upload/upload.h"

/*
 * An object with the format, the columns, rows, merged arcs, self-loops, the
 * first index of a format that numbers vertices, and warnings, which are
 * sentences. The caller owns it; NULL: no memory.
 */
json_t *apsp_receipt_json(const struct apsp_upload *upload);

#endif
