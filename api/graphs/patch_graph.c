/*
 * PATCH /v1/graphs/{graph}: set the unit of the weights. Neither the revision
 * nor a table changes.
 */
#include <stdlib.h>
#include <string.h>

#include "api/body.h"
#include "api/command.h"
#include "api/graphs/graph_json.h"
#include "api/handlers.h"
#include "api/http/reply.h"
#include "api/reading.h"
#include "daemon/base/auto.h"
#include "storage/graphs.h"

static int unit_read(struct apsp_request *req, char out[APSP_UNIT_SIZE],
	struct apsp_err *err)
{
	static const char *const names[] = {"weight_unit", NULL};
	json_auto_t *body = NULL;
	const json_t *unit;
	int r = apsp_body_json(req, &body, err);

	if (r == 0)
		r = apsp_body_only(req, body, names, err);
	if (r < 0)
		return r;
	unit = json_object_get(body, *names);
	if (json_is_string(unit) || json_is_null(unit))
		r = apsp_unit_set(out,
			json_is_null(unit) ? "" : json_string_value(unit), err);
	else
		r = apsp_fail(err, APSP_EMALFORMED,
			"weight_unit is %s; expected a text such as "
			"\"synapses\", or null to remove the unit",
			unit ? "no text" : "missing");
	if (r < 0 && unit)
		apsp_body_point(req, *names, strlen(*names));
	return r;
}

static int reply(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;
	int r = apsp_request_result(req, err);

	if (r == 0)
		r = apsp_reading_snapshot(req, &snapshot, err);
	return r < 0 ? r
		     : apsp_reply_json(req, MHD_HTTP_OK,
			       apsp_graph_json(req->config->settings->base_path,
				       snapshot),
			       err);
}

int apsp_api_patch_graph(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_precondition *wanted;
	char unit[APSP_UNIT_SIZE];
	int r;

	if (req->state)
		return reply(req, err);
	wanted = apsp_request_state(req, sizeof(*wanted), free, err);
	if (!wanted)
		return APSP_ENOMEM;
	r = unit_read(req, unit, err);
	if (r == 0)
		r = apsp_command_condition(
			req, APSP_SUBJECT_GRAPH, wanted, err);
	if (r == 0)
		r = apsp_request_suspend(req, false, err);
	if (r < 0)
		return r;
	apsp_graphs_set_unit(req->config->store, req->params[0], unit, wanted,
		apsp_command_done(req));
	return 0;
}
