/*
 * POST /v1/graphs/{graph}/groups: distances between groups of vertices. The
 * vertices with the same value of an attribute are a group. The body names one
 * attribute for both ends of the pairs, {"attribute":"type"}, or one for each
 * end, {"sources":"type","targets":"side"}. With ?match=, only the chosen
 * vertices count. The thread pool sums the distances in parts.
 */
#include <stdlib.h>
#include <string.h>

#include "api/body_json.h"
#include "api/handlers.h"
#include "api/http/rows.h"
#include "api/label_text.h"
#include "api/reading.h"
#include "api/vertex_match.h"
#include "daemon/base/auto.h"
#include "daemon/base/budget.h"
#include "storage/tables/group_distances.h"
#include "storage/tables/lookup.h"

/* The state of one request. The request owns it until the reply begins; then
   the reply, a stream of pairs of groups, owns it. */
struct groups {
	struct apsp_reading reading;
	uint32_t source_column, target_column;
	struct apsp_vertex_match
		match; /* the vertices that may be ends of pairs */
	/* if the graph has no tables, the vertices whose rows are needed, until
	   the sums begin; owned */
	uint32_t *sources;
	size_t n_sources;
	bool begun; /* the sums have begun */
	struct apsp_group_distances distances;
	struct apsp_share share; /* memory reserved in the budget of answers */
	size_t next;
};

static void groups_free(void *ctx)
{
	struct groups *groups = ctx;

	if (!groups)
		return;
	apsp_group_distances_done(&groups->distances);
	apsp_share_close(&groups->share);
	apsp_vertex_match_done(&groups->match);
	free(groups->sources);
	apsp_reading_done(&groups->reading);
	free(groups);
}

APSP_AUTO_DEFINE(groups_end, struct groups, groups_free);

static const struct apsp_labels *column_values(
	const struct groups *groups, uint32_t column)
{
	return groups->reading.generation->attributes->columns[column].values;
}

/*
 * Append the members about distances. `min` is the exact length of the nearest
 * pair's path, as in GET …/path, because the distance in the table may be
 * rounded to float32.
 */
static int distances_write(const struct groups *groups,
	const struct apsp_group_pair *pair, struct apsp_json_writer *w,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_path_done) struct apsp_path path = {0};
	const struct apsp_labels *labels = groups->reading.generation->labels;
	int r = 0;

	if (!pair->n_reachable) {
		apsp_json_null_member(w, "min");
		apsp_json_null_member(w, "mean");
		apsp_json_null_member(w, "nearest");
		return 0;
	}
	r = apsp_lookup_path(
		groups->reading.tables, pair->from, pair->to, &path, err);
	if (r < 0)
		return r;
	apsp_json_real_member(w, "min", path.distance);
	apsp_json_real_member(w, "mean", pair->sum / (double)pair->n_reachable);
	apsp_json_key(w, "nearest");
	apsp_json_array(w);
	apsp_label_json(w, labels, pair->from);
	apsp_label_json(w, labels, pair->to);
	apsp_json_array_end(w);
	return 0;
}

static int groups_write(
	void *ctx, struct apsp_json_writer *w, struct apsp_err *err)
{
	struct groups *groups = ctx;
	const struct apsp_group_distances *distances = &groups->distances;
	uint32_t n = distances->n_targets, source, target;
	const struct apsp_group_pair *pair;
	int r;

	if (n == 0 || groups->next == (size_t)distances->n_sources * n)
		return 0;
	source = (uint32_t)(groups->next / n);
	target = (uint32_t)(groups->next % n);
	pair = &distances->pairs[groups->next++];
	apsp_json_object(w);
	apsp_label_member(w, "from",
		column_values(groups, groups->source_column), source);
	apsp_label_member(
		w, "to", column_values(groups, groups->target_column), target);
	apsp_json_integer_member(w, "pairs", (int64_t)pair->n_pairs);
	apsp_json_integer_member(w, "reachable", (int64_t)pair->n_reachable);
	apsp_json_key(w, "share");
	apsp_json_tree(w, pair->n_pairs ? json_real((double)pair->n_reachable /
						    (double)pair->n_pairs)
					: json_null());
	r = distances_write(groups, pair, w, err);
	apsp_json_object_end(w);
	return r < 0 ? r : 1;
}

/* Find the column of attributes that a member of the body names. */
static int column_read(struct apsp_request *req, const struct groups *groups,
	json_t *body, const char *member, uint32_t *out, struct apsp_err *err)
{
	json_t *value = json_object_get(body, member);
	const char *name = json_string_value(value);
	int r;

	if (name)
		r = apsp_vertex_match_column(groups->reading.generation, name,
			strlen(name), out, err);
	else
		r = apsp_fail(err, APSP_EMALFORMED,
			"'%s' is %s; expected the name of an attribute", member,
			value ? apsp_json_kind(value) : "missing");
	if (r < 0)
		apsp_body_point(req, member, strlen(member));
	return r;
}

static int body_read(
	struct apsp_request *req, struct groups *groups, struct apsp_err *err)
{
	static const char *const names[] = {
		"attribute", "sources", "targets", NULL};
	json_auto_t *body = NULL;
	int r;

	r = apsp_body_json(req, &body, err);
	if (r == 0)
		r = apsp_body_only(req, body, names, err);
	if (r < 0)
		return r;
	if (!json_object_get(body, "sources") &&
		!json_object_get(body, "targets")) {
		r = column_read(req, groups, body, "attribute",
			&groups->source_column, err);
		groups->target_column = groups->source_column;
		return r;
	}
	if (json_object_get(body, "attribute"))
		return apsp_fail(err, APSP_EMALFORMED,
			"expected either 'attribute', or 'sources' and "
			"'targets'");
	r = column_read(
		req, groups, body, "sources", &groups->source_column, err);
	if (r == 0)
		r = column_read(req, groups, body, "targets",
			&groups->target_column, err);
	return r;
}

/*
 * Make a copy of a column of attributes, one value for each vertex, for
 * apsp_group_distances_begin(). In the copy, vertices that ?match= does not
 * choose are in no group.
 */
static uint32_t *column_copy(const struct groups *groups, uint32_t column)
{
	const struct apsp_generation *generation = groups->reading.generation;
	uint32_t *out =
		malloc(((size_t)generation->n_vertices + 1) * sizeof(*out));

	_Static_assert(APSP_NO_VALUE == APSP_NO_GROUP, "no value, no group");
	for (uint32_t v = 0; out && v < generation->n_vertices; v++)
		out[v] = apsp_vertex_match_has(&groups->match, v)
				 ? apsp_attributes_value(
					   generation->attributes, column, v)
				 : APSP_NO_GROUP;
	return out;
}

/* If the graph has no tables, list the vertices whose rows are needed: all
   sources. */
static int sources_list(struct groups *groups, struct apsp_err *err)
{
	uint32_t n_vertices = groups->reading.generation->n_vertices;
	uint32_t *sources;
	int r;

	if (!apsp_table_on_demand(&groups->reading.tables->header))
		return 0;
	r = apsp_share_set(&groups->share, n_vertices * sizeof(*sources),
		"the groups", err);
	if (r < 0)
		return r;
	sources = groups->sources = column_copy(groups, groups->source_column);
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
		groups->reading.generation->attributes->columns;
	uint32_t n_sources =
		apsp_labels_count(columns[groups->source_column].values);
	uint32_t n_targets =
		apsp_labels_count(columns[groups->target_column].values);

	if ((uint64_t)n_sources * n_targets > APSP_GROUP_PAIRS_MAX)
		return apsp_fail(err, APSP_EMALFORMED,
			"%u values of '%s' and %u of '%s' make more than the "
			"%d pairs that an answer may have",
			n_sources, columns[groups->source_column].name,
			n_targets, columns[groups->target_column].name,
			APSP_GROUP_PAIRS_MAX);
	return 0;
}

static int distances_begin(struct groups *groups, struct apsp_err *err)
{
	uint32_t n_sources =
		apsp_labels_count(column_values(groups, groups->source_column));
	uint32_t n_targets =
		apsp_labels_count(column_values(groups, groups->target_column));
	uint32_t *sources, *targets;
	int r;

	r = apsp_share_set(&groups->share,
		apsp_group_distances_bytes(
			groups->reading.tables, n_sources, n_targets),
		"the groups", err);
	if (r < 0)
		return r;
	sources = column_copy(groups, groups->source_column);
	targets = column_copy(groups, groups->target_column);
	if (!sources || !targets) {
		free(sources);
		free(targets);
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	}
	return apsp_group_distances_begin(groups->reading.tables, sources,
		n_sources, targets, n_targets, &groups->distances, err);
}

/* Get the rows that a graph without tables needs, and prepare to sum the
   distances between the groups. */
static int sums_begin(
	struct apsp_request *req, struct groups *groups, struct apsp_err *err)
{
	int r = apsp_reading_rows(req, &groups->reading, APSP_DEMAND_FROM,
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

/* Make a struct groups from the request and store it in req->state. All limits
   are checked before a row is computed. While the request waits for rows or for
   memory, this work is not repeated. */
static int begin(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(groups_end) struct groups *groups = NULL;
	int r;

	r = apsp_request_move(req, err);
	if (r < 0)
		return r;
	groups = calloc(1, sizeof(*groups));
	if (!groups)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	r = apsp_reading_open(req, &groups->reading, err);
	if (r == 0)
		r = apsp_request_share(req, &groups->share, err);
	if (r == 0)
		r = body_read(req, groups, err);
	if (r == 0)
		r = apsp_vertex_match_read(
			req, groups->reading.generation, &groups->match, err);
	if (r == 0)
		r = pairs_check(groups, err);
	if (r == 0)
		r = apsp_request_wait_memory(req, sources_list(groups, err));
	if (r < 0)
		return r;
	req->state = APSP_TAKE(groups);
	req->state_free = groups_free;
	return 0;
}

int apsp_api_post_groups(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_rows rows = {
		.name = "groups",
		.write = groups_write,
		.done = groups_free,
		.in_pool = true,
	};
	const struct apsp_attribute_column *columns;
	struct groups *groups;
	int r = req->state ? 0 : begin(req, err);

	if (r < 0)
		return r;
	groups = req->state;
	r = groups->begun ? 0 : sums_begin(req, groups, err);
	if (r < 0)
		return r;
	while ((r = apsp_group_distances_step(&groups->distances, err)) > 0)
		if (apsp_request_again(req))
			return 0;
	if (r < 0)
		return r;
	columns = groups->reading.generation->attributes->columns;
	rows.head = apsp_reading_answer(&groups->reading,
		json_pack("{s:s, s:s}", "sources",
			columns[groups->source_column].name, "targets",
			columns[groups->target_column].name));
	rows.ctx = APSP_TAKE(req->state);
	return apsp_rows_reply(req, &rows, err);
}
