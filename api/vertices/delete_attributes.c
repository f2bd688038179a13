/*
 * DELETE /v1/graphs/{graph}/attributes: delete the attributes of the vertices.
 */
#include "api/command.h"
#include "api/handlers.h"
#include "storage/graphs.h"

int apsp_api_delete_attributes(struct apsp_request *req, struct apsp_err *err)
{
	const struct apsp_precondition *wanted;
	int r = apsp_command_delete(req, APSP_SUBJECT_ATTRIBUTES, &wanted, err);

	if (r <= 0)
		return r;
	apsp_attributes_put(req->config->store, req->params[0], NULL, wanted,
		NULL, apsp_command_done(req));
	return 0;
}
