/*
 * JSON about the cache of computed tables: its limit and use, and the graphs
 * and profiles that a client can delete if the cache is full.
 */
#ifndef APSP_API_CACHE_JSON_H
#define APSP_API_CACHE_JSON_H

#include <jansson.h>

#include "api/http/request.h"

/*
 * Returns an object with the limit of the cache, the bytes of disk that it
 * uses, and the bytes that are left for new tables. Returns JSON null if the
 * free space of the disk is unknown. NULL: out of memory.
 */
json_t *apsp_cache_json(const struct apsp_request *req);

/*
 * Returns a list of deletions. Each item is the deletion of one graph or one
 * profile, with the URL path for the DELETE request. Only the deletions that
 * free the largest numbers of bytes are listed, in descending order of bytes.
 * Tables that several graphs share are not counted, because no single deletion
 * frees them. NULL: out of memory.
 */
json_t *apsp_cache_json_deletable(const struct apsp_request *req);

#endif
