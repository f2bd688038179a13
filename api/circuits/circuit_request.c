/* A request for a circuit; see circuit_request.h. */
#include "api/circuits/circuit_request.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/body.h"
#include "api/handlers.h"
#include "api/vertex_match.h"
#include "daemon/base/array.h"
#include "daemon/base/limits.h"
#include "daemon/base/number.h"
#include "storage/attributes/attributes.h"

enum {
	ARCS_DEFAULT = 10000,
};

/* The default tolerance: a walk's length may exceed its bound by this fraction
   of the bound, because rounding changes a sum of lengths by at most this
   fraction. */
#define REAL_TOLERANCE 1e-12

static const char *const member_names[] = {
	[APSP_CIRCUIT_SOURCES] = "sources",
	[APSP_CIRCUIT_TARGETS] = "targets",
	[APSP_CIRCUIT_MEMBER_SLACK] = "slack",
	[APSP_CIRCUIT_MEMBER_WITHIN] = "within",
	[APSP_CIRCUIT_MEMBER_HOPS] = "hops",
	[APSP_CIRCUIT_MEMBER_TOLERANCE] = "tolerance",
	[APSP_CIRCUIT_MEMBER_BY] = "by",
	[APSP_CIRCUIT_MEMBER_MAX_ARCS] = "max_arcs",
	NULL,
};

void apsp_circuit_request_free(void *state)
{
	struct apsp_circuit_request *request = state;

	if (!request)
		return;
	apsp_circuit_fit_done(&request->fit);
	apsp_circuit_done(&request->circuit);
	apsp_adjacency_cache_close(request->shared);
	apsp_vertex_sets_done(request->readers);
	for (int end = 0; end < 2; end++)
		apsp_vertex_set_done(&request->sets[end]);
	apsp_body_stream_done(&request->body);
	apsp_share_close(&request->share);
	apsp_reading_done(&request->reading);
	free(request->groups);
	free(request);
}

/* Read a number of at least `least` and at most `most`. */
static bool number_read(const struct apsp_json_event *event, double least,
	double most, double *out)
{
	return event->kind == APSP_JSON_NUMBER &&
	       apsp_number_parse(event->text, event->size, out) ==
		       APSP_NUMBER_FINITE &&
	       *out >= least && *out <= most;
}

/* Read the member `hops`: "4" or the number 4 for walks of exactly 4 arcs,
   "..4" for walks of at most 4 arcs. */
static bool hops_read(
	const struct apsp_json_event *event, struct apsp_circuit_question *q)
{
	bool is_text = event->kind == APSP_JSON_STRING;
	size_t dots =
		is_text && event->size > 2 && memcmp(event->text, "..", 2) == 0
			? 2
			: 0;
	double value;

	/* a text must consist of digits. Only a JSON number may also be written
	   as 4.0 */
	for (size_t i = dots; is_text && i < event->size; i++)
		if (event->text[i] < '0' || event->text[i] > '9')
			return false;
	if ((!is_text && event->kind != APSP_JSON_NUMBER) ||
		apsp_number_parse(event->text + dots, event->size - dots,
			&value) != APSP_NUMBER_FINITE ||
		!(value >= 0) || value > UINT32_MAX || value != floor(value))
		return false;
	q->n_arcs = (uint32_t)value;
	q->bound = dots ? APSP_CIRCUIT_HOPS_MOST : APSP_CIRCUIT_HOPS_EXACTLY;
	return value <=
	       (dots ? APSP_PATH_COST_WALK_MAX : APSP_CIRCUIT_WALK_MAX);
}

/* Read an event that the JSON parser has found inside the value of a member. */
static int value_read(struct apsp_request *req,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	struct apsp_circuit_request *request = req->state;
	struct apsp_circuit_question *q = &request->question;
	enum apsp_circuit_member m = request->body.member;
	const char *expected;
	double number;
	bool good;
	int r;

	switch (m) {
	case APSP_CIRCUIT_SOURCES:
	case APSP_CIRCUIT_TARGETS:
		return apsp_vertex_set_event(
			req, &request->readers[m], event, err);
	case APSP_CIRCUIT_MEMBER_BY:
		if (event->kind != APSP_JSON_STRING)
			return apsp_body_expected(req, "by", event,
				"the name of an attribute", err);
		r = apsp_vertex_match_column(request->reading.generation,
			event->text, event->size, &request->by_column, err);
		if (r < 0)
			apsp_body_point(req, "by", strlen("by"));
		return r;
	case APSP_CIRCUIT_MEMBER_MAX_ARCS:
		good = number_read(event, 0, APSP_TIE_ARCS_MAX, &number) &&
		       number == floor(number);
		if (good)
			q->max_arcs = (uint64_t)number;
		expected = "a whole number from 0 to 100000 (max_arcs in "
			   "/v1/info)";
		break;
	case APSP_CIRCUIT_MEMBER_SLACK:
		good = number_read(event, 0, APSP_CIRCUIT_SLACK_MAX, &q->value);
		expected = "a number from 0 to 1000000, such as 0.1 for walks "
			   "that are at most a tenth longer than the shortest";
		break;
	case APSP_CIRCUIT_MEMBER_WITHIN:
		q->bound = APSP_CIRCUIT_WITHIN;
		good = number_read(event, -INFINITY, INFINITY, &q->value);
		expected = "a number of 64-bit floating point, the greatest "
			   "length of a walk";
		break;
	case APSP_CIRCUIT_MEMBER_TOLERANCE:
		good = number_read(event, 0, 1, &q->tolerance);
		expected = "a share of the bound, from 0 to 1";
		break;
	default:
		good = hops_read(event, q);
		expected = q->bound == APSP_CIRCUIT_HOPS_EXACTLY &&
					   q->n_arcs > APSP_CIRCUIT_WALK_MAX
				   ? "at most 62 for walks of exactly so many "
				     "arcs, because a word of 64 bits has a "
				     "bit for each number of arcs; \"..63\", "
				     "for at most 63 arcs, has no such limit"
				   : "4 for walks of exactly 4 arcs, up to 62, "
				     "or \"..4\" for at most 4, up to 100000";
	}
	return good ? 0
		    : apsp_body_expected(
			      req, member_names[m], event, expected, err);
}

int apsp_api_post_circuit_begin(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_circuit_request *request = apsp_request_state(
		req, sizeof(*request), apsp_circuit_request_free, err);
	struct apsp_reading *reading;
	struct apsp_err *refusal;
	int r;

	if (!request)
		return APSP_ENOMEM;
	request->question.max_arcs = ARCS_DEFAULT;
	request->body.members = member_names;
	request->body.expected =
		"sources, targets, slack, within, hops, tolerance, by or "
		"max_arcs";
	request->body.value = value_read;
	refusal = &request->body.refusal;
	reading = &request->reading;
	r = apsp_reading_open(req, reading, refusal);
	if (r == 0 && apsp_reading_is_widest(reading))
		r = apsp_fail(refusal, APSP_EMALFORMED,
			"profile '%s' has path=widest, and a circuit needs "
			"lengths; ask a profile with path=shortest",
			reading->profile->name);
	if (r == 0)
		r = apsp_request_share(req, &request->share, refusal);
	if (r == 0)
		apsp_vertex_sets_begin(req, request->readers,
			reading->generation, &request->share, "the circuit",
			refusal);
	return 0;
}

/* Check that the body has at most one bound on walks: slack, within or hops. If
   the body has no tolerance, set the default. */
static int bound_settle(
	struct apsp_circuit_request *request, struct apsp_err *err)
{
	struct apsp_circuit_question *q = &request->question;
	bool slack =
		apsp_circuit_request_has(request, APSP_CIRCUIT_MEMBER_SLACK);
	bool within =
		apsp_circuit_request_has(request, APSP_CIRCUIT_MEMBER_WITHIN);
	bool hops = apsp_circuit_request_has(request, APSP_CIRCUIT_MEMBER_HOPS);
	bool tolerance = apsp_circuit_request_has(
		request, APSP_CIRCUIT_MEMBER_TOLERANCE);

	if (slack + within + hops > 1)
		return apsp_fail(err, APSP_EMALFORMED,
			"slack, within and hops are three ways to bound a "
			"walk; give one of them");
	if (hops && tolerance)
		return apsp_fail(err, APSP_EMALFORMED,
			"tolerance is for lengths, and hops counts arcs; leave "
			"one of them out");
	if (!tolerance)
		q->tolerance =
			within || q->value > 0 ||
					apsp_reading_has_sums(&request->reading)
				? REAL_TOLERANCE
				: 0;
	return 0;
}

/* Make an array with an element for each vertex of the graph. */
static int array_new(struct apsp_circuit_request *request, uint32_t **out,
	struct apsp_err *err)
{
	uint32_t n = request->reading.generation->n_vertices;
	const struct apsp_array_growth growth = {
		sizeof(**out), n, "the circuit", &request->share};
	size_t size = 0;

	return apsp_array_reserve(out, n, &size, &growth, err);
}

/* Complete the set of vertices at one end of the walks. The set becomes an
   array without repeated vertices. */
static int set_end(struct apsp_request *req,
	struct apsp_circuit_request *request, int end, struct apsp_err *err)
{
	uint32_t n = request->reading.generation->n_vertices;
	struct apsp_vertex_set *set = &request->sets[end];
	int r = apsp_vertex_set_end(req, &request->readers[end], set, err);

	if (r < 0)
		return r;
	if (!set->all)
		return apsp_vertex_set_unique(set, n, &request->share, err);
	if (set->vertices)
		return 0;
	r = array_new(request, &set->vertices, err);
	for (uint32_t v = 0; r == 0 && v < n; v++)
		set->vertices[v] = v;
	return r;
}

/* Store the group of each vertex. There is a group for each value of the
   attribute that the body's member `by` names; the last group has the vertices
   without a value. */
static int groups_set(
	struct apsp_circuit_request *request, struct apsp_err *err)
{
	const struct apsp_generation *generation = request->reading.generation;
	const struct apsp_attributes *attributes = generation->attributes;
	uint32_t n = generation->n_vertices, n_values;
	int r;

	if (!apsp_circuit_request_has(request, APSP_CIRCUIT_MEMBER_BY) ||
		request->groups)
		return 0;
	r = array_new(request, &request->groups, err);
	if (r < 0)
		return r;
	n_values = attributes->columns[request->by_column].values->count;
	for (uint32_t v = 0; v < n; v++) {
		uint32_t value = apsp_attributes_value(
			attributes, request->by_column, v);

		request->groups[v] = value == APSP_NO_VALUE ? n_values : value;
	}
	request->question.groups = request->groups;
	request->question.n_groups = n_values + 1;
	return 0;
}

/* Before the search begins, refuse a question that needs too many steps. */
static int steps_check(const struct apsp_request *req,
	const struct apsp_circuit_request *request, struct apsp_err *err)
{
	const struct apsp_circuit_question *q = &request->question;
	const struct apsp_table_header *header =
		&request->reading.tables->header;
	uint64_t steps = apsp_circuit_steps(q, request->reading.tables);
	uint64_t max_steps = req->config->limits.max_circuit_steps;

	if (steps <= max_steps)
		return 0;
	return apsp_fail(err, APSP_ESEARCH,
		"%u sources, %u targets, %llu vertices and %llu arcs make "
		"%llu steps at least, sources × targets × vertices + (sources "
		"+ targets) × arcs; the limit is %llu (circuit_steps in "
		"/v1/info); choose fewer sources or targets",
		q->n_sources, q->n_targets,
		(unsigned long long)header->n_vertices,
		(unsigned long long)header->n_arcs, (unsigned long long)steps,
		(unsigned long long)max_steps);
}

int apsp_circuit_request_complete(
	struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_circuit_request *request = req->state;
	struct apsp_circuit_question *q = &request->question;
	int r = apsp_body_stream_end(req, err);

	if (r == 0)
		r = bound_settle(request, err);
	for (int end = 0; end < 2 && r == 0; end++)
		r = apsp_request_wait_memory(
			req, set_end(req, request, end, err));
	if (r == 0)
		r = apsp_request_wait_memory(req, groups_set(request, err));
	if (r < 0)
		return r;
	q->sources = request->sets[APSP_CIRCUIT_SOURCES].vertices;
	q->n_sources = (uint32_t)request->sets[APSP_CIRCUIT_SOURCES].n;
	q->targets = request->sets[APSP_CIRCUIT_TARGETS].vertices;
	q->n_targets = (uint32_t)request->sets[APSP_CIRCUIT_TARGETS].n;
	r = steps_check(req, request, err);
	if (r == 0)
		r = apsp_request_wait_memory(req,
			apsp_share_grow(&request->share,
				apsp_circuit_bytes(q, request->reading.tables),
				"the circuit", err));
	request->complete = r == 0;
	return r;
}

void apsp_circuit_request_write(
	const struct apsp_circuit_request *request, struct apsp_json_writer *w)
{
	const struct apsp_generation *generation = request->reading.generation;
	const struct apsp_circuit_question *q = &request->question;
	char hops[16];

	snprintf(hops, sizeof(hops), "%s%u",
		q->bound == APSP_CIRCUIT_HOPS_EXACTLY ? "" : "..", q->n_arcs);
	apsp_json_object(w);
	for (int end = 0; end < 2; end++) {
		if (request->sets[end].all)
			continue;
		apsp_json_key(w, member_names[end]);
		apsp_vertex_set_write(
			&request->readers[end], &request->sets[end], w);
	}
	if (q->bound == APSP_CIRCUIT_SLACK)
		apsp_json_real_member(w, "slack", q->value);
	else if (q->bound == APSP_CIRCUIT_WITHIN)
		apsp_json_real_member(w, "within", q->value);
	else
		apsp_json_text_member(w, "hops", hops);
	if (apsp_circuit_request_has(request, APSP_CIRCUIT_MEMBER_TOLERANCE))
		apsp_json_real_member(w, "tolerance", q->tolerance);
	if (apsp_circuit_request_has(request, APSP_CIRCUIT_MEMBER_BY))
		apsp_json_text_member(w, "by",
			generation->attributes->columns[request->by_column]
				.name);
	apsp_json_integer_member(w, "max_arcs", (int64_t)q->max_arcs);
	apsp_json_object_end(w);
}
