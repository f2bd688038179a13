/*
 * DELETE /v1/graphs/{graph}/profiles/{profile}: delete the profile.
 */
#include <stdlib.h>

#include "api/command.h"
#include "api/condition_headers.h"
#include "api/handlers.h"
#include "api/http/reply.h"
#include "storage/profiles.h"

int apsp_api_delete_profile(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_condition_headers *precondition;
	int r;

	if (req->state) {
		r = apsp_request_result(req, err);
		return r < 0 ? r : apsp_reply_empty(req, err);
	}
	precondition = calloc(1, sizeof(*precondition));
	if (!precondition)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	req->state = precondition;
	req->state_free = free;
	r = apsp_condition_headers_read(
		req, APSP_SUBJECT_PROFILE, precondition, err);
	if (r == 0)
		r = apsp_request_suspend(req, err);
	if (r < 0)
		return r;
	apsp_profiles_delete(apsp_request_store(req), req->params[0],
		req->params[1], &precondition->wanted, apsp_command_done(req));
	return 0;
}
