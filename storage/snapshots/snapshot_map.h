/*
 * The newest snapshot of every graph by name: what requests look at. Any
 * thread; a lookup takes a short lock, searches, and counts one reference.
 */
#ifndef APSP_STORAGE_SNAPSHOTS_SNAPSHOT_MAP_H
#define APSP_STORAGE_SNAPSHOTS_SNAPSHOT_MAP_H

#include <stddef.h>

#include "storage/snapshots/graph_snapshot.h"

struct apsp_snapshot_map;

/* The caller ends *out with apsp_snapshot_map_free(). APSP_ENOMEM. */
int apsp_snapshot_map_new(struct apsp_snapshot_map **out, struct apsp_err *err);
void apsp_snapshot_map_free(struct apsp_snapshot_map *map);

/* One reference more for the caller, or NULL. */
const struct apsp_graph_snapshot *apsp_snapshot_map_get(
	struct apsp_snapshot_map *map, const char *name);

/* See apsp_graphs_list(). */
size_t apsp_snapshot_map_list(struct apsp_snapshot_map *map, const char *after,
	const struct apsp_graph_snapshot **out, size_t max);

/* Make room for n more graphs, so that apsp_snapshot_map_set() cannot fail.
   APSP_ENOMEM. */
int apsp_snapshot_map_reserve(
	struct apsp_snapshot_map *map, size_t n, struct apsp_err *err);

/*
 * Show snapshot (whose reference is taken over) as graph name from now on, or
 * nothing where it is NULL. The writer only.
 */
void apsp_snapshot_map_set(struct apsp_snapshot_map *map, const char *name,
	const struct apsp_graph_snapshot *snapshot);

#endif
