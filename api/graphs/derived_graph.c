/*
 * Graphs made from stored graphs; see derived_graph.h.
 */
#include "api/graphs/derived_graph.h"

#include <jansson.h>
#include <string.h>

#include "api/graphs/profile_input.h"
#include "api/http/query.h"
#include "api/vertex_match.h"
#include "daemon/base/auto.h"
#include "storage/snapshots/graph_snapshot.h"
#include "storage/snapshots/snapshot_map.h"

enum {
	TRIES_MAX = 4,
};

/*
 * Find the stored graph that ?of= names, and its current upload or, if no
 * upload has tables yet, its pending upload (*out_generation, borrowed from
 * *out). Set the rule in *options as apsp_profile_input_query() does.
 * APSP_EREVISION: ?revision= names another upload.
 */
static int origin_find(struct apsp_request *req,
	struct apsp_upload_options *options,
	const struct apsp_graph_snapshot **out,
	const struct apsp_generation **out_generation, struct apsp_err *err)
{
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *origin = NULL;
	const char *revision = apsp_query_get(req, "revision");
	const struct apsp_generation *shown;
	int r = apsp_snapshot_map_find(
		req->config->graphs, apsp_query_get(req, "of"), &origin, err);

	if (r < 0)
		return r;
	shown = apsp_graph_snapshot_shown(origin);
	if (revision)
		r = apsp_reading_revision_check(
			req, origin, shown, revision, err);
	if (r == 0)
		r = apsp_profile_input_query(req, shown, options, err);
	if (r < 0)
		return r;
	*out_generation = shown;
	*out = APSP_TAKE(origin);
	return 0;
}

int apsp_derived_graph_wanted(struct apsp_request *req, bool *out,
	struct apsp_upload_options *options, struct apsp_err *err)
{
	static const char *const of_files[] = {"format", "from_column",
		"to_column", "weight_column", "nonedge", "undirected",
		"decimal", "prove"};
	const char *of = apsp_query_get(req, "of");
	const char *by = apsp_query_get(req, "by");
	const char *match = apsp_query_get(req, "match");
	const char *revision = apsp_query_get(req, "revision");
	const struct apsp_generation *generation;
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *origin = NULL;

	*out = of != NULL;
	if (!of && (by || match || revision))
		return apsp_fail(err, APSP_EMALFORMED,
			"%s chooses from a stored graph; name the graph with "
			"of=",
			by	? "by"
			: match ? "match"
				: "revision");
	if (!of)
		return 0;
	if (!by == !match)
		return apsp_fail(err, APSP_EMALFORMED,
			"of has %s; expected by=ATTRIBUTE for sums between "
			"values, or match=ATTRIBUTE:VALUE for a part of the "
			"graph",
			by ? "both by and match" : "neither by nor match");
	for (size_t i = 0; i < sizeof(of_files) / sizeof(*of_files); i++)
		if (apsp_query_get(req, of_files[i]))
			return apsp_fail(err, APSP_EMALFORMED,
				"%s describes a file, but of= reads a stored "
				"graph; leave out %s",
				of_files[i], of_files[i]);
	return origin_find(req, options, &origin, &generation, err);
}

/* Return the query's argument `by` or `match` as JSON text, {"by":…} or
   {"match":[…]}. The database keeps this text as the origin of the new
   graph. */
static char *question_text(const struct apsp_request *req)
{
	const char *by = apsp_query_get(req, "by"), *condition;
	json_auto_t *question = by ? json_pack("{s:s}", "by", by)
				   : json_pack("{s:[]}", "match");
	json_t *list = json_object_get(question, "match");
	size_t at = 0;

	while (!by && (condition = apsp_query_next(req, "match", &at)))
		if (json_array_append_new(list, json_string(condition)) < 0)
			return NULL;
	return question ? json_dumps(question, JSON_COMPACT) : NULL;
}

/* Begin to read the arcs of the stored graph that ?of= names. The graph is
   found again, because it may have been replaced since the request arrived. */
static int begin(struct apsp_request *req, struct apsp_derived_graph *graph,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *origin = NULL;
	APSP_AUTO(apsp_vertex_match_done) struct apsp_vertex_match match = {0};
	APSP_AUTO(apsp_free) char *text = NULL;
	const char *by = apsp_query_get(req, "by");
	struct apsp_derivation_question question = {.by_column = by != NULL};
	int r = origin_find(
		req, &graph->options, &origin, &question.generation, err);

	if (r < 0)
		return r;
	question.snapshot = origin;
	r = by ? apsp_vertex_match_column(question.generation, by, strlen(by),
			 &question.column, err)
	       : apsp_vertex_match_read(req, question.generation, &match, err);
	if (r < 0)
		return r;
	text = question_text(req);
	if (!text)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	question.text = text;
	question.chosen = APSP_TAKE(match.bits);
	r = apsp_derivation_new(req->config->store, &question, &graph->options,
		&graph->work, err);
	match.bits = question.chosen; /* `match` frees the bits, unless
					 graph->work has taken them:
					 question.chosen is NULL in that case */
	return r < 0 ? r : 1;
}

int apsp_derived_graph_step(struct apsp_request *req,
	struct apsp_derived_graph *graph, struct apsp_err *err)
{
	int r;

	if (!graph->work)
		return begin(req, graph, err);
	r = apsp_derivation_step(graph->work, err);
	if (r != APSP_ECANCELLED)
		return r;
	apsp_derivation_free(APSP_TAKE(graph->work));
	if (++graph->n_tries < TRIES_MAX)
		return 1;
	return apsp_fail(err, APSP_EBUSY,
		"the graph '%s' was replaced %d times while its arcs were "
		"read; ask again",
		apsp_query_get(req, "of"), TRIES_MAX);
}
