/*
 * Room for tables on the cache's disk, judged before their job is queued
 * (design.md, decision 5). Only free space is looked at, so tables that are
 * served meanwhile count by themselves.
 */
#ifndef APSP_STORAGE_ROOM_H
#define APSP_STORAGE_ROOM_H

#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/table_file.h"
#include "storage/change.h"

/*
 * Bytes on disk that a job takes at least: its table file and the graph as the
 * solver reads it, of n_arcs as uploaded. UINT64_MAX: more than any file holds.
 *
 * distance is the least element that the weights may come to (weights.h): only
 * the solver can tell whether paths are as short as that; it reserves the true
 * size before it computes.
 */
uint64_t apsp_room_needed(
	uint64_t n_vertices, uint64_t n_arcs, enum apsp_element distance);

/*
 * Whether so many bytes are free. APSP_ENOSPACE: they are not, the message has
 * both sizes; APSP_EIO.
 */
int apsp_room_check(
	const struct apsp_store *store, uint64_t needed, struct apsp_err *err);

/*
 * Whether all queued jobs have room together, where the change has queued one.
 * To be called after apsp_generations_settle(), for what a client asked; errors
 * as above, and APSP_EDB.
 */
int apsp_room_admit(struct apsp_change *change, struct apsp_err *err);

#endif
