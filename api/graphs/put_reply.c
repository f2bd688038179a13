/*
 * Replies to a PUT; see put_reply.h.
 */
#include "api/graphs/put_reply.h"

#include <string.h>

#include "api/http/reply.h"
#include "api/job_json.h"
#include "daemon/base/auto.h"

/* The jobs of the upload, or of one profile of it, by profile. */
static json_t *jobs_json(const struct apsp_put_reply *reply)
{
	const struct apsp_generation *generation =
		apsp_put_result_generation(&reply->result);
	json_t *out = json_object();
	int r = out ? 0 : -1;

	for (size_t i = 0; r == 0 && generation && i < generation->n_profiles;
		i++) {
		const struct apsp_profile_snapshot *profile =
			&generation->profiles[i];

		if (!apsp_job_state_active(profile->job_state) ||
			(!reply->receipt &&
				strcmp(profile->name, reply->profile) != 0))
			continue;
		r = json_object_set_new(
			out, profile->name, apsp_job_id_json(profile->job));
	}
	if (r == 0)
		return out;
	json_decref(out);
	return NULL;
}

int apsp_put_reply_send(struct apsp_request *req,
	const struct apsp_put_reply *reply, struct apsp_err *err)
{
	const struct apsp_put_result *result = &reply->result;
	unsigned int status = result->job ? MHD_HTTP_ACCEPTED : MHD_HTTP_OK;
	enum apsp_job_state state =
		result->job ? result->job_state : APSP_JOB_SUCCEEDED;
	json_t *body;
	int r;

	if (result->job) {
		APSP_AUTO(apsp_free)
		char *location = apsp_job_link(req, result->job);

		if (!location)
			return apsp_fail(err, APSP_ENOMEM, "no memory");
		r = apsp_reply_header(req, "Location", location, err);
		if (r < 0)
			return r;
		r = apsp_reply_header(req, "Retry-After", "1", err);
		if (r < 0)
			return r;
	}
	body = json_pack("{s:o, s:o, s:s, s:s, s:s, s:I, s:I, s:s, s:s}", "job",
		apsp_job_id_json(result->job), "jobs", jobs_json(reply),
		"state", apsp_job_state_name(state), "graph", reply->graph,
		"revision", reply->revision, "vertices",
		(json_int_t)reply->n_vertices, "arcs",
		(json_int_t)reply->n_arcs, "profile", reply->profile,
		"transform", apsp_transform_name(reply->transform));
	if (body && reply->receipt)
		json_object_update_missing(body, reply->receipt);
	return apsp_reply_json(req, status, body, err);
}
