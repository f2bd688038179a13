/*
 * A path as JSON. These functions append to a text directly, without a tree of
 * JSON values, because paths are the most frequent answers.
 */
#ifndef APSP_API_PATHS_PATH_TEXT_H
#define APSP_API_PATHS_PATH_TEXT_H

#include "api/encode/json_writer.h"
#include "api/reading.h"
#include "storage/tables/lookup.h"

/*
 * Append the members revision, profile, transform, `from` and `to` to an open
 * object. If the rule leaves out one of the two vertices, also append left_out.
 */
void apsp_path_write_pair(struct apsp_json_writer *w,
	const struct apsp_reading *reading, uint32_t from, uint32_t to);

/* Append the labels of a path's vertices as an array. */
void apsp_path_write_vertices(struct apsp_json_writer *w,
	const struct apsp_labels *labels, const struct apsp_path *path);

/*
 * Append all members that describe a path (reachable, distance or width,
 * hops, weight, path, arcs) to an open object.
 */
void apsp_path_write_members(struct apsp_json_writer *w,
	const struct apsp_labels *labels, const struct apsp_path *path);

/* Append the answer for one pair, as an object. */
void apsp_path_write(struct apsp_json_writer *w,
	const struct apsp_reading *reading, uint32_t from, uint32_t to,
	const struct apsp_path *path);

#endif
