/*
 * Parts of an answer about paths as JSON trees, for what a search has found
 * (api/paths/path_search_json.h). api/paths/path_text.h writes the tables' own
 * path.
 */
#ifndef APSP_API_PATHS_PATH_JSON_H
#define APSP_API_PATHS_PATH_JSON_H

#include <jansson.h>

#include "api/http/request.h"
#include "api/reading.h"
#include "storage/tables/path.h"

/* What was asked; and what was found, from "reachable" on. NULL: no memory. */
json_t *apsp_path_head_json(
	const struct apsp_reading *reading, uint32_t from, uint32_t to);
json_t *apsp_path_members_json(
	const struct apsp_reading *reading, const struct apsp_path *path);

#endif
