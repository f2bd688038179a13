/*
 * A path as JSON.
 */
#ifndef APSP_API_PATH_JSON_H
#define APSP_API_PATH_JSON_H

#include <jansson.h>

#include "api/http/request.h"
#include "api/reading.h"
#include "storage/tables/path.h"

/* The answer for one pair. NULL: out of memory. */
json_t *apsp_path_json(const struct apsp_reading *reading, uint32_t from,
	uint32_t to, const struct apsp_path *path);

/* Its two parts: what was asked; and what was found, from "reachable" on. */
json_t *apsp_path_head_json(
	const struct apsp_reading *reading, uint32_t from, uint32_t to);
json_t *apsp_path_members_json(
	const struct apsp_reading *reading, const struct apsp_path *path);

#endif
