/*
 * DELETE /v1/graphs/{graph}: delete the graph with its profiles and tables.
 */
#include "api/command.h"
#include "api/handlers.h"
#include "storage/graphs.h"

int apsp_api_delete_graph(struct apsp_request *req, struct apsp_err *err)
{
	const struct apsp_precondition *wanted;
	int r = apsp_command_delete(req, APSP_SUBJECT_GRAPH, &wanted, err);

	if (r <= 0)
		return r;
	req->change.deleted = true;
	apsp_graphs_delete(req->config->store, req->params[0], wanted,
		apsp_command_done(req));
	return 0;
}
