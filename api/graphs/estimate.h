/*
 * Estimates: time, memory and disk of tables, before anything runs.
 */
#ifndef APSP_API_GRAPHS_ESTIMATE_H
#define APSP_API_GRAPHS_ESTIMATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "api/http/request.h"
#include "compute/worker/worker.h"
#include "daemon/base/profile.h"

/* What an estimate needs to know of a graph. */
struct apsp_estimate_graph {
	uint64_t n_vertices;
	uint64_t n_arcs;      /* as uploaded */
	unsigned int weights; /* facts of daemon/base/weights.h */
	/* the job that makes these tables, whose room is theirs; 0: none */
	uint64_t job;
};

/*
 * Estimate a graph's tables under a rule, without reading arcs. Assumed are as
 * many arcs as uploaded, but at most one for each pair; that every pair is
 * reachable; and what compute/plan/graph_guess.h says of such graphs. If there
 * is no room for these tables, the estimate is made again for the narrowest
 * tables that the weights allow, and the explanation says so. *out may have no
 * feasible algorithm; that is no error. APSP_EIO; otherwise errors as
 * apsp_worker_devices().
 */
int apsp_estimate_make(struct apsp_request *req,
	const struct apsp_estimate_graph *graph,
	const struct apsp_profile *rule, struct apsp_worker_estimate *out,
	struct apsp_err *err);

/*
 * Refuse a graph's tables if no algorithm can make even the narrowest tables
 * that the weights allow. Then the reply is made, with the estimate, err is
 * set, and true is returned. Disk is left to the store, which knows the tables
 * that are there already. Without an estimate nothing is refused.
 */
bool apsp_estimate_refuses(struct apsp_request *req,
	const struct apsp_estimate_graph *graph,
	const struct apsp_profile *rule, struct apsp_err *err);

/*
 * The store has refused a graph's tables for want of disk: add the estimate of
 * their narrowest form, if there is one, and what may be deleted to the problem
 * that is replied.
 */
void apsp_estimate_tell(struct apsp_request *req,
	const struct apsp_estimate_graph *graph,
	const struct apsp_profile *rule);

/*
 * What the tables will take, for the receipt of an upload: algorithm, seconds
 * and bytes. Null while no device is known, or none can make them.
 */
json_t *apsp_estimate_brief(struct apsp_request *req,
	const struct apsp_estimate_graph *graph,
	const struct apsp_profile *rule);

/* The caller owns it; NULL: no memory. */
json_t *apsp_estimate_json(const struct apsp_worker_estimate *estimate);

#endif
