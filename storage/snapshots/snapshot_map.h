/*
 * A map from the name of each graph to the graph's newest snapshot. All
 * requests read these snapshots. Any thread may look up a snapshot: a lookup
 * holds a lock for a short time, and adds one reference to the snapshot.
 *
 * A trouble is a sentence about something stored that cannot be used at
 * present: a graph or a profile whose rows cannot be read, tables that cannot
 * be computed for this reason, or tables whose file cannot be opened. A trouble
 * does not affect the rest of the store (storage/snapshots/README.md, One bad
 * row).
 */
#ifndef APSP_STORAGE_SNAPSHOTS_SNAPSHOT_MAP_H
#define APSP_STORAGE_SNAPSHOTS_SNAPSHOT_MAP_H

#include <stddef.h>

#include "storage/snapshots/graph_snapshot.h"
#include "storage/snapshots/store_hooks.h"

struct apsp_snapshot_map;

/*
 * Make an empty map. When a graph gets a new snapshot, hooks->trouble() is
 * called for each trouble (something stored that cannot be used) that the
 * graph's previous snapshot did not have. hooks is borrowed. The caller ends
 * *out with apsp_snapshot_map_free(). APSP_ENOMEM. APSP_EIO: the system has not
 * given a random number.
 */
int apsp_snapshot_map_new(const struct apsp_store_hooks *hooks,
	struct apsp_snapshot_map **out, struct apsp_err *err);
void apsp_snapshot_map_free(struct apsp_snapshot_map *map);

/* Fail with APSP_ENOGRAPH: there is no graph of this name. */
int apsp_snapshot_map_missing(const char *name, struct apsp_err *err);

/*
 * Find a graph by name. The caller ends *out with apsp_graph_snapshot_unref().
 * APSP_ENOGRAPH: there is no such graph, or it is lost. APSP_EROW: the graph is
 * stored, but cannot be read; the message says why.
 */
int apsp_snapshot_map_find(struct apsp_snapshot_map *map, const char *name,
	const struct apsp_graph_snapshot **out, struct apsp_err *err);

/* Whether the map has a snapshot of this name: also of a graph that cannot be
   read or is lost. */
bool apsp_snapshot_map_has(struct apsp_snapshot_map *map, const char *name);

/*
 * Find a graph by name, without an error message. Returns NULL if there is no
 * such graph, or if it cannot be read or is lost. The caller ends the result
 * with apsp_graph_snapshot_unref().
 */
const struct apsp_graph_snapshot *apsp_snapshot_map_get(
	struct apsp_snapshot_map *map, const char *name);

/* Copy at most `max` troubles of all graphs to `out`. Returns how many troubles
   there are. */
size_t apsp_snapshot_map_troubles(
	struct apsp_snapshot_map *map, struct apsp_err *out, size_t max);

/*
 * Returns a number that changes whenever a graph gets a new snapshot or is
 * removed. The first number of a map is random, so that the numbers of two
 * starts of the daemon differ.
 */
uint64_t apsp_snapshot_map_stamp(struct apsp_snapshot_map *map);

/*
 * List at most `max` graphs in order of name, beginning after the name `after`
 * ("": from the first). The list includes graphs whose rows cannot be read, and
 * lost graphs. The caller unreferences each snapshot. Returns the number of
 * snapshots in `out`.
 */
size_t apsp_snapshot_map_list(struct apsp_snapshot_map *map, const char *after,
	const struct apsp_graph_snapshot **out, size_t max);

/* Allocate places for n more graphs, so that apsp_snapshot_map_set() cannot
   fail. APSP_ENOMEM. */
int apsp_snapshot_map_reserve(
	struct apsp_snapshot_map *map, size_t n, struct apsp_err *err);

/*
 * Replace the snapshot of a graph; the map takes over the reference. NULL:
 * remove the graph. The snapshot gets the map's next stamp, and then
 * hooks->graphs_changed() is called. Call this on the writer thread.
 */
void apsp_snapshot_map_set(struct apsp_snapshot_map *map, const char *name,
	const struct apsp_graph_snapshot *snapshot);

#endif
