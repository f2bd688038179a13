/*
 * DELETE /v1/graphs/{graph}/profiles/{profile}: delete the profile.
 */
#include <stdlib.h>

#include "api/command.h"
#include "api/handlers.h"
#include "api/http/reply.h"
#include "storage/profiles.h"

int apsp_api_delete_profile(struct apsp_request *req, struct apsp_err *err)
{
	int r;

	if (req->state) {
		r = apsp_request_result(req, err);
		return r < 0 ? r : apsp_reply_empty(req, err);
	}
	/* the state only says that the command is under way */
	req->state = malloc(1);
	req->state_free = free;
	if (!req->state)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	r = apsp_request_suspend(req, err);
	if (r < 0)
		return r;
	apsp_profiles_delete(apsp_request_store(req), req->params[0],
		req->params[1], apsp_command_done(req));
	return 0;
}
