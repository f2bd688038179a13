/*
 * POST /v1/graphs/{graph}/groups: distances between groups of vertices. The
 * vertices with the same value of an attribute are a group. The body names one
 * attribute for both ends of the pairs, {"attribute":"type"}, or one for each
 * end, {"sources":"type","targets":"side"}. With ?match=, only the chosen
 * vertices count. If the body names one attribute, `sources` and `targets` may
 * also be sets of vertices (api/vertex_set.h); only vertices of a set then
 * count as sources, or as targets. The thread pool sums the distances in parts.
 *
 * The answer has a row for each pair of a source's value and a target's value.
 * With ?empty=false, rows without a pair of vertices are left out. If there is
 * no pair or no path, JSON has null for the undefined numbers, and CSV has
 * empty cells. The columns are, for distances and for widths:
 *
 *	from,to,pairs,reachable,share,min,mean,nearest_from,nearest_to
 *	from,to,pairs,reachable,share,max,mean,widest_from,widest_to
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/body.h"
#include "api/encode/cells.h"
#include "api/encode/json.h"
#include "api/handlers.h"
#include "api/http/query.h"
#include "api/http/rows.h"
#include "api/label_text.h"
#include "api/reading.h"
#include "api/vertex_set.h"
#include "daemon/base/auto.h"
#include "daemon/base/budget.h"
#include "storage/tables/group_distances.h"
#include "storage/tables/lookup.h"

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
	/* for each member of the body, indexed by enum member: whether the
	   member names an attribute */
	bool has_column[3];
	uint32_t columns[3];
	struct apsp_reading reading;
	/* the columns of the attributes by which sources and targets are
	   grouped */
	uint32_t by[2];
	struct apsp_group_distances distances; /* owned */
	bool without_empty; /* rows without a pair of vertices are left out */
	size_t next;	    /* index of the next row */
	/* the vertices that count as sources, and the vertices that count as
	   targets; freed when the sums begin; owned */
	struct apsp_vertex_match ends[2];
	/* if the graph has no tables: the vertices from which distances must be
	   computed; freed when the sums begin; owned */
	uint32_t *sources;
	size_t n_sources;
	bool has_ends;		 /* `ends` is complete */
	bool ready;		 /* the question and `sources` are complete */
	bool begun;		 /* the sums have begun */
	struct apsp_share share; /* memory reserved in the budget of answers */
};

static void groups_free(void *ctx)
{
	struct groups *groups = ctx;

	apsp_body_stream_done(&groups->body);
	apsp_vertex_sets_done(groups->readers);
	for (int end = SOURCES; end <= TARGETS; end++)
		apsp_vertex_match_done(&groups->ends[end]);
	apsp_group_distances_done(&groups->distances);
	apsp_reading_done(&groups->reading);
	apsp_share_close(&groups->share);
	free(groups->sources);
	free(groups);
}

static const struct apsp_attribute_column *column_of(
	const struct groups *groups, int end)
{
	return &groups->reading.generation->attributes
			->columns[groups->by[end]];
}

/* Append the two vertices of the best pair, the nearest or widest pair of two
   groups: an array in JSON, two cells in CSV. */
static void best_write(const struct groups *groups,
	const struct apsp_group_pair *pair, struct apsp_cells *cells)
{
	const struct apsp_labels *labels = groups->reading.generation->labels;
	bool widest = apsp_reading_is_widest(&groups->reading);
	const char *const names[] = {widest ? "widest_from" : "nearest_from",
		widest ? "widest_to" : "nearest_to"};
	const uint32_t ends[] = {pair->from, pair->to};

	if (cells->form == APSP_CELLS_JSON) {
		apsp_json_key(cells->json, widest ? "widest" : "nearest");
		if (!pair->n_reachable) {
			apsp_json_nothing(cells->json);
			return;
		}
		apsp_json_array(cells->json);
	}
	for (int end = 0; end < 2; end++)
		if (cells->form == APSP_CELLS_JSON)
			apsp_label_json(cells->json, labels, ends[end]);
		else if (pair->n_reachable)
			apsp_label_cell(cells, names[end], labels, ends[end]);
		else
			apsp_cell_text(cells, names[end], "");
	if (cells->form == APSP_CELLS_JSON)
		apsp_json_array_end(cells->json);
}

/* Append the cells about a pair of groups. `best` is the distance or width of
   the best pair of vertices, the nearest or widest one. */
static void cells_write(const struct groups *groups, const uint32_t of[2],
	const struct apsp_group_pair *pair, double best,
	struct apsp_cells *cells)
{
	double n = (double)pair->n_reachable;
	double share = pair->n_pairs ? n / (double)pair->n_pairs : (double)NAN;
	bool widest = apsp_reading_is_widest(&groups->reading);

	apsp_cells_begin(cells);
	apsp_label_cell(cells, "from", column_of(groups, 0)->values, of[0]);
	apsp_label_cell(cells, "to", column_of(groups, 1)->values, of[1]);
	apsp_cell_integer(cells, "pairs", (int64_t)pair->n_pairs);
	apsp_cell_integer(cells, "reachable", (int64_t)pair->n_reachable);
	if (cells->form == APSP_CELLS_JSON) { /* a share is 1.0, not 1 */
		apsp_json_key(cells->json, "share");
		apsp_json_tree(cells->json,
			pair->n_pairs ? json_real(share) : json_null());
	} else {
		apsp_cell_real(cells, "share", share);
	}
	apsp_cell_real(cells, widest ? "max" : "min", best);
	apsp_cell_real(cells, "mean", n > 0 ? pair->sum / n : (double)NAN);
	best_write(groups, pair, cells);
	apsp_cells_end(cells);
}

static void names_write(void *ctx, struct apsp_cells *names)
{
	cells_write(ctx, (const uint32_t[2]){0}, &(struct apsp_group_pair){0},
		NAN, names);
}

static int row_write(void *ctx, struct apsp_cells *cells, struct apsp_err *err)
{
	APSP_AUTO(apsp_path_done) struct apsp_path path = {0};
	struct groups *groups = ctx;
	const struct apsp_group_distances *distances = &groups->distances;
	uint32_t n = distances->n_targets, of[2];
	size_t n_rows = (size_t)distances->n_sources * n;
	const struct apsp_group_pair *pair;
	/* the width of the widest pair, or the exact length of the nearest
	   pair's path. The table may have rounded this length to float32, so it
	   is not read from there */
	double best = NAN;
	int r = 0;

	while (groups->without_empty && groups->next < n_rows &&
		distances->pairs[groups->next].n_pairs == 0)
		groups->next++;
	if (groups->next == n_rows)
		return 0;
	of[0] = (uint32_t)(groups->next / n);
	of[1] = (uint32_t)(groups->next % n);
	pair = &distances->pairs[groups->next++];
	if (pair->n_reachable && apsp_reading_is_widest(&groups->reading)) {
		best = pair->best;
	} else if (pair->n_reachable) {
		r = apsp_lookup_path(groups->reading.tables, pair->from,
			pair->to, &path, err);
		best = path.distance;
	}
	if (r < 0)
		return r;
	cells_write(groups, of, pair, best, cells);
	return 1;
}

/* Refuse a body whose member `attribute` is wrong or missing. */
static int attribute_refuse(
	struct apsp_request *req, const char *fault, struct apsp_err *err)
{
	return apsp_body_refuse(req, "attribute", err,
		"'attribute' is %s; expected the name of an attribute", fault);
}

/* Handle a parser event of the body: the name of an attribute, or an event
   inside a set of vertices. */
static int value_read(struct apsp_request *req,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	struct groups *groups = req->state;
	unsigned int m = groups->body.member;
	int r;

	if (event->depth == 1 && event->kind == APSP_JSON_STRING) {
		r = apsp_vertex_match_column(groups->reading.generation,
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

int apsp_api_post_groups_begin(struct apsp_request *req, struct apsp_err *err)
{
	struct groups *groups =
		apsp_request_state(req, sizeof(*groups), groups_free, err);
	struct apsp_err *refusal;
	int r;

	if (!groups)
		return APSP_ENOMEM;
	groups->body.members = member_names;
	groups->body.expected = "attribute, sources or targets";
	groups->body.value = value_read;
	refusal = &groups->body.refusal;
	r = apsp_reading_open(req, &groups->reading, refusal);
	if (r == 0)
		r = apsp_query_choice(req, "empty", "true", "false",
			&groups->without_empty, refusal);
	if (r == 0)
		r = apsp_request_share(req, &groups->share, refusal);
	if (r == 0)
		apsp_vertex_sets_begin(req, groups->readers,
			groups->reading.generation, &groups->share,
			"the groups", refusal);
	return 0;
}

/* Whether the body names a set of vertices for an end. */
static bool has_set(const struct groups *groups, int end)
{
	return (groups->body.seen >> end & 1) && !groups->has_column[end];
}

/*
 * Find the attributes of both ends. The body names one attribute for both ends,
 * or one for each end:
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
		groups->by[end] = groups->columns[own ? end : ATTRIBUTE];
	}
	return 0;
}

/* Returns the size in bytes of the sets of vertices in groups->ends. */
static uint64_t ends_bytes(const struct groups *groups)
{
	return 2 * sizeof(uint64_t) *
	       (groups->reading.generation->n_vertices / 64 + 1);
}

/* Returns the number of bytes of `sources`, which only a graph without tables
   needs. */
static uint64_t sources_bytes(const struct groups *groups)
{
	return apsp_table_on_demand(&groups->reading.tables->header)
		       ? groups->reading.generation->n_vertices *
				 sizeof(*groups->sources)
		       : 0;
}

/* Find the vertices that count as sources and as targets: the vertices that
   ?match= chooses. If the body names a set for one end, only vertices of the
   set count at this end. */
static int ends_find(
	struct apsp_request *req, struct groups *groups, struct apsp_err *err)
{
	const struct apsp_generation *generation = groups->reading.generation;
	int r = apsp_request_wait_memory(
		req, apsp_share_grow(&groups->share, ends_bytes(groups),
			     "the groups", err));

	for (int end = SOURCES; end <= TARGETS && r == 0; end++) {
		APSP_AUTO(apsp_vertex_set_done)
		struct apsp_vertex_set set = {0};
		struct apsp_vertex_match *match = &groups->ends[end];

		apsp_vertex_match_done(match);
		r = apsp_vertex_match_read(req, generation, match, err);
		if (r < 0 || !has_set(groups, end))
			continue;
		r = apsp_vertex_set_end(req, &groups->readers[end], &set, err);
		apsp_vertex_set_keep(&set, match);
		apsp_vertex_match_done(match);
		if (r == 0)
			r = apsp_vertex_set_bits(
				&set, generation->n_vertices, match, err);
	}
	return r;
}

/*
 * Copy the column of the attribute by which the sources (end 0) or the targets
 * (end 1) are grouped. The copy has a value for each vertex of the graph. A
 * vertex gets APSP_NO_GROUP if it does not count as a source or target, or if
 * the rule leaves it out.
 */
static uint32_t *column_copy(const struct groups *groups, int end)
{
	const struct apsp_generation *generation = groups->reading.generation;
	uint32_t *out =
		malloc(((size_t)generation->n_vertices + 1) * sizeof(*out));

	_Static_assert(APSP_NO_VALUE == APSP_NO_GROUP, "no value, no group");
	for (uint32_t v = 0; out && v < generation->n_vertices; v++)
		out[v] = apsp_vertex_match_has(&groups->ends[end], v) &&
					 !apsp_reading_leaves_out(
						 &groups->reading, v)
				 ? apsp_attributes_value(generation->attributes,
					   groups->by[end], v)
				 : APSP_NO_GROUP;
	return out;
}

/* If the graph has no tables, list the vertices from which distances must be
   computed: all sources. */
static int sources_list(struct groups *groups, struct apsp_err *err)
{
	uint32_t n_vertices = groups->reading.generation->n_vertices;
	uint32_t *sources;
	/* set the share to the memory of `ends` and `sources`: the sets in the
	   request's body have been freed, so their memory no longer counts */
	int r = apsp_share_set(&groups->share,
		ends_bytes(groups) + sources_bytes(groups), "the groups", err);

	if (r < 0 || sources_bytes(groups) == 0)
		return r;
	sources = groups->sources = column_copy(groups, SOURCES);
	if (!sources)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	for (uint32_t v = 0; v < n_vertices; v++)
		if (sources[v] != APSP_NO_GROUP)
			sources[groups->n_sources++] = v;
	return 0;
}

/* Check that the number of pairs of groups (a group of sources and a group of
   targets) does not exceed the limit. */
static int pairs_check(const struct groups *groups, struct apsp_err *err)
{
	const uint32_t n[] = {column_of(groups, SOURCES)->values->count,
		column_of(groups, TARGETS)->values->count};

	if ((uint64_t)n[SOURCES] * n[TARGETS] > APSP_GROUP_PAIRS_MAX)
		return apsp_fail(err, APSP_EMALFORMED,
			"%u values of '%s' and %u of '%s' make more than the "
			"%d pairs that an answer may have",
			n[SOURCES], column_of(groups, SOURCES)->name,
			n[TARGETS], column_of(groups, TARGETS)->name,
			APSP_GROUP_PAIRS_MAX);
	return 0;
}

static int distances_begin(struct groups *groups, struct apsp_err *err)
{
	uint32_t n_sources = column_of(groups, SOURCES)->values->count;
	uint32_t n_targets = column_of(groups, TARGETS)->values->count;
	uint32_t *sources, *targets;
	int r;

	r = apsp_share_grow(&groups->share,
		apsp_group_distances_bytes(
			groups->reading.tables, n_sources, n_targets),
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
	return apsp_group_distances_begin(groups->reading.tables, sources,
		n_sources, targets, n_targets, &groups->distances, err);
}

/* If the graph has no tables, get the distances from each source (a row for
   each source). Then prepare to sum the distances between the groups. */
static int sums_begin(
	struct apsp_request *req, struct groups *groups, struct apsp_err *err)
{
	int r = apsp_reading_rows(req, &groups->reading, APSP_DEMAND_FROM,
		groups->sources, groups->n_sources, err);

	if (r == 0)
		r = apsp_request_wait_memory(req, distances_begin(groups, err));
	if (r < 0)
		return r;
	for (int end = SOURCES; end <= TARGETS; end++)
		apsp_vertex_match_done(&groups->ends[end]);
	free(groups->sources);
	groups->sources = NULL;
	apsp_share_shrink(
		&groups->share, ends_bytes(groups) + sources_bytes(groups));
	groups->begun = true;
	return 0;
}

/* Complete the question, and check all limits before any distance is computed.
   Work that is complete is not repeated when the handler is called again. */
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
		.name = req->format == APSP_REPLY_CSV ? NULL : "groups",
		.begin = names_write,
		.write = row_write,
		.done = groups_free,
		.in_pool = true,
	};
	uint32_t n_left_out;
	int r = groups->ready ? 0 : question_end(req, groups, err);

	if (r == 0 && !groups->begun)
		r = sums_begin(req, groups, err);
	if (r < 0)
		return r;
	while ((r = apsp_group_distances_step(&groups->distances, err)) > 0)
		if (apsp_request_again(req))
			return 0;
	if (r < 0)
		return r;
	n_left_out = apsp_reading_n_left_out(&groups->reading);
	if (rows.name)
		rows.head = apsp_reading_answer(&groups->reading,
			json_pack("{s:s, s:s, s:o*}", "sources",
				column_of(groups, SOURCES)->name, "targets",
				column_of(groups, TARGETS)->name, "left_out",
				n_left_out ? json_integer(n_left_out) : NULL));
	rows.ctx = APSP_TAKE(req->state);
	return apsp_rows_reply(req, &rows, err);
}
