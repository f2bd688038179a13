/*
 * POST /v1/graphs/{graph}/groups: distances between groups of vertices. The
 * vertices with the same value of an attribute are a group. The body names one
 * attribute for both ends of the pairs, {"attribute":"type"}, or one for each
 * end, {"sources":"type","targets":"side"}. With ?match=, only the chosen
 * vertices count. If the body names one attribute, `sources` and `targets` may
 * also be sets of vertices (api/vertex_set.h), and only their vertices count at
 * this end of the pairs. The thread pool sums the distances in parts.
 */
#include <stdlib.h>
#include <string.h>

#include "api/body_json.h"
#include "api/body_stream.h"
#include "api/handlers.h"
#include "api/http/query.h"
#include "api/http/rows.h"
#include "api/reading.h"
#include "api/statistics/group_rows.h"
#include "api/vertex_set.h"
#include "daemon/base/auto.h"
#include "daemon/base/budget.h"
#include "storage/tables/group_distances.h"

/* Members of the body. */
enum member {
	SOURCES,
	TARGETS,
	ATTRIBUTE,
};

static const char *const member_names[] = {[SOURCES] = "sources",
	[TARGETS] = "targets",
	[ATTRIBUTE] = "attribute",
	NULL};

/* The state of one request. The request owns it until the reply begins; then
   the reply, a stream of pairs of groups, owns it. */
struct groups {
	struct apsp_body_stream body;
	struct apsp_vertex_set_reader readers[2];
	/* for each member, whether the body names an attribute with it */
	bool has_column[3];
	uint32_t columns[3];
	struct apsp_group_rows rows;
	/* the vertices that may be ends of pairs; owned */
	struct apsp_vertex_match ends[2];
	/* if the graph has no tables, the vertices whose rows are needed, until
	   the sums begin; owned */
	uint32_t *sources;
	size_t n_sources;
	bool has_ends; /* `ends` is complete */
	bool ready;    /* the question is complete, and `sources` is listed */
	bool begun;    /* the sums have begun */
	struct apsp_share share; /* memory reserved in the budget of answers */
};

static void groups_free(void *ctx)
{
	struct groups *groups = ctx;

	if (!groups)
		return;
	apsp_body_stream_done(&groups->body);
	apsp_vertex_sets_done(groups->readers);
	for (int end = SOURCES; end <= TARGETS; end++)
		apsp_vertex_match_done(&groups->ends[end]);
	apsp_group_rows_done(&groups->rows);
	apsp_share_close(&groups->share);
	free(groups->sources);
	free(groups);
}

static void names_write(void *ctx, struct apsp_text *out)
{
	const struct groups *groups = ctx;

	apsp_group_rows_names(&groups->rows, out);
}

static int groups_write(
	void *ctx, struct apsp_json_writer *w, struct apsp_err *err)
{
	struct groups *groups = ctx;

	return apsp_group_rows_write(&groups->rows, w, err);
}

/* Refuse the value of the member `attribute`, or of a member that is
   missing. */
static int attribute_refuse(
	struct apsp_request *req, const char *fault, struct apsp_err *err)
{
	return apsp_body_refuse(req, "attribute", err,
		"'attribute' is %s; expected the name of an attribute", fault);
}

/* Read an event of the body: the name of an attribute, or an event inside a set
   of vertices. */
static int value_read(struct apsp_request *req,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	struct groups *groups = req->state;
	unsigned int m = groups->body.member;
	int r;

	if (event->depth == 1 && event->kind == APSP_JSON_STRING) {
		r = apsp_vertex_match_column(groups->rows.reading.generation,
			event->text, event->size, &groups->columns[m], err);
		groups->has_column[m] = r == 0;
		if (r < 0)
			apsp_body_point(
				req, member_names[m], strlen(member_names[m]));
		return r;
	}
	return m == ATTRIBUTE ? attribute_refuse(req, "no string", err)
			      : apsp_vertex_set_event(
					req, &groups->readers[m], event, err);
}

/* Read what is known before the body arrives. */
static int groups_open(
	struct apsp_request *req, struct groups *groups, struct apsp_err *err)
{
	struct apsp_reading *reading = &groups->rows.reading;
	int r = apsp_reading_open(req, reading, err);

	if (r == 0)
		r = apsp_request_share(req, &groups->share, err);
	if (r < 0)
		return r;
	return apsp_vertex_sets_begin(req, groups->readers, reading->generation,
		&groups->share, "the groups", err);
}

int apsp_api_post_groups_begin(struct apsp_request *req, struct apsp_err *err)
{
	struct groups *groups =
		apsp_request_state(req, sizeof(*groups), groups_free, err);

	if (!groups)
		return APSP_ENOMEM;
	groups->rows.is_csv = req->format == APSP_REPLY_CSV;
	groups->body.members = member_names;
	groups->body.expected = "attribute, sources or targets";
	groups->body.value = value_read;
	groups_open(req, groups, &groups->body.refusal);
	return 0;
}

/* Whether the body names a set of vertices for an end. */
static bool has_set(const struct groups *groups, int end)
{
	return (groups->body.seen >> end & 1) && !groups->has_column[end];
}

/*
 * Find the attributes of both ends. They have one attribute, or each end names
 * its own:
 *
 *	{"attribute":"type"}  {"sources":"type","targets":"side"}
 */
static int columns_find(
	struct apsp_request *req, struct groups *groups, struct apsp_err *err)
{
	bool own = groups->has_column[SOURCES] || groups->has_column[TARGETS];

	if (!own && !groups->has_column[ATTRIBUTE])
		return attribute_refuse(req, "missing", err);
	if (own && groups->has_column[ATTRIBUTE])
		return apsp_fail(err, APSP_EMALFORMED,
			"expected either 'attribute', or 'sources' and "
			"'targets' with the names of attributes");
	for (int end = SOURCES; end <= TARGETS; end++) {
		if (own && !groups->has_column[end])
			return apsp_body_refuse(req, member_names[end], err,
				"'%s' is %s; expected the name of an "
				"attribute, as the other end has",
				member_names[end],
				has_set(groups, end) ? "a set of vertices"
						     : "missing");
		groups->rows.columns[end] =
			groups->columns[own ? end : ATTRIBUTE];
	}
	return 0;
}

/* Find the vertices that may be ends of pairs: the sets of the body, or the
   vertices that ?match= chooses. */
static int ends_find(
	struct apsp_request *req, struct groups *groups, struct apsp_err *err)
{
	const struct apsp_generation *generation =
		groups->rows.reading.generation;
	int r = 0;

	for (int end = SOURCES; end <= TARGETS && r == 0; end++) {
		APSP_AUTO(apsp_vertex_set_done)
		struct apsp_vertex_set set = {0};
		struct apsp_vertex_match *match = &groups->ends[end];

		apsp_vertex_match_done(match);
		if (!has_set(groups, end)) {
			r = apsp_vertex_match_read(req, generation, match, err);
			continue;
		}
		if (apsp_query_get(req, "match"))
			return apsp_body_refuse(req, member_names[end], err,
				"%s is a set of vertices, and the query has "
				"'match', too; put all conditions into the "
				"body",
				member_names[end]);
		r = apsp_vertex_set_end(req, &groups->readers[end], &set, err);
		if (r == 0)
			r = apsp_vertex_set_bits(
				&set, generation->n_vertices, match, err);
	}
	return r;
}

/*
 * Make a copy of a column of attributes, one value for each vertex, for
 * apsp_group_distances_begin(). In the copy, vertices that may not be ends of
 * pairs, and vertices that the rule leaves out, are in no group.
 */
static uint32_t *column_copy(const struct groups *groups, int end)
{
	const struct apsp_generation *generation =
		groups->rows.reading.generation;
	uint32_t *out =
		malloc(((size_t)generation->n_vertices + 1) * sizeof(*out));

	_Static_assert(APSP_NO_VALUE == APSP_NO_GROUP, "no value, no group");
	for (uint32_t v = 0; out && v < generation->n_vertices; v++)
		out[v] = apsp_vertex_match_has(&groups->ends[end], v) &&
					 !apsp_reading_leaves_out(
						 &groups->rows.reading, v)
				 ? apsp_attributes_value(generation->attributes,
					   groups->rows.columns[end], v)
				 : APSP_NO_GROUP;
	return out;
}

/* If the graph has no tables, list the vertices whose rows are needed: all
   sources. */
static int sources_list(struct groups *groups, struct apsp_err *err)
{
	uint32_t n_vertices = groups->rows.reading.generation->n_vertices;
	uint32_t *sources;
	int r;

	if (!apsp_table_on_demand(&groups->rows.reading.tables->header))
		return 0;
	r = apsp_share_set(&groups->share, n_vertices * sizeof(*sources),
		"the groups", err);
	if (r < 0)
		return r;
	sources = groups->sources = column_copy(groups, SOURCES);
	if (!sources)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	for (uint32_t v = 0; v < n_vertices; v++)
		if (sources[v] != APSP_NO_GROUP)
			sources[groups->n_sources++] = v;
	return 0;
}

/* Check that the answer has no more pairs of values than allowed. */
static int pairs_check(const struct groups *groups, struct apsp_err *err)
{
	const struct apsp_attribute_column *columns =
		groups->rows.reading.generation->attributes->columns;
	uint32_t n[2];

	for (int end = SOURCES; end <= TARGETS; end++)
		n[end] = apsp_labels_count(
			apsp_group_rows_values(&groups->rows, end));
	if ((uint64_t)n[SOURCES] * n[TARGETS] > APSP_GROUP_PAIRS_MAX)
		return apsp_fail(err, APSP_EMALFORMED,
			"%u values of '%s' and %u of '%s' make more than the "
			"%d pairs that an answer may have",
			n[SOURCES], columns[groups->rows.columns[SOURCES]].name,
			n[TARGETS], columns[groups->rows.columns[TARGETS]].name,
			APSP_GROUP_PAIRS_MAX);
	return 0;
}

static int distances_begin(struct groups *groups, struct apsp_err *err)
{
	uint32_t n_sources = apsp_labels_count(
		apsp_group_rows_values(&groups->rows, SOURCES));
	uint32_t n_targets = apsp_labels_count(
		apsp_group_rows_values(&groups->rows, TARGETS));
	uint32_t *sources, *targets;
	int r;

	r = apsp_share_set(&groups->share,
		apsp_group_distances_bytes(
			groups->rows.reading.tables, n_sources, n_targets),
		"the groups", err);
	if (r < 0)
		return r;
	sources = column_copy(groups, SOURCES);
	targets = column_copy(groups, TARGETS);
	if (!sources || !targets) {
		free(sources);
		free(targets);
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	}
	return apsp_group_distances_begin(groups->rows.reading.tables, sources,
		n_sources, targets, n_targets, &groups->rows.distances, err);
}

/* Get the rows that a graph without tables needs, and prepare to sum the
   distances between the groups. */
static int sums_begin(
	struct apsp_request *req, struct groups *groups, struct apsp_err *err)
{
	int r = apsp_reading_rows(req, &groups->rows.reading, APSP_DEMAND_FROM,
		groups->sources, groups->n_sources, err);

	if (r == 0)
		r = apsp_request_wait_memory(req, distances_begin(groups, err));
	if (r < 0)
		return r;
	free(groups->sources);
	groups->sources = NULL;
	groups->begun = true;
	return 0;
}

/* Complete the question. All limits are checked before a row is computed. While
   the request waits for rows or for memory, this work is not repeated. */
static int question_end(
	struct apsp_request *req, struct groups *groups, struct apsp_err *err)
{
	int r = apsp_request_move(req, err);

	if (r == 0)
		r = apsp_body_stream_end(req, err);
	if (r == 0)
		r = columns_find(req, groups, err);
	if (r == 0)
		r = pairs_check(groups, err);
	if (r == 0 && !groups->has_ends)
		r = ends_find(req, groups, err);
	groups->has_ends |= r == 0;
	if (r == 0)
		r = apsp_request_wait_memory(req, sources_list(groups, err));
	groups->ready = r == 0;
	return r;
}

int apsp_api_post_groups(struct apsp_request *req, struct apsp_err *err)
{
	struct groups *groups = req->state;
	struct apsp_rows rows = {
		.name = groups->rows.is_csv ? NULL : "groups",
		.begin = names_write,
		.write = groups_write,
		.done = groups_free,
		.in_pool = true,
	};
	const struct apsp_attribute_column *columns;
	uint32_t n_left_out;
	int r = groups->ready ? 0 : question_end(req, groups, err);

	if (r == 0 && !groups->begun)
		r = sums_begin(req, groups, err);
	if (r < 0)
		return r;
	while ((r = apsp_group_distances_step(&groups->rows.distances, err)) >
		0)
		if (apsp_request_again(req))
			return 0;
	if (r < 0)
		return r;
	columns = groups->rows.reading.generation->attributes->columns;
	n_left_out = apsp_reading_n_left_out(&groups->rows.reading);
	if (rows.name)
		rows.head = apsp_reading_answer(&groups->rows.reading,
			json_pack("{s:s, s:s}", "sources",
				columns[groups->rows.columns[SOURCES]].name,
				"targets",
				columns[groups->rows.columns[TARGETS]].name));
	if (rows.head && n_left_out > 0)
		json_object_set_new(
			rows.head, "left_out", json_integer(n_left_out));
	rows.ctx = APSP_TAKE(req->state);
	return apsp_rows_reply(req, &rows, err);
}
