/*
 * Found paths as JSON; see path_search_json.h.
 */
#include "api/paths/path_search_json.h"

#include <stdlib.h>
#include <string.h>

#include "api/encode/json.h"
#include "api/paths/path_json.h"
#include "daemon/base/auto.h"

/* Counts up to this are numbers in JSON, and strings above. */
#define WHOLE_MAX (UINT64_C(1) << 53)

static const char *label(const struct apsp_path_search *search, uint32_t v)
{
	return apsp_labels_get(search->reading.generation->labels, v, NULL);
}

/*
 * Add what every answer has; NULL where object is. object and what was put into
 * it are dropped where memory fails.
 */
static json_t *head_add(const struct apsp_path_search *search, json_t *object)
{
	APSP_AUTO(apsp_json_done) json_t *out = NULL;

	out = apsp_path_head_json(&search->reading, search->from, search->to);
	if (!out || !object || json_object_update(out, object) < 0 ||
		json_object_set_new(out, "work",
			json_pack("{s:I, s:I}", "arcs",
				(json_int_t)search->work.n_arcs, "vertices",
				(json_int_t)search->work.n_vertices)) < 0) {
		json_decref(object);
		return NULL;
	}
	json_decref(object);
	return APSP_TAKE(out);
}

/* The vertices as a path with the weights and lengths of its arcs. */
static int path_fill(const struct apsp_path_search *search,
	const uint32_t *vertices, uint32_t n_arcs, struct apsp_path *out)
{
	const struct apsp_adjacency *arcs = search->arcs;
	APSP_AUTO(apsp_path_done)
	struct apsp_path path = {.reachable = true, .hops = n_arcs};
	size_t n = (size_t)n_arcs + 1;

	path.vertices = malloc(n * sizeof(*path.vertices));
	path.weights = malloc(n * sizeof(*path.weights));
	path.lengths = malloc(n * sizeof(*path.lengths));
	if (!path.vertices || !path.weights || !path.lengths)
		return -1;
	memcpy(path.vertices, vertices, n * sizeof(*vertices));
	for (uint32_t i = 0; i < n_arcs; i++) {
		uint64_t a =
			apsp_adjacency_find(arcs, vertices[i], vertices[i + 1]);

		path.weights[i] = arcs->weights[a];
		path.lengths[i] = arcs->lengths[a];
		path.distance += arcs->lengths[a];
	}
	*out = APSP_TAKE(path);
	return 0;
}

/* NULL vertices: there is none. */
static json_t *found_json(const struct apsp_path_search *search,
	const uint32_t *vertices, uint32_t n_arcs)
{
	APSP_AUTO(apsp_path_done) struct apsp_path path = {0};

	if (vertices && path_fill(search, vertices, n_arcs, &path) < 0)
		return NULL;
	return apsp_path_members_json(&search->reading, &path);
}

static json_t *k_paths_json(const struct apsp_path_search *search)
{
	const struct apsp_k_paths *found = &search->k_paths;
	json_t *paths = json_array();

	for (uint32_t i = 0; paths && i < found->n_paths; i++)
		if (json_array_append_new(
			    paths, found_json(search, found->paths[i].vertices,
					   found->paths[i].n_arcs)) < 0) {
			json_decref(paths);
			return NULL;
		}
	return json_pack("{s:b, s:I, s:I, s:o}", "reachable",
		found->n_paths > 0, "k", (json_int_t)search->options.k, "count",
		(json_int_t)found->n_paths, "paths", paths);
}

static json_t *walk_json(const struct apsp_path_search *search)
{
	const struct apsp_walk_search *walk = &search->walk;
	json_t *out = found_json(search, walk->vertices, walk->n_walked);

	if (out && json_object_set_new(
			   out, "repeats", json_boolean(walk->repeats)) < 0) {
		json_decref(out);
		return NULL;
	}
	return out;
}

/* The number of shortest paths: exact, or null. */
static json_t *count_json(const struct apsp_tie_graph *ties)
{
	const struct apsp_path_count *count = &ties->n_paths;
	char text[APSP_PATH_COUNT_TEXT_SIZE];

	if (ties->cyclic || count->too_many)
		return json_null();
	if (count->n_words == 1 && count->words[0] <= WHOLE_MAX)
		return json_integer((json_int_t)count->words[0]);
	apsp_path_count_print(count, text);
	return json_string(text);
}

/* Vertices by layers; those of cycles, which have none, come last. */
static json_t *tie_vertices_json(const struct apsp_path_search *search,
	const uint32_t *order, uint32_t n)
{
	const struct apsp_tie_graph *ties = &search->ties;
	json_t *out = json_array();

	for (uint32_t i = 0; out && i < n; i++) {
		const struct apsp_tie_vertex *at = &ties->vertices[order[i]];
		json_t *layer =
			ties->cyclic ? json_null() : json_integer(at->layer);

		if (json_array_append_new(out,
			    json_pack("{s:s, s:o, s:o}", "vertex",
				    label(search, at->vertex), "distance",
				    apsp_json_number(apsp_cost_length(
					    &search->arcs->unit, at->cost)),
				    "layer", layer)) < 0) {
			json_decref(out);
			return NULL;
		}
	}
	return out;
}

/* The arcs of n vertices of the order, max_arcs of them at most. */
static json_t *tie_arcs_json(const struct apsp_path_search *search,
	const uint32_t *order, uint32_t n)
{
	const struct apsp_tie_graph *ties = &search->ties;
	const struct apsp_adjacency *arcs = search->arcs;
	json_t *out = json_array();

	for (uint32_t i = 0; out && i < n; i++) {
		const struct apsp_tie_vertex *at = &ties->vertices[order[i]];

		for (uint64_t t = at[0].first;
			t < at[1].first &&
			json_array_size(out) < search->options.max_arcs;
			t++) {
			uint64_t a = ties->arcs[t].arc;

			if (json_array_append_new(out,
				    json_pack("{s:s, s:s, s:o, s:o}", "from",
					    label(search, at->vertex), "to",
					    label(search, arcs->heads[a]),
					    "weight",
					    apsp_json_number(arcs->weights[a]),
					    "length",
					    apsp_json_number(
						    arcs->lengths[a]))) < 0) {
				json_decref(out);
				return NULL;
			}
		}
	}
	return out;
}

static json_t *ties_json(const struct apsp_path_search *search)
{
	const struct apsp_tie_graph *ties = &search->ties;
	uint32_t max_arcs = search->options.max_arcs;
	uint32_t n = ties->n_vertices;
	const uint32_t *order = ties->order;

	if (!ties->reachable)
		return json_pack("{s:b, s:n, s:n, s:i, s:n, s:n}", "reachable",
			0, "distance", "hops", "count", 0, "vertices", "arcs");
	if (n > (uint64_t)max_arcs + 1)
		n = max_arcs + 1;
	return json_pack("{s:b, s:o, s:I, s:o, s:b, s:f, s:I, s:I, s:b, s:o,"
			 " s:o}",
		"reachable", 1, "distance",
		apsp_json_number(
			apsp_cost_length(&search->arcs->unit, ties->cost)),
		"hops", (json_int_t)apsp_cost_arcs(ties->cost), "count",
		count_json(ties), "cyclic", (int)ties->cyclic, "tolerance",
		search->options.tolerance, "n_vertices",
		(json_int_t)ties->n_vertices, "n_arcs",
		(json_int_t)ties->n_arcs, "truncated",
		n < ties->n_vertices || ties->n_arcs > max_arcs, "vertices",
		tie_vertices_json(search, order, n), "arcs",
		tie_arcs_json(search, order, n));
}

json_t *apsp_path_search_json(const struct apsp_path_search *search)
{
	const struct apsp_k_paths *k_paths = &search->k_paths;
	json_t *found;

	if (search->by_table)
		found = apsp_path_members_json(&search->reading, &search->path);
	else if (search->options.kind == APSP_PATH_TIES)
		found = ties_json(search);
	else if (search->options.kind == APSP_PATH_WITHIN)
		found = walk_json(search);
	else if (search->options.kind == APSP_PATH_K)
		found = k_paths_json(search);
	else
		found = found_json(search,
			k_paths->n_paths ? k_paths->paths[0].vertices : NULL,
			k_paths->n_paths ? k_paths->paths[0].n_arcs : 0);
	return head_add(search, found);
}
