/*
 * A PUT without a body, which makes a graph from a stored graph:
 *
 *	PUT /v1/graphs/types?of=larva&by=type		a vertex for each type
 *	PUT /v1/graphs/left?of=larva&match=side:L	a part of the graph
 *
 * If the stored graph is replaced while its arcs are read, reading begins again
 * with the new upload.
 */
#ifndef APSP_API_GRAPHS_DERIVED_GRAPH_H
#define APSP_API_GRAPHS_DERIVED_GRAPH_H

#include <stdbool.h>

#include "api/http/request.h"
#include "daemon/base/err.h"
#include "storage/derivation.h"
#include "storage/ingest/upload/upload.h"

struct apsp_derived_graph {
	struct apsp_upload_options options;
	struct apsp_derivation *work; /* owned by the caller; NULL: the work has
					 not begun */
	unsigned int n_tries;
};

/*
 * Check the query of a PUT, and store in *out whether the request makes a graph
 * from a stored graph (?of=). If so, also set the rule in *options.
 * APSP_EMALFORMED: the query has `by`, `match` or `revision` without `of`; or
 * it has `of` with both or neither of `by` and `match`; or it has `of` and an
 * option for files. APSP_ENOGRAPH: the graph that `of` names does not exist.
 * APSP_EREVISION: this graph answers from another upload than `revision` names.
 * Also fails as apsp_profile_input_query() does.
 */
int apsp_derived_graph_wanted(struct apsp_request *req, bool *out,
	struct apsp_upload_options *options, struct apsp_err *err);

/*
 * Do one step of the work that makes the graph, on the thread pool. The caller
 * has set graph->options. The first step sets the rule in graph->options again,
 * because the stored graph may have been replaced. Returns 1 if more steps are
 * needed, or 0 if the upload of graph->work is complete. APSP_EBUSY: the stored
 * graph was replaced too often. Also fails as apsp_reading_shown(),
 * apsp_vertex_match_read() and apsp_derivation_step() do.
 */
int apsp_derived_graph_step(struct apsp_request *req,
	struct apsp_derived_graph *graph, struct apsp_err *err);

#endif
