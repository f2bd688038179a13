/*
 * A graph, its uploads (generations) and profiles as JSON.
 */
#ifndef APSP_API_GRAPHS_GRAPH_JSON_H
#define APSP_API_GRAPHS_GRAPH_JSON_H

#include <jansson.h>

#include "storage/snapshots/graph_snapshot.h"

/*
 * Returns an object with the graph's name, the members of the current upload,
 * and the member "pending": the pending upload with its "error", or null. The
 * members of the current upload are null until an upload of the graph has
 * tables. `base` is passed to apsp_problem_json(). NULL: out of memory.
 */
json_t *apsp_graph_json(
	const char *base, const struct apsp_graph_snapshot *snapshot);

/* Return the state of a profile: "ready", "computing", "failed", "cancelled",
   "closed" or "waiting". */
const char *apsp_profile_snapshot_state(
	const struct apsp_profile_snapshot *profile);

/* Return a profile's rule, tables and newest job as JSON. `weight_unit` is the
   unit of the graph's weights. NULL: out of memory. */
json_t *apsp_profile_snapshot_json(const char *base, const char *weight_unit,
	const struct apsp_profile_snapshot *profile);

/* Return the origin of a graph as JSON: the stored graph from which it was
   made, and the query. Returns JSON null if the graph was uploaded. NULL: no
   memory. */
json_t *apsp_origin_json(const struct apsp_origin *origin);

#endif
