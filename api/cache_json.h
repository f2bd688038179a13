/*
 * What the cache holds, and what a client may delete where it has no room.
 */
#ifndef APSP_API_CACHE_JSON_H
#define APSP_API_CACHE_JSON_H

#include <jansson.h>

#include "api/http/request.h"

/*
 * In bytes, the cache's limit, what tables use, and what is left: of the limit
 * or of the disk, whichever is less. null if the disk cannot be measured. NULL:
 * out of memory.
 */
json_t *apsp_cache_json(const struct apsp_request *req);

/*
 * The graphs and profiles whose deletion frees most bytes of tables, most
 * first, with the path to send DELETE to. Tables that graphs share are in no
 * row: no single deletion frees them. NULL: out of memory.
 */
json_t *apsp_cache_json_deletable(const struct apsp_request *req);

#endif
