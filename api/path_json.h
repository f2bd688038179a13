/*
 * A path as JSON.
 */
#ifndef APSP_API_PATH_JSON_H
#define APSP_API_PATH_JSON_H

#include <jansson.h>

#include "api/encode/json_writer.h"
#include "api/reading.h"
#include "storage/tables/path.h"

/*
 * The members that say which pair an answer is of: revision, profile, from, to,
 * within an object that the caller has begun.
 */
void apsp_path_write_pair(struct apsp_json_writer *w,
	const struct apsp_reading *reading, uint32_t from, uint32_t to);

/* The answer for one pair, an object. */
void apsp_path_write(struct apsp_json_writer *w,
	const struct apsp_reading *reading, uint32_t from, uint32_t to,
	const struct apsp_path *path);

/* The same as a tree, for rows of a batch. NULL: out of memory. */
json_t *apsp_path_json(const struct apsp_reading *reading, uint32_t from,
	uint32_t to, const struct apsp_path *path);

#endif
