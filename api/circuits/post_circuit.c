/*
 * POST /v1/graphs/{graph}/circuit: find the arcs of all walks from a source to
 * a target. The body names the sets of vertices and a bound on the walks, for
 * example {"sources":{"match":["type:PN"]},"targets":["a"],"slack":0.1}. The
 * thread pool finds the circuit in steps of about a millisecond. Two threads
 * share the work of each step.
 */
#include <stdio.h>
#include <stdlib.h>

#include "api/circuits/circuit_request.h"
#include "api/circuits/circuit_text.h"
#include "api/handlers.h"
#include "api/http/query.h"
#include "api/reading.h"
#include "daemon/base/budget.h"

/* Find the format of the answer. In CSV, the rows are arcs or vertices, as
   ?part= says. */
static int format_find(struct apsp_request *req,
	const struct apsp_circuit_format **out, struct apsp_err *err)
{
	bool vertices = false;
	int r = apsp_query_choice(
		req, "part", "arcs", "vertices", &vertices, err);

	if (r < 0)
		return r;
	if (apsp_query_get(req, "part") && req->format != APSP_REPLY_CSV)
		return apsp_fail(err, APSP_EMALFORMED,
			"part=%s is an option of format=csv; other formats "
			"have the vertices and the arcs",
			vertices ? "vertices" : "arcs");
	switch (req->format) {
	case APSP_REPLY_CSV:
		*out = vertices ? &apsp_circuit_csv_vertices
				: &apsp_circuit_csv_arcs;
		break;
	case APSP_REPLY_GRAPHML:
		*out = &apsp_circuit_graphml;
		break;
	case APSP_REPLY_DOT:
		*out = &apsp_circuit_dot;
		break;
	case APSP_REPLY_CYJS:
		*out = &apsp_circuit_cyjs;
		break;
	default:
		*out = &apsp_circuit_json;
	}
	return 0;
}

/* Begin the search for the circuit. The graph's arcs must be loaded. */
static int circuit_begin(const struct apsp_request *req,
	struct apsp_circuit_request *request, struct apsp_err *err)
{
	const struct apsp_adjacency *arcs =
		apsp_adjacency_cache_arcs(request->shared);
	const struct apsp_circuit_question *q = &request->question;
	int r;

	if (arcs->facts.negative && q->bound == APSP_CIRCUIT_SLACK &&
		q->value > 0)
		return apsp_fail(err, APSP_EMALFORMED,
			"slack is %g, and the profile '%s' has negative "
			"lengths, of which no share is a longer walk; ask for "
			"slack 0, or for walks within a total length",
			q->value, request->reading.profile->name);
	r = apsp_circuit_begin(q, request->reading.tables, arcs,
		req->config->limits.max_circuit_steps, &request->circuit, err);
	request->begun = r == 0;
	return r;
}

static int part_step(void *ctx, unsigned int i, struct apsp_err *err)
{
	struct apsp_circuit *circuit = ctx;

	return apsp_circuit_part_step(&circuit->parts[i], err);
}

/* Do one step of the search. Returns 1 if more steps are needed, or 0 when the
   search is complete. */
static int turn(struct apsp_request *req, struct apsp_circuit_request *request,
	struct apsp_err *err)
{
	struct apsp_circuit *circuit =
		request->ended ? &request->fit.circuit : &request->circuit;
	int r;

	if (request->ended && !request->circuit.truncated)
		return 0;
	r = apsp_request_parts(
		req, APSP_CIRCUIT_PARTS, part_step, circuit, err);
	if (r < 0)
		return r;
	if (request->ended)
		return apsp_circuit_fit_step(&request->fit, err);
	r = apsp_circuit_step(circuit, err);
	if (r != 0)
		return r;
	request->ended = true;
	/* if the circuit has more arcs than max_arcs, search for a smaller
	   bound on walks, whose circuit has few enough arcs. The answer then
	   suggests this bound */
	if (request->circuit.truncated)
		apsp_circuit_fit_begin(&request->question,
			request->reading.tables,
			apsp_adjacency_cache_arcs(request->shared),
			req->config->limits.max_circuit_steps, &request->fit);
	return request->circuit.truncated;
}

/* Refuse a circuit with too many arcs, because formats other than JSON cannot
   say that arcs are missing. */
static int truncation_refuse(
	const struct apsp_circuit_request *request, struct apsp_err *err)
{
	static const char *const forms[] = {
		[APSP_CIRCUIT_SLACK] = "\"slack\":%.6g fits",
		[APSP_CIRCUIT_WITHIN] = "\"within\":%.6g fits",
		[APSP_CIRCUIT_HOPS_MOST] = "\"hops\":\"..%.6g\" fits",
		[APSP_CIRCUIT_HOPS_EXACTLY] = "%g fits",
	};
	char fits[64] = "no smaller bound fits";

	if (request->fit.found)
		snprintf(fits, sizeof(fits), forms[request->question.bound],
			request->fit.value);
	return apsp_fail(err, APSP_ESEARCH,
		"the circuit has %llu arcs, and max_arcs is %llu; %s, or ask "
		"for more arcs, or roll vertices up with `by`",
		(unsigned long long)request->circuit.n_arcs,
		(unsigned long long)request->question.max_arcs, fits);
}

/*
 * If the graph has no tables, get the rows of the sources (the values from a
 * source to all vertices) and the columns of the targets (the values from all
 * vertices to a target). Fails as apsp_reading_rows() and
 * apsp_adjacency_needs_unit() do.
 */
static int rows_get(struct apsp_request *req,
	struct apsp_circuit_request *request, struct apsp_err *err)
{
	const struct apsp_circuit_question *q = &request->question;
	int r;

	if (!apsp_circuit_reads_tables(q))
		return 0;
	/* check now that 128 bits can hold sums of lengths.
	   apsp_circuit_begin() checks this, too, but only after the rows were
	   computed */
	r = apsp_adjacency_needs_unit(
		apsp_adjacency_cache_arcs(request->shared), err);
	if (r == 0)
		r = apsp_reading_rows(req, &request->reading, APSP_DEMAND_FROM,
			q->sources, q->n_sources, err);
	return r < 0 ? r
		     : apsp_reading_rows(req, &request->reading,
			       APSP_DEMAND_COLUMN, q->targets, q->n_targets,
			       err);
}

/* Load the arcs and find the circuit. Returns 1 if the circuit is not complete:
   the handler then returns 0 and is called again. */
static int circuit_find(struct apsp_request *req,
	struct apsp_circuit_request *request, struct apsp_err *err)
{
	int r = request->begun ? 0
			       : apsp_reading_arcs(req, &request->reading,
					 &request->shared, err);

	if (r == 0 && !request->begun)
		r = rows_get(req, request, err);
	if (r == 0 && !request->begun)
		r = circuit_begin(req, request, err);
	if (r != 0)
		return r;
	while ((r = turn(req, request, err)) > 0)
		if (apsp_request_again(req))
			return 1;
	return r;
}

/* Release the arcs of the graph, the computed rows and most of the reserved
   memory, because only the search needed them. Fails as apsp_share_set()
   does. */
static int settle(struct apsp_circuit_request *request, struct apsp_err *err)
{
	const struct apsp_circuit *circuit = &request->circuit;
	uint64_t bytes = 0;

	apsp_adjacency_cache_close(request->shared);
	request->shared = NULL;
	apsp_reading_let_go(&request->reading);
	free(request->groups);
	request->groups = NULL;
	for (int end = 0; end < 2; end++)
		bytes += request->sets[end].n *
			 sizeof(*request->sets[end].vertices);
	if (!circuit->truncated)
		bytes += circuit->n_arcs * sizeof(*circuit->answer.arcs);
	bytes += circuit->answer.n_vertices * sizeof(*circuit->answer.vertices);
	return apsp_share_set(&request->share, bytes, "the circuit", err);
}

int apsp_api_post_circuit(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_circuit_request *request = req->state;
	const struct apsp_circuit_format *format = NULL;
	int r = apsp_request_move(req, err);

	if (r == 0)
		r = format_find(req, &format, err);
	if (r == 0 && !request->complete)
		r = apsp_circuit_request_complete(req, err);
	if (r == 0)
		r = circuit_find(req, request, err);
	if (r != 0)
		return r < 0 ? r : 0;
	if (request->circuit.truncated && req->format != APSP_REPLY_JSON)
		return truncation_refuse(request, err);
	r = settle(request, err);
	if (r < 0)
		return r;
	return apsp_circuit_text_reply(req, format, err);
}
