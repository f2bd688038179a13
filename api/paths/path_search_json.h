/*
 * What a search for paths found, as JSON.
 */
#ifndef APSP_API_PATHS_PATH_SEARCH_JSON_H
#define APSP_API_PATHS_PATH_SEARCH_JSON_H

#include <jansson.h>

#include "api/paths/path_search.h"

/* The answer of a search that has ended. NULL: out of memory. */
json_t *apsp_path_search_json(const struct apsp_path_search *search);

#endif
