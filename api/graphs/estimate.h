/*
 * Estimates of the time, the memory and the disk space that tables need. An
 * estimate is made before any job runs, and without reading arcs. It assumes
 * that every vertex reaches every other vertex. It assumes that the graph has
 * all uploaded arcs, but at most one arc for each pair of vertices.
 * compute/plan/graph_guess.h lists the other assumptions.
 */
#ifndef APSP_API_GRAPHS_ESTIMATE_H
#define APSP_API_GRAPHS_ESTIMATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "api/http/request.h"
#include "compute/worker/worker.h"
#include "daemon/job/profile.h"

/* The facts of a graph that an estimate needs. */
struct apsp_estimate_graph {
	uint64_t n_vertices;
	uint64_t n_arcs;      /* number of uploaded arcs */
	unsigned int weights; /* flags of daemon/job/arc_facts.h about the
				 weights */
	/*
	 * id of the running job that computes the same tables; 0: there is no
	 * such job. The disk space that this job has reserved counts as free
	 */
	uint64_t job;
};

/*
 * Refuse a graph's tables if no algorithm has enough memory even for tables
 * with the smallest element types that the weights allow. To refuse, set err,
 * send the error reply with the estimate, and return true. This function does
 * not check the free disk space, because only the store knows which tables
 * exist already. Returns false if the tables are not refused, or if no estimate
 * can be made.
 */
bool apsp_estimate_refuses(struct apsp_request *req,
	const struct apsp_estimate_graph *graph,
	const struct apsp_profile *rule, struct apsp_err *err);

/*
 * Call this when the store has refused tables because the disk is too full. It
 * adds two members to the error reply (problem): an estimate of tables with the
 * smallest element types, if it can be made, and the deletions of graphs and
 * profiles that would free space, unless the tables alone exceed the limit.
 */
void apsp_estimate_explain(struct apsp_request *req,
	const struct apsp_estimate_graph *graph,
	const struct apsp_profile *rule);

/*
 * Returns the short estimate that the reply to an upload shows: algorithm,
 * seconds and bytes. Returns JSON null if no algorithm is feasible, or if no
 * estimate can be made, for example because no device is known.
 */
json_t *apsp_estimate_brief(struct apsp_request *req,
	const struct apsp_estimate_graph *graph,
	const struct apsp_profile *rule);

/*
 * Reply with an object that has an estimate of the graph's tables under the
 * rule, and the members of `about`. Releases `about`. If the tables do not fit,
 * the estimate is for tables with the smallest element types that the weights
 * allow. If no algorithm is feasible, reply with an error (problem) whose
 * member `estimate` is this object. APSP_EIO: the free disk space cannot be
 * read. Also fails as apsp_worker_devices() does.
 */
int apsp_estimate_reply(struct apsp_request *req,
	const struct apsp_estimate_graph *graph,
	const struct apsp_profile *rule, json_t *about, struct apsp_err *err);

#endif
