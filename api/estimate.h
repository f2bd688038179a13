/*
 * What tables would take, before anything runs.
 */
#ifndef APSP_API_ESTIMATE_H
#define APSP_API_ESTIMATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "api/request.h"
#include "compute/worker.h"
#include "daemon/base/profile.h"

/* A graph as estimates see it. */
struct apsp_estimate_graph {
	uint64_t n_vertices;
	uint64_t n_arcs;      /* as uploaded */
	unsigned int weights; /* daemon/base/weights.h */
};

/*
 * Estimate a graph's tables under a rule. Arcs are not read: all count that
 * could be left when those between one pair are merged, all pairs as reachable,
 * and V as 32 bits wide but where the rule counts hops, or where there is only
 * room for less, which the weights may come to: the explanation then says so.
 * Nothing being feasible is no error. APSP_ENOTREADY, APSP_EDEVICE: there is no
 * device, or it is not known yet; APSP_EIO.
 */
int apsp_estimate_make(struct apsp_request *req,
	const struct apsp_estimate_graph *graph,
	const struct apsp_profile *rule, struct apsp_worker_estimate *out,
	struct apsp_err *err);

/*
 * Refuse what no algorithm can do on this machine in the narrowest tables that
 * the weights may come to: then the reply is made, with the estimate, err has
 * its error, and true is returned. Of the disk the store judges, which knows
 * what is there already. Without an estimate nothing is refused.
 */
bool apsp_estimate_refuses(struct apsp_request *req,
	const struct apsp_estimate_graph *graph,
	const struct apsp_profile *rule, struct apsp_err *err);

/*
 * Have the refusal of a graph's tables that the store has no room for reply
 * with their estimate, in their narrowest form; without one, without.
 */
void apsp_estimate_tell(struct apsp_request *req,
	const struct apsp_estimate_graph *graph,
	const struct apsp_profile *rule);

/* The caller owns it; NULL: no memory. */
json_t *apsp_estimate_json(const struct apsp_worker_estimate *estimate);

#endif
