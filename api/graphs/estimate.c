/*
 * Estimates; see estimate.h.
 */
#include "api/graphs/estimate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/cache_json.h"
#include "api/encode/json.h"
#include "api/http/reply.h"
#include "api/job_json.h"
#include "compute/plan/graph_guess.h"
#include "daemon/job/arc_facts.h"
#include "storage/jobs/cache_limit.h"

/* Guess the work of computing a graph's tables. If `least` is true, assume the
   smallest element type for distances that the weights allow; otherwise assume
   the likely type. */
static struct apsp_workload guess(struct apsp_request *req,
	const struct apsp_estimate_graph *graph,
	const struct apsp_profile *rule, bool least)
{
	struct apsp_workload work;

	apsp_graph_guess_workload(
		graph->n_vertices, graph->n_arcs, graph->weights, rule, &work);
	if (least) {
		work.distance = apsp_arc_facts_element(graph->weights, rule);
		work.element = work.distance == APSP_ELEMENT_U16
				       ? APSP_ELEMENT_U16
				       : APSP_ELEMENT_I32;
	}
	work.capacity_bytes = apsp_cache_limit_bytes(req->config->store);
	return work;
}

/*
 * Estimate a graph's tables under a rule. If tables with the likely element
 * types do not fit, the estimate is for the smallest element types that the
 * weights allow, and the plan's text says so. A result of 0 or more does not
 * mean that *out has a feasible algorithm.
 */
static int estimate_make(struct apsp_request *req,
	const struct apsp_estimate_graph *graph,
	const struct apsp_profile *rule, struct apsp_worker_estimate *out,
	struct apsp_err *err)
{
	struct apsp_worker *worker = req->config->worker;
	const struct apsp_workload likely = guess(req, graph, rule, false);
	const struct apsp_workload least = guess(req, graph, rule, true);
	struct apsp_cache_room space;
	uint64_t left = 0;
	size_t used;
	char *text;
	int r;

	r = apsp_cache_limit_read(req->config->store, &space, err);
	if (r >= 0)
		left = space.left_bytes;
	if (r >= 0 && graph->job)
		left += apsp_worker_disk(worker, graph->job);
	if (r >= 0)
		r = apsp_worker_estimate(
			worker, &likely, left, rule->algorithm, out, err);
	if (r < 0 || apsp_plan_choice(&out->plan) ||
		(least.element == likely.element &&
			least.distance == likely.distance))
		return r;
	/*
	 * Tables with the likely element types do not fit. But the solver first
	 * tries the smallest element types, and tables with these types may
	 * fit. So estimate tables with the smallest types.
	 */
	r = apsp_worker_estimate(
		worker, &least, left, rule->algorithm, out, err);
	if (r >= 0 && apsp_plan_choice(&out->plan)) {
		text = out->plan.text;
		used = strlen(text);
		snprintf(text + used, sizeof(out->plan.text) - used,
			", if it turns out to fit; in %s there is no room for "
			"it",
			apsp_element_name(likely.distance));
	}
	return r;
}

/* Estimate tables with the smallest element types. An algorithm is feasible
   only if its tables fit the free disk space. Returns false if no estimate can
   be made. */
static bool estimate_least(struct apsp_request *req,
	const struct apsp_estimate_graph *graph,
	const struct apsp_profile *rule, struct apsp_worker_estimate *out)
{
	const struct apsp_workload least = guess(req, graph, rule, true);
	struct apsp_cache_room space;

	return apsp_cache_limit_read(req->config->store, &space, NULL) >= 0 &&
	       apsp_worker_estimate(req->config->worker, &least,
		       space.left_bytes, rule->algorithm, out, NULL) >= 0;
}

/* Return a number of bytes as JSON, or JSON null if it is larger than
   INT64_MAX. */
static json_t *bytes_json(uint64_t bytes)
{
	return bytes > INT64_MAX ? json_null()
				 : json_integer((json_int_t)bytes);
}

static json_t *algorithm_json(const struct apsp_estimate *estimate)
{
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:b, s:s?}", "name",
		estimate->name, "seconds", apsp_json_number(estimate->seconds),
		"device_bytes", bytes_json(estimate->device_bytes),
		"host_bytes", bytes_json(estimate->host_bytes), "disk_bytes",
		bytes_json(estimate->disk_bytes), "feasible",
		(int)estimate->feasible, "reason",
		estimate->feasible ? NULL : estimate->reason);
}

/*
 * Return an object with the chosen algorithm and its costs. All members are
 * null if no algorithm is feasible.
 */
static json_t *choice_json(const struct apsp_plan *plan)
{
	const struct apsp_estimate *chosen = apsp_plan_choice(plan);
	const char *closure =
		plan->closure < 0 ? NULL : plan->closures[plan->closure].name;
	json_t *not_counted;

	if (!chosen)
		return json_pack("{s:n, s:n, s:n, s:n, s:n, s:n, s:n, s:n}",
			"algorithm", "closure", "seconds", "not_counted",
			"stages", "device_bytes", "host_bytes", "disk_bytes");
	not_counted = json_pack("[s, s]", "waiting", "other_programs");
	if (!plan->compiled)
		json_array_insert_new(not_counted, 0, json_string("compiling"));
	return json_pack("{s:s, s:s?, s:o, s:o, s:o, s:o, s:o, s:o}",
		"algorithm", chosen->name, "closure", closure, "seconds",
		apsp_json_number(chosen->seconds), "not_counted", not_counted,
		"stages",
		isnan(chosen->seconds)
			? json_null()
			: apsp_job_stages_json(chosen->cost.seconds),
		"device_bytes", bytes_json(plan->device_bytes), "host_bytes",
		bytes_json(plan->host_bytes), "disk_bytes",
		bytes_json(chosen->disk_bytes));
}

static json_t *estimate_json(const struct apsp_worker_estimate *estimate)
{
	const struct apsp_plan *plan = &estimate->plan;
	json_t *out = json_pack("{s:s, s:b, s:I, s:s}", "device",
		estimate->device.name, "measured", (int)estimate->measured,
		"learnt_from", (json_int_t)plan->learnt_from, "explanation",
		plan->text);
	json_t *list = json_array();

	for (int i = 0; i < APSP_N_ALGORITHMS; i++)
		json_array_append_new(
			list, algorithm_json(&plan->algorithms[i]));
	for (int i = 0; i < APSP_N_CLOSURES; i++)
		json_array_append_new(list, algorithm_json(&plan->closures[i]));
	out = apsp_json_join(out, choice_json(plan));
	return apsp_json_join(out, json_pack("{s:o}", "algorithms", list));
}

bool apsp_estimate_refuses(struct apsp_request *req,
	const struct apsp_estimate_graph *graph,
	const struct apsp_profile *rule, struct apsp_err *err)
{
	const struct apsp_workload least = guess(req, graph, rule, true);
	struct apsp_worker_estimate estimate;
	json_t *answer;
	int refusal;

	if (apsp_worker_estimate(req->config->worker, &least, APSP_PLAN_UNKNOWN,
		    rule->algorithm, &estimate, NULL) < 0)
		return false;
	refusal = apsp_plan_check(&estimate.plan, err);
	/* APSP_ELIMIT: no single device has enough memory for the tables. If a
	   group of devices may have enough, do not refuse, because only the job
	   can find out */
	if (refusal == 0 || (refusal == APSP_ELIMIT && estimate.group_unknown))
		return false;
	/* estimate again, within the free disk space, so that the message does
	   not advise an algorithm whose tables do not fit on the disk */
	if (estimate_least(req, graph, rule, &estimate))
		apsp_plan_check(&estimate.plan, err);
	answer = estimate_json(&estimate);
	apsp_reply_problem(req, err, json_pack("{s:o}", "estimate", answer));
	return true;
}

/* Return the deletions that free most space for tables. NULL: even alone, the
   tables would exceed the limit of the cache, so that no deletion helps. */
static json_t *deletable_json(
	const struct apsp_request *req, const struct apsp_plan *plan)
{
	/* all algorithms write the same tables */
	if (plan->algorithms[APSP_ALGORITHM_REFERENCE].disk_bytes >
		apsp_cache_limit_bytes(req->config->store))
		return NULL;
	return apsp_cache_json_deletable(req);
}

void apsp_estimate_explain(struct apsp_request *req,
	const struct apsp_estimate_graph *graph,
	const struct apsp_profile *rule)
{
	struct apsp_worker_estimate estimate;
	json_t *answer = NULL, *deletable;

	if (estimate_least(req, graph, rule, &estimate)) {
		answer = estimate_json(&estimate);
		deletable = deletable_json(req, &estimate.plan);
	} else {
		deletable = apsp_cache_json_deletable(req);
	}
	apsp_request_extra(req, json_pack("{s:o*, s:o*}", "estimate", answer,
					"deletable", deletable));
}

json_t *apsp_estimate_brief(struct apsp_request *req,
	const struct apsp_estimate_graph *graph,
	const struct apsp_profile *rule)
{
	struct apsp_worker_estimate estimate;
	json_t *out;

	if (estimate_make(req, graph, rule, &estimate, NULL) < 0 ||
		!apsp_plan_choice(&estimate.plan))
		return json_null();
	out = choice_json(&estimate.plan);
	json_object_del(out, "closure");
	return out;
}

int apsp_estimate_reply(struct apsp_request *req,
	const struct apsp_estimate_graph *graph,
	const struct apsp_profile *rule, json_t *about, struct apsp_err *err)
{
	struct apsp_worker_estimate estimate;
	json_t *answer, *deletable = NULL;
	int r = estimate_make(req, graph, rule, &estimate, err);

	if (r < 0) {
		json_decref(about);
		return r;
	}
	answer = apsp_json_join(estimate_json(&estimate), about);
	if (apsp_plan_check(&estimate.plan, err) == 0)
		return apsp_reply_json(req, MHD_HTTP_OK, answer, err);
	if (err->code == APSP_ENOSPACE)
		deletable = deletable_json(req, &estimate.plan);
	apsp_reply_problem(req, err,
		json_pack("{s:o, s:o*}", "estimate", answer, "deletable",
			deletable));
	return 0;
}
