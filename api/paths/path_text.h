/*
 * A path as JSON, appended to a text: the answers of which a daemon gives most.
 */
#ifndef APSP_API_PATHS_PATH_TEXT_H
#define APSP_API_PATHS_PATH_TEXT_H

#include "api/encode/json_writer.h"
#include "api/reading.h"
#include "storage/tables/path.h"

/*
 * The members that say which pair an answer is of, within an object that the
 * caller has begun: revision, profile, transform, from, to.
 */
void apsp_path_write_pair(struct apsp_json_writer *w,
	const struct apsp_reading *reading, uint32_t from, uint32_t to);

/*
 * The members that tell a path, from reachable on, within an object that the
 * caller has begun.
 */
void apsp_path_write_members(struct apsp_json_writer *w,
	const struct apsp_labels *labels, const struct apsp_path *path);

/* The answer for one pair, an object. */
void apsp_path_write(struct apsp_json_writer *w,
	const struct apsp_reading *reading, uint32_t from, uint32_t to,
	const struct apsp_path *path);

#endif
