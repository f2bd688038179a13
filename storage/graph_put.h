/*
 * The command that stores an upload.
 */
#ifndef APSP_STORAGE_GRAPH_PUT_H
#define APSP_STORAGE_GRAPH_PUT_H

#include <stdbool.h>

#include "storage/database/writer.h"
#include "storage/ingest/upload/upload.h"
#include "storage/jobs/job_queue.h"
#include "storage/snapshots/graph_snapshot.h"
#include "storage/snapshots/precondition.h"

/*
 * Return whether a complete upload has the same revision and the same rule of
 * `default` as the graph's newest upload. `snapshot` is NULL if the graph does
 * not exist; then the result is false. The result is also false for a bundle.
 */
bool apsp_graph_put_same(const struct apsp_graph_snapshot *snapshot,
	const struct apsp_upload *upload);

/*
 * Store a complete upload as graph `name`. If the graph's newest generation has
 * the same revision and the same `default` rule, and its labels and arcs are
 * not damaged, nothing is stored: *out refers to the existing job, and failed
 * jobs of the graph's profiles are queued again. The caller ends *out with
 * apsp_put_result_done().
 *
 * The caller has reserved n_reserved places in the queue (job_queue.h), and
 * releases them after done.fn() was called.
 *
 * The command takes over the upload and frees it. `out` and `precondition` must
 * live until done.fn() is called; on success *out is filled before that call.
 *
 * An upload may have been made from another graph, its origin
 * (storage/derivation.h). Then the row of the new generation names the origin,
 * and the graph gets the attributes with the id result.attributes. If
 * result.attributes is 0, and the upload is not a bundle with attributes, the
 * graph keeps its attributes. If the same upload is stored again, the row names
 * the origin of the newest request. If result.weight_unit is NULL, a graph that
 * is replaced keeps its unit of weights. Otherwise it gets result.weight_unit,
 * where "" means no unit.
 *
 * The command reports through `done`: APSP_EMALFORMED (`name` is not a valid
 * name), APSP_ECANCELLED (the attributes result.attributes were removed, or the
 * graph has another rule than result.kept_rule by now), APSP_EPRECONDITION,
 * APSP_ERULE (default_rule.h), APSP_ETOOLARGE (the graph would keep more than
 * APSP_ATTRIBUTE_CELLS_MAX attributes), APSP_EQUEUEFULL, APSP_ESTATEFULL,
 * APSP_ENOSPACE (the cache is too small for the graph's tables: cache_limit.h),
 * APSP_EDB, APSP_ENOMEM, APSP_ESTOPPING.
 */
void apsp_graph_put(struct apsp_store *store, const char *name,
	struct apsp_upload *upload,
	const struct apsp_precondition *precondition, unsigned int n_reserved,
	struct apsp_put_result *out, struct apsp_done done);

#endif
