/*
 * POST /v1/estimate {"vertices":n,"arcs":m}: an estimate of the time, memory
 * and disk space that tables need, for a graph that is not uploaded yet. The
 * body may also have the options of a rule, and "weights": "whole", which is
 * the default, or "real".
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "api/body.h"
#include "api/graphs/profile_input.h"
#include "api/graphs/estimate.h"
#include "api/handlers.h"
#include "daemon/job/arc_facts.h"

/* Read the count in the member `name` of the body, and delete the member. */
static int count_read(struct apsp_request *req, json_t *body, const char *name,
	uint64_t min, uint64_t max, uint64_t *out, struct apsp_err *err)
{
	const json_t *value = json_object_get(body, name);
	double found = json_number_value(value);

	if (!json_is_number(value) || found < (double)min ||
		found > (double)max || found != floor(found)) {
		if (value)
			apsp_body_point(req, name, strlen(name));
		return apsp_fail(err, APSP_EMALFORMED,
			"%s is %s; expected an integer from %" PRIu64
			" to %" PRIu64,
			name,
			!value ? "missing"
			: json_is_number(value) && found == floor(found)
				? "out of range"
				: apsp_json_kind(value),
			min, max);
	}
	*out = (uint64_t)found;
	json_object_del(body, name);
	return 0;
}

/*
 * Read the member `weights` of the body, and delete the member. Store in *out
 * the facts about weights that the estimate assumes (flags of
 * daemon/job/arc_facts.h). The flags never say that the graph has hubs
 * (vertices with very many arcs).
 */
static int weights_read(struct apsp_request *req, json_t *body,
	unsigned int *out, struct apsp_err *err)
{
	const char *text = json_string_value(json_object_get(body, "weights"));

	*out = APSP_ARC_NOT_ONE;
	if (!json_object_get(body, "weights"))
		return 0;
	if (text && strcmp(text, "real") == 0)
		*out |= APSP_ARC_FRACTION | APSP_ARC_INVERSE_FRACTION;
	else if (!text || strcmp(text, "whole") != 0) {
		return apsp_body_refuse(req, "weights", err,
			"weights is '%.40s'; expected whole or real",
			text ? text : "no string");
	}
	json_object_del(body, "weights");
	return 0;
}

int apsp_api_post_new_estimate(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_estimate_graph graph = {0};
	struct apsp_profile rule = {0};
	json_auto_t *body = NULL;
	int r;

	r = apsp_body_json(req, &body, err);
	if (r == 0)
		r = count_read(req, body, "vertices", 1, APSP_VERTICES_MAX,
			&graph.n_vertices, err);
	if (r == 0)
		r = count_read(req, body, "arcs", 0,
			req->config->limits.max_arcs, &graph.n_arcs, err);
	if (r == 0)
		r = weights_read(req, body, &graph.weights, err);
	if (r == 0)
		r = apsp_profile_input_json(req, body, NULL, false, &rule, err);
	if (r < 0)
		return r;
	return apsp_estimate_reply(req, &graph, &rule,
		json_pack("{s:I, s:I, s:s}", "vertices",
			(json_int_t)graph.n_vertices, "arcs",
			(json_int_t)graph.n_arcs, "transform",
			apsp_transform_name(rule.transform)),
		err);
}
