/*
 * Estimates from what the daemon knows of a graph; see estimate.h.
 */
#include "api/estimate.h"

#include "api/reply.h"

/* As wide as V is without a look at the arcs; storage/room.h says the same. */
static enum apsp_element element_of(
	uint64_t n_vertices, const struct apsp_profile *rule)
{
	return rule->transform == APSP_TRANSFORM_HOPS &&
			       n_vertices <= APSP_V_INFINITY_U16
		       ? APSP_ELEMENT_U16
		       : APSP_ELEMENT_I32;
}

int apsp_estimate_make(struct apsp_request *req, uint64_t n_vertices,
	uint64_t n_arcs, const struct apsp_profile *rule,
	struct apsp_worker_estimate *out, struct apsp_err *err)
{
	struct apsp_workload work = {
		.n_vertices = n_vertices,
		.n_arcs = n_arcs,
		.element = element_of(n_vertices, rule),
		.unit_lengths = rule->transform == APSP_TRANSFORM_HOPS,
		.reachable = 1,
	};
	uint64_t free_bytes;
	int r;

	work.distance = work.element;
	if (rule->precision == APSP_PRECISION_FLOAT64 &&
		rule->transform != APSP_TRANSFORM_HOPS)
		work.distance = APSP_ELEMENT_F64;
	r = apsp_store_free_bytes(apsp_request_store(req), &free_bytes, err);
	if (r < 0)
		return r;
	return apsp_worker_estimate(apsp_request_worker(req), &work, free_bytes,
		rule->algorithm, out, err);
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
	return list;
}

json_t *apsp_estimate_json(const struct apsp_worker_estimate *estimate)
{
	const struct apsp_plan *plan = &estimate->plan;
	const struct apsp_estimate *chosen = apsp_plan_choice(plan);

	return json_pack("{s:s, s:b, s:s?, s:s, s:o, s:o, s:o, s:o, s:o}",
		"device", estimate->device.name, "measured",
		(int)estimate->measured, "algorithm",
		chosen ? chosen->name : NULL, "explanation", plan->text,
		"seconds",
		chosen ? apsp_json_number(chosen->seconds) : json_null(),
		"device_bytes",
		chosen ? bytes_json(chosen->device_bytes) : json_null(),
		"host_bytes",
		chosen ? bytes_json(chosen->host_bytes) : json_null(),
		"disk_bytes",
		chosen ? bytes_json(chosen->disk_bytes) : json_null(),
		"algorithms", algorithms_json(plan));
}
