/*
 * Replies to a PUT; see put_reply.h.
 */
#include "api/graphs/put_reply.h"

#include <inttypes.h>
#include <string.h>

#include "api/encode/json.h"
#include "api/graphs/profile_input.h"
#include "api/http/query.h"
#include "api/http/reply.h"
#include "api/job_json.h"
#include "api/reading.h"
#include "daemon/job/profile_text.h"
#include "daemon/base/auto.h"
#include "storage/attributes/rule_choice.h"
#include "storage/jobs/jobs.h"

/*
 * Returns the ids of queued and running jobs, as {profile: job}. After an
 * upload, the object has the jobs of all profiles; otherwise it has only the
 * job of the profile that was put.
 */
static json_t *jobs_json(const struct apsp_put_reply *reply)
{
	const struct apsp_generation *generation =
		apsp_put_result_generation(&reply->result);
	json_t *out = json_object();

	for (size_t i = 0; out && generation && i < generation->n_profiles;
		i++) {
		const struct apsp_profile_snapshot *profile =
			&generation->profiles[i];

		if (!apsp_job_state_active(profile->job_state) ||
			(!reply->receipt &&
				strcmp(profile->name, reply->profile) != 0))
			continue;
		out = apsp_json_join(
			out, json_pack("{s:o}", profile->name,
				     apsp_job_id_json(profile->job)));
	}
	return out;
}

/*
 * Add a sentence to the warnings of the reply for each profile whose rule names
 * vertices or attributes that the graph does not have, because the job of such
 * a profile will fail. After an upload, all profiles are checked; otherwise,
 * only the profile of the request. Returns the warnings; NULL: no memory.
 */
static json_t *warnings_json(const struct apsp_put_reply *reply,
	const struct apsp_generation *generation)
{
	json_t *warnings = reply->receipt ? json_incref(json_object_get(
						    reply->receipt, "warnings"))
					  : json_array();

	for (size_t i = 0; warnings && i < generation->n_profiles; i++) {
		const struct apsp_profile_snapshot *profile =
			&generation->profiles[i];
		struct apsp_err why;

		if ((reply->receipt ||
			    strcmp(profile->name, reply->profile) == 0) &&
			!profile->unreadable.code &&
			apsp_rule_choice_check(&profile->rule,
				generation->labels, generation->attributes,
				&why) == APSP_EDATA)
			json_array_append_new(warnings,
				json_sprintf("the job of the profile '%s' "
					     "fails: %s",
					profile->name, why.message));
	}
	return warnings;
}

/*
 * Correct the receipt of a bundle after the upload was stored. If the daemon
 * already has tables of the same graph and rule, they stay in use, so no job
 * checks the bundle's tables of this rule.
 */
static void kept_tables_note(
	json_t *receipt, const struct apsp_generation *generation)
{
	json_t *table;
	size_t i;

	json_array_foreach(json_object_get(receipt, "tables"), i, table)
	{
		const char *name =
			json_string_value(json_object_get(table, "profile"));

		for (size_t p = 0; p < generation->n_profiles; p++) {
			const struct apsp_profile_snapshot *profile =
				&generation->profiles[p];

			if (strcmp(profile->name, name) != 0 ||
				!profile->tables ||
				apsp_job_state_active(profile->job_state))
				continue;
			json_object_set_new(table, "prove", json_null());
			json_object_set_new(table, "recompute", json_null());
			json_object_set_new(table, "kept",
				json_string("the daemon serves tables of this "
					    "graph and rule already; they "
					    "stay, and no proof ran"));
		}
	}
}

static const struct apsp_profile_snapshot *profile_of(
	const struct apsp_put_reply *reply)
{
	const struct apsp_generation *generation =
		apsp_put_result_generation(&reply->result);

	return generation ? apsp_generation_profile(generation, reply->profile)
			  : NULL;
}

/*
 * Explain why the upload or the rule of this request no longer exists. The
 * store removes an upload if a job finds its bundle's tables wrong. It removes
 * a rule from a pending upload if the rule's job fails or is cancelled. If the
 * job `id` failed or was cancelled, store this outcome in *err and return
 * APSP_ETABLES. Otherwise, return the code that *err has already.
 */
static int removal_explain(
	struct apsp_request *req, uint64_t id, struct apsp_err *err)
{
	struct apsp_job_record job;

	if (apsp_jobs_get(req->config->store, id, &job, NULL) < 0)
		return err->code;
	if (job.state == APSP_JOB_FAILED || job.state == APSP_JOB_CANCELLED) {
		apsp_fail(err, APSP_ETABLES, "job %" PRIu64 " %s: %s", id,
			job.state == APSP_JOB_FAILED ? "failed"
						     : "was cancelled",
			job.failure.err.message);
		apsp_request_extra(
			req, apsp_job_members_json(
				     req, id, apsp_job_state_names[job.state]));
	}
	apsp_job_record_done(&job);
	return err->code;
}

/*
 * Set the result to the graph's present state. If another upload of the same
 * file has replaced this upload, the result describes the other upload. The
 * argument `rule` is the profile's rule as this request has set it.
 * APSP_EPRECONDITION: another request has changed this rule. APSP_ETABLES: the
 * job of this rule has failed or was cancelled, and the profile has returned to
 * an earlier rule.
 */
static int result_renew(struct apsp_request *req, struct apsp_put_reply *reply,
	const struct apsp_graph_snapshot *snapshot,
	const struct apsp_profile *rule, struct apsp_err *err)
{
	const struct apsp_generation *same =
		apsp_graph_snapshot_newest(snapshot);
	struct apsp_put_result *result = &reply->result;
	const struct apsp_profile_snapshot *now;
	int r;

	apsp_graph_snapshot_unref(result->snapshot);
	result->snapshot = apsp_graph_snapshot_ref(snapshot);
	if (strcmp(same->revision, reply->revision) != 0)
		same = apsp_graph_snapshot_shown(snapshot);
	if (!apsp_put_result_generation(result) &&
		strcmp(same->revision, reply->revision) == 0)
		result->generation = same->id;
	now = profile_of(reply);
	if (!now || apsp_profile_equal(rule, &now->rule))
		return 0;
	r = apsp_fail(err, APSP_EPRECONDITION,
		"another request has changed the rule of the profile '%s' "
		"during the wait",
		reply->profile);
	/* if the profile in the current upload still has the job of this
	   request, no other request has changed the rule. Then the store has
	   removed the rule, because this job ended without tables */
	now = apsp_generation_profile(
		apsp_graph_snapshot_shown(snapshot), reply->profile);
	return now && now->job == result->job
		       ? removal_explain(req, result->job, err)
		       : r;
}

/*
 * Wait for the job as long as ?wait= says. Returns 1 if the request now waits;
 * apsp_put_reply_send() is then called again. Returns 0 when the wait is over,
 * even if the profile's job has not ended by then; the result in `reply` is up
 * to date. Fails as apsp_reading_await() does. APSP_EPRECONDITION: the profile
 * has got another rule during the wait.
 */
static int result_await(struct apsp_request *req, struct apsp_put_reply *reply,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;
	struct apsp_put_result *result = &reply->result;
	const struct apsp_profile_snapshot *before = profile_of(reply), *now;
	struct apsp_profile rule;
	uint64_t job = 0;
	int served, r;

	if (!before)
		return 0;
	rule = before->rule;
	r = apsp_reading_snapshot(req, &snapshot, err);
	if (r == APSP_ENOGRAPH)
		return removal_explain(req, result->job, err);
	if (r == 0)
		r = result_renew(req, reply, snapshot, &rule, err);
	if (r < 0)
		return r;
	served = apsp_reading_await(
		req, snapshot, reply->revision, reply->profile, err);
	if (served == APSP_EREVISION)
		return removal_explain(req, result->job, err);
	/* the change is stored. So if the server accepts no more waits, answer
	   as if the time of the wait were over */
	if (served != 0 && served != APSP_ENOTREADY && served != APSP_EBUSY &&
		served != APSP_ESTOPPING)
		return served;
	now = profile_of(reply);
	if (!now)
		return served;
	result->job = now->job;
	result->job_state = now->job_state;
	if (served == 0 || apsp_job_state_active(now->job_state))
		return 0;
	/* the profile's own job has ended. If its tables are not used until the
	   job of another profile has ended, store the id of that other job in
	   `job`, and answer with it */
	if (apsp_graph_snapshot_serves(result->snapshot, reply->revision,
		    reply->profile, &job, NULL) != APSP_ENOTREADY ||
		job == 0)
		return served;
	result->job = job;
	result->job_state = APSP_JOB_QUEUED;
	return 0;
}

void apsp_put_reply_done(struct apsp_put_reply *reply)
{
	json_decref(reply->receipt);
	apsp_put_result_done(&reply->result);
}

int apsp_put_reply_send(struct apsp_request *req, struct apsp_put_reply *reply,
	struct apsp_err *err)
{
	const struct apsp_put_result *result = &reply->result;
	const struct apsp_generation *generation;
	enum apsp_job_state state;
	uint64_t wait_s;
	bool awaited;
	json_t *body;
	int r;

	r = apsp_request_result(req, err);
	if (r == APSP_ENOSPACE)
		apsp_estimate_explain(req, &reply->facts, &reply->rule);
	if (r == APSP_ERULE)
		apsp_rule_consent_explain(req, &reply->rule);
	if (r < 0)
		return r;
	generation = apsp_put_result_generation(result);
	if (!*reply->revision) {
		if (!generation)
			return apsp_fail(err, APSP_EROW,
				"the graph '%s' cannot be read; /readyz says "
				"why",
				reply->graph);
		memcpy(reply->revision, generation->revision,
			sizeof(reply->revision));
		reply->facts.n_vertices = generation->n_vertices;
		reply->facts.n_arcs = generation->n_arcs;
	}
	/* correct the receipt before the wait. Tables that a profile has now
	   were there before the upload; after the wait, they may have come with
	   the bundle */
	if (generation && reply->receipt)
		kept_tables_note(reply->receipt, generation);
	r = apsp_query_wait(req, &wait_s, err);
	if (r == 0 && wait_s > 0 && result->job)
		r = result_await(req, reply, err);
	if (r != 0)
		return r < 0 ? r : 0;
	generation = apsp_put_result_generation(result);
	state = result->job ? result->job_state : APSP_JOB_SUCCEEDED;
	awaited = result->job && apsp_job_state_active(state);
	if (awaited) {
		APSP_AUTO(apsp_free)
		char *location = apsp_job_link(req, result->job);

		if (!location)
			return apsp_fail(err, APSP_ENOMEM, "no memory");
		r = apsp_reply_header(req, "Location", location, err);
		if (r == 0)
			r = apsp_reply_header(req, "Retry-After", "1", err);
		if (r < 0)
			return r;
	}
	body = json_pack("{s:o, s:o, s:s, s:s, s:s, s:I, s:I, s:s, s:s, s:o}",
		"job", apsp_job_id_json(result->job), "jobs", jobs_json(reply),
		"state", apsp_job_state_names[state], "graph", reply->graph,
		"revision", reply->revision, "vertices",
		(json_int_t)reply->facts.n_vertices, "arcs",
		(json_int_t)reply->facts.n_arcs, "profile", reply->profile,
		"transform", apsp_transform_name(reply->rule.transform),
		"warnings",
		generation ? warnings_json(reply, generation) : json_array());
	if (body && reply->receipt)
		json_object_update_missing(body, reply->receipt);
	return apsp_reply_json(
		req, awaited ? MHD_HTTP_ACCEPTED : MHD_HTTP_OK, body, err);
}
