/*
 * Estimates from what the daemon knows of a graph; see estimate.h.
 */
#include "api/estimate.h"

#include <stdio.h>
#include <string.h>

#include "api/reply.h"

/* Of a graph, its arcs as uploaded. */
struct sizes {
	uint64_t n_vertices;
	uint64_t n_arcs;
};

/* Arcs between one pair are merged into one. */
static uint64_t merged_at_most(const struct sizes *sizes)
{
	uint64_t n = sizes->n_vertices;

	return n > 0 && sizes->n_arcs / n >= n ? n * n : sizes->n_arcs;
}

/* As wide as V is without a look at the arcs. */
static enum apsp_element element_of(
	uint64_t n_vertices, const struct apsp_profile *rule)
{
	return rule->transform == APSP_TRANSFORM_HOPS &&
			       n_vertices <= APSP_V_INFINITY_U16
		       ? APSP_ELEMENT_U16
		       : APSP_ELEMENT_I32;
}

/* Transforms that leave integers as they are; others make reals of most. */
static bool may_be_narrow(const struct apsp_profile *rule)
{
	return rule->transform == APSP_TRANSFORM_NONE ||
	       rule->transform == APSP_TRANSFORM_HOPS;
}

/* Of the tables: V itself, or path sums, which only reals have. */
static enum apsp_element distance_of(
	const struct apsp_profile *rule, enum apsp_element element)
{
	if (element == APSP_ELEMENT_U16 ||
		rule->transform == APSP_TRANSFORM_HOPS)
		return element;
	if (rule->precision == APSP_PRECISION_FLOAT64)
		return APSP_ELEMENT_F64;
	return may_be_narrow(rule) ? element : APSP_ELEMENT_F32;
}

/* Where V is so wide, with so much disk. */
static int estimate_width(struct apsp_request *req, const struct sizes *sizes,
	const struct apsp_profile *rule, enum apsp_element element,
	uint64_t disk_bytes, struct apsp_worker_estimate *out,
	struct apsp_err *err)
{
	const struct apsp_workload work = {
		.n_vertices = sizes->n_vertices,
		.n_arcs = merged_at_most(sizes),
		.element = element,
		.distance = distance_of(rule, element),
		.unit_lengths = rule->transform == APSP_TRANSFORM_HOPS,
		.transformed = rule->transform != APSP_TRANSFORM_NONE &&
			       rule->transform != APSP_TRANSFORM_HOPS,
		.reachable = 1,
	};

	return apsp_worker_estimate(apsp_request_worker(req), &work, disk_bytes,
		rule->algorithm, out, err);
}

static void condition_add(struct apsp_plan *plan, enum apsp_element element)
{
	size_t used = strlen(plan->text);

	snprintf(plan->text + used, sizeof(plan->text) - used,
		", if it turns out to fit; in %s there is no room for it",
		apsp_element_name(element));
}

int apsp_estimate_make(struct apsp_request *req, uint64_t n_vertices,
	uint64_t n_arcs, const struct apsp_profile *rule,
	struct apsp_worker_estimate *out, struct apsp_err *err)
{
	const struct sizes sizes = {n_vertices, n_arcs};
	enum apsp_element element = element_of(n_vertices, rule);
	uint64_t free_bytes;
	int r;

	r = apsp_store_free_bytes(apsp_request_store(req), &free_bytes, err);
	if (r >= 0)
		r = estimate_width(
			req, &sizes, rule, element, free_bytes, out, err);
	if (r < 0 || apsp_plan_choice(&out->plan) ||
		element == APSP_ELEMENT_U16 || !may_be_narrow(rule))
		return r;
	/* the solver tries 16 bits first, and may succeed */
	r = estimate_width(
		req, &sizes, rule, APSP_ELEMENT_U16, free_bytes, out, err);
	if (r >= 0 && apsp_plan_choice(&out->plan))
		condition_add(&out->plan, element);
	return r;
}

bool apsp_estimate_refuses(struct apsp_request *req, uint64_t n_vertices,
	uint64_t n_arcs, const struct apsp_profile *rule, struct apsp_err *err)
{
	const struct sizes sizes = {n_vertices, n_arcs};
	struct apsp_worker_estimate estimate;
	uint64_t free_bytes;
	json_t *answer;

	/* any weights may come to short paths of integers */
	if (estimate_width(req, &sizes, rule, APSP_ELEMENT_U16,
		    APSP_PLAN_UNKNOWN, &estimate, NULL) < 0 ||
		apsp_plan_check(&estimate.plan, err) == 0)
		return false;
	/* what the disk would refuse is no advice */
	if (apsp_store_free_bytes(apsp_request_store(req), &free_bytes, NULL) >=
			0 &&
		estimate_width(req, &sizes, rule, APSP_ELEMENT_U16, free_bytes,
			&estimate, NULL) >= 0)
		apsp_plan_check(&estimate.plan, err);
	answer = apsp_estimate_json(&estimate);
	apsp_reply_problem(req, err, json_pack("{s:o}", "estimate", answer));
	return true;
}

/* More bytes than there are numbers for: null. */
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

static json_t *algorithms_json(const struct apsp_plan *plan)
{
	json_t *list = json_array();

	for (int i = 0; i < APSP_COST_IDS; i++)
		json_array_append_new(
			list, algorithm_json(&plan->algorithms[i]));
	for (int i = 0; i < APSP_CLOSURE_COSTS; i++)
		json_array_append_new(list, algorithm_json(&plan->closures[i]));
	return list;
}

/* What was chosen; all null if nothing was. */
static json_t *choice_json(const struct apsp_plan *plan)
{
	const struct apsp_estimate *chosen = apsp_plan_choice(plan);
	const char *closure =
		plan->closure < 0 ? NULL : plan->closures[plan->closure].name;

	if (!chosen)
		return json_pack("{s:n, s:n, s:n, s:n, s:n, s:n}", "algorithm",
			"closure", "seconds", "device_bytes", "host_bytes",
			"disk_bytes");
	return json_pack("{s:s, s:s?, s:o, s:o, s:o, s:o}", "algorithm",
		chosen->name, "closure", closure, "seconds",
		apsp_json_number(chosen->seconds), "device_bytes",
		bytes_json(plan->device_bytes), "host_bytes",
		bytes_json(plan->host_bytes), "disk_bytes",
		bytes_json(chosen->disk_bytes));
}

json_t *apsp_estimate_json(const struct apsp_worker_estimate *estimate)
{
	const struct apsp_plan *plan = &estimate->plan;
	json_t *out = json_pack("{s:s, s:b, s:s}", "device",
		estimate->device.name, "measured", (int)estimate->measured,
		"explanation", plan->text);

	if (json_object_update_new(out, choice_json(plan)) == 0 &&
		json_object_set_new(out, "algorithms", algorithms_json(plan)) ==
			0)
		return out;
	json_decref(out);
	return NULL;
}
