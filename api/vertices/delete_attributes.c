/*
 * DELETE /v1/graphs/{graph}/attributes: forget what is known of the vertices.
 */
#include <stdlib.h>

#include "api/command.h"
#include "api/condition_headers.h"
#include "api/handlers.h"
#include "api/http/reply.h"
#include "daemon/base/auto.h"
#include "storage/attributes_put.h"

/* Lives until the command has ended. */
struct deletion {
	struct apsp_condition_headers precondition;
	struct apsp_attributes *none;
};

int apsp_api_delete_attributes(struct apsp_request *req, struct apsp_err *err)
{
	struct deletion *deletion;
	int r;

	if (req->state) {
		r = apsp_request_result(req, err);
		return r < 0 ? r : apsp_reply_empty(req, err);
	}
	deletion = calloc(1, sizeof(*deletion));
	if (!deletion)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	req->state = deletion;
	req->state_free = free;
	r = apsp_condition_headers_read(
		req, APSP_SUBJECT_ATTRIBUTES, &deletion->precondition, err);
	if (r == 0)
		r = apsp_request_suspend(req, err);
	if (r < 0)
		return r;
	apsp_attributes_put(apsp_request_store(req), req->params[0], NULL,
		&deletion->precondition.wanted, &deletion->none,
		apsp_command_done(req));
	return 0;
}
