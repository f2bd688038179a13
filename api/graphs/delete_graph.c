/*
 * DELETE /v1/graphs/{graph}: delete the graph with its profiles and tables.
 */
#include <stdlib.h>

#include "api/command.h"
#include "api/condition_headers.h"
#include "api/handlers.h"
#include "api/http/reply.h"

struct delete_graph {
	struct apsp_condition_headers precondition;
};

int apsp_api_delete_graph(struct apsp_request *req, struct apsp_err *err)
{
	struct delete_graph *state = req->state;
	int r;

	if (state) {
		r = apsp_request_result(req, err);
		return r < 0 ? r : apsp_reply_empty(req, err);
	}
	state = calloc(1, sizeof(*state));
	if (!state)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	req->state = state;
	req->state_free = free;
	r = apsp_condition_headers_read(
		req, APSP_SUBJECT_GRAPH, &state->precondition, err);
	if (r < 0)
		return r;
	r = apsp_request_suspend(req, err);
	if (r < 0)
		return r;
	req->change.deleted = true;
	apsp_graphs_delete(apsp_request_store(req), req->params[0],
		&state->precondition.wanted, apsp_command_done(req));
	return 0;
}
