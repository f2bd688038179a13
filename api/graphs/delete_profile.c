/*
 * DELETE /v1/graphs/{graph}/profiles/{profile}: delete the profile.
 */
#include "api/command.h"
#include "api/handlers.h"
#include "storage/graphs.h"

int apsp_api_delete_profile(struct apsp_request *req, struct apsp_err *err)
{
	const struct apsp_precondition *wanted;
	int r = apsp_command_delete(req, APSP_SUBJECT_PROFILE, &wanted, err);

	if (r <= 0)
		return r;
	apsp_profiles_delete(req->config->store, req->params[0], req->params[1],
		wanted, apsp_command_done(req));
	return 0;
}
