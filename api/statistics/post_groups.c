/*
 * POST /v1/graphs/{graph}/groups: distances between all pairs of values of an
 * attribute, or of two: {"attribute":"type"}, {"sources":"type","targets":
 * "side"}; with ?match=, among the vertices with an attribute alone. Made on
 * the pool, in parts.
 */
#include <stdlib.h>
#include <string.h>

#include "api/body_json.h"
#include "api/handlers.h"
#include "api/http/rows.h"
#include "api/reading.h"
#include "api/vertex_match.h"
#include "daemon/base/auto.h"
#include "daemon/base/budget.h"
#include "storage/tables/group_distances.h"
#include "storage/tables/path.h"

enum {
	PAIRS_MAX = 1 << 18, /* of groups: 512 values of one attribute */
};

/* The request owns this, then the stream of pairs until it ends. */
struct groups {
	struct apsp_reading reading;
	uint32_t source_column, target_column;
	struct apsp_vertex_match match; /* both ends are among these */
	struct apsp_group_distances distances;
	struct apsp_share share; /* of the memory of answers */
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
	apsp_reading_done(&groups->reading);
	free(groups);
}

APSP_AUTO_DEFINE(groups_end, struct groups, groups_free);

static const char *value_text(
	const struct groups *groups, uint32_t column, uint32_t value)
{
	return apsp_labels_get(
		apsp_attributes_values(
			groups->reading.generation->attributes, column),
		value, NULL);
}

/*
 * The pair's least distance. The table may hold it rounded to float32; the sum
 * along the path is what get_path tells.
 */
static int least_add(const struct groups *groups,
	const struct apsp_group_pair *pair, json_t *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_path_done) struct apsp_path path = {0};
	const struct apsp_labels *labels = groups->reading.generation->labels;
	int r;

	r = apsp_path_find(
		groups->reading.tables, pair->from, pair->to, &path, err);
	if (r < 0)
		return r;
	r = json_object_update_missing_new(out,
		json_pack("{s:o, s:o, s:[s, s]}", "min",
			apsp_json_number(path.distance), "mean",
			apsp_json_number(pair->sum / (double)pair->n_reachable),
			"nearest", apsp_labels_get(labels, pair->from, NULL),
			apsp_labels_get(labels, pair->to, NULL)));
	return r < 0 ? apsp_fail(err, APSP_ENOMEM, "out of memory") : 0;
}

static int pair_json(const struct groups *groups, uint32_t source,
	uint32_t target, json_t **out, struct apsp_err *err)
{
	const struct apsp_group_distances *distances = &groups->distances;
	const struct apsp_group_pair *pair =
		&distances->pairs[(size_t)source * distances->n_targets +
				  target];
	uint64_t count = apsp_group_distances_count(distances, source, target);
	APSP_AUTO(apsp_json_done) json_t *row = NULL;
	int r = 0;

	row = json_pack("{s:s, s:s, s:I, s:I, s:o}", "from",
		value_text(groups, groups->source_column, source), "to",
		value_text(groups, groups->target_column, target), "pairs",
		(json_int_t)count, "reachable", (json_int_t)pair->n_reachable,
		"share",
		count ? json_real((double)pair->n_reachable / (double)count)
		      : json_null());
	if (!row)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	if (pair->n_reachable)
		r = least_add(groups, pair, row, err);
	else if (json_object_update_missing_new(
			 row, json_pack("{s:n, s:n, s:n}", "min", "mean",
				      "nearest")) < 0)
		r = apsp_fail(err, APSP_ENOMEM, "out of memory");
	if (r == 0)
		*out = APSP_TAKE(row);
	return r < 0 ? r : 1;
}

static int groups_next(void *ctx, json_t **out, struct apsp_err *err)
{
	struct groups *groups = ctx;
	uint32_t n = groups->distances.n_targets;
	size_t i = groups->next;

	if (n == 0 || i == (size_t)groups->distances.n_sources * n)
		return 0;
	groups->next++;
	return pair_json(
		groups, (uint32_t)(i / n), (uint32_t)(i % n), out, err);
}

/* A member of the body that names a column. */
static int column_read(const struct groups *groups, json_t *body,
	const char *member, uint32_t *out, char pointer[APSP_POINTER_SIZE],
	struct apsp_err *err)
{
	json_t *value = json_object_get(body, member);
	const char *name = json_string_value(value);

	apsp_body_pointer(member, strlen(member), pointer);
	if (!name)
		return apsp_fail(err, APSP_EMALFORMED,
			"'%s' is %s; expected the name of an attribute", member,
			value ? apsp_json_kind(value) : "missing");
	return apsp_vertex_match_column(
		groups->reading.generation, name, strlen(name), out, err);
}

static int body_read(struct apsp_request *req, struct groups *groups,
	char pointer[APSP_POINTER_SIZE], struct apsp_err *err)
{
	static const char *const names[] = {
		"attribute", "sources", "targets", NULL};
	APSP_AUTO(apsp_json_done) json_t *body = NULL;
	int r;

	*pointer = '\0';
	r = apsp_body_json(req, &body, err);
	if (r == 0)
		r = apsp_body_only(body, names, pointer, err);
	if (r < 0)
		return r;
	if (!json_object_get(body, "sources") &&
		!json_object_get(body, "targets")) {
		r = column_read(groups, body, "attribute",
			&groups->source_column, pointer, err);
		groups->target_column = groups->source_column;
		return r;
	}
	if (json_object_get(body, "attribute"))
		return apsp_fail(err, APSP_EMALFORMED,
			"expected either 'attribute', or 'sources' and "
			"'targets'");
	r = column_read(
		groups, body, "sources", &groups->source_column, pointer, err);
	if (r == 0)
		r = column_read(groups, body, "targets", &groups->target_column,
			pointer, err);
	return r;
}

/*
 * Each vertex's value in the column, for apsp_group_distances_begin(); vertices
 * that are not chosen are in no group.
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

static int distances_begin(struct groups *groups, struct apsp_err *err)
{
	const struct apsp_generation *generation = groups->reading.generation;
	const struct apsp_attributes *attributes = generation->attributes;
	uint32_t n_sources = apsp_labels_count(
		apsp_attributes_values(attributes, groups->source_column));
	uint32_t n_targets = apsp_labels_count(
		apsp_attributes_values(attributes, groups->target_column));
	uint32_t *sources, *targets;
	int r;

	if ((uint64_t)n_sources * n_targets > PAIRS_MAX)
		return apsp_fail(err, APSP_EMALFORMED,
			"%u values of '%s' and %u of '%s' make more than the "
			"%d pairs that an answer may have",
			n_sources,
			apsp_attributes_name(attributes, groups->source_column),
			n_targets,
			apsp_attributes_name(attributes, groups->target_column),
			PAIRS_MAX);
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

/* Begin in req->state. */
static int begin(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(groups_end) struct groups *groups = NULL;
	char pointer[APSP_POINTER_SIZE];
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
	if (r < 0)
		return r;
	r = body_read(req, groups, pointer, err);
	if (r < 0 && *pointer)
		apsp_request_extra(req, json_pack("{s:s}", "pointer", pointer));
	if (r == 0)
		r = apsp_vertex_match_read(
			req, groups->reading.generation, &groups->match, err);
	if (r == 0)
		r = distances_begin(groups, err);
	if (r < 0)
		return r;
	req->state = APSP_TAKE(groups);
	req->state_free = groups_free;
	return 0;
}

static int reply(
	struct apsp_request *req, struct groups *groups, struct apsp_err *err)
{
	const struct apsp_generation *generation = groups->reading.generation;
	struct apsp_rows rows = {
		.name = "groups",
		.next = groups_next,
		.done = groups_free,
		.in_pool = true,
		.ctx = groups,
	};

	rows.head = json_pack("{s:s, s:s, s:s?, s:s, s:s}", "revision",
		generation->revision, "profile", groups->reading.profile->name,
		"transform", apsp_reading_transform(&groups->reading),
		"sources",
		apsp_attributes_name(
			generation->attributes, groups->source_column),
		"targets",
		apsp_attributes_name(
			generation->attributes, groups->target_column));
	if (!rows.head) {
		groups_free(groups);
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	}
	return apsp_rows_reply(req, MHD_HTTP_OK, &rows, err);
}

int apsp_api_post_groups(struct apsp_request *req, struct apsp_err *err)
{
	struct groups *groups;
	int r = req->state ? 0 : begin(req, err);

	if (r < 0)
		return r;
	groups = req->state;
	while ((r = apsp_group_distances_step(&groups->distances, err)) > 0)
		if (apsp_request_again(req))
			return 0;
	if (r < 0)
		return r;
	req->state = NULL;
	return reply(req, groups, err);
}
