/*
 * The cache as JSON: what it holds, and what a client may delete if it is full.
 */
#ifndef APSP_API_CACHE_JSON_H
#define APSP_API_CACHE_JSON_H

#include <jansson.h>

#include "api/http/request.h"

/*
 * In bytes: the cache's limit, the size of the tables, and the room that is
 * left, by the limit or on the disk, whichever is less. null if the disk cannot
 * be measured. NULL: out of memory.
 */
json_t *apsp_cache_json(const struct apsp_request *req);

/*
 * The deletions of graphs and profiles that free most bytes, most first, with
 * the path for DELETE. Tables that several graphs share are in no row, because
 * no single deletion frees them. NULL: out of memory.
 */
json_t *apsp_cache_json_deletable(const struct apsp_request *req);

#endif
