/*
 * Found paths as JSON; see path_search_text.h.
 */
#include "api/paths/path_search_text.h"

#include <stdlib.h>
#include <string.h>

#include "api/paths/path_text.h"
#include "daemon/base/auto.h"
#include "storage/tables/lookup.h"

/* Counts up to this are numbers in JSON, and strings above. */
#define WHOLE_MAX (UINT64_C(1) << 53)

static void integer_member(
	struct apsp_json_writer *w, const char *name, uint64_t value)
{
	apsp_json_key(w, name);
	apsp_json_integer(w, (int64_t)value);
}

static void real_member(
	struct apsp_json_writer *w, const char *name, double value)
{
	apsp_json_key(w, name);
	apsp_json_real(w, value);
}

static void boolean_member(
	struct apsp_json_writer *w, const char *name, bool value)
{
	apsp_json_key(w, name);
	apsp_json_boolean(w, value);
}

static void label_member(struct apsp_json_writer *w, const char *name,
	const struct apsp_path_search *search, uint32_t v)
{
	size_t size;
	const char *label = apsp_labels_get(
		search->pair.reading.generation->labels, v, &size);

	apsp_json_key(w, name);
	apsp_json_string(w, label, size);
}

/* The vertices as a path with the weights and lengths of its arcs. */
static int path_fill(const struct apsp_path_search *search,
	const uint32_t *vertices, uint32_t n_arcs, struct apsp_path *out,
	struct apsp_err *err)
{
	const struct apsp_adjacency *arcs = search->arcs;
	APSP_AUTO(apsp_path_done)
	struct apsp_path path = {.reachable = true, .hops = n_arcs};
	size_t n = (size_t)n_arcs + 1;

	path.vertices = malloc(n * sizeof(*path.vertices));
	path.weights = malloc(n * sizeof(*path.weights));
	path.lengths = malloc(n * sizeof(*path.lengths));
	if (!path.vertices || !path.weights || !path.lengths)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a path");
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

/* The members of one path. NULL vertices: there is none. */
static int write_found(struct apsp_json_writer *w,
	const struct apsp_path_search *search, const uint32_t *vertices,
	uint32_t n_arcs, struct apsp_err *err)
{
	APSP_AUTO(apsp_path_done) struct apsp_path path = {0};
	int r = vertices ? path_fill(search, vertices, n_arcs, &path, err) : 0;

	if (r == 0)
		apsp_path_write_members(
			w, search->pair.reading.generation->labels, &path);
	return r;
}

static int write_k_paths(struct apsp_json_writer *w,
	const struct apsp_path_search *search, struct apsp_err *err)
{
	const struct apsp_k_paths *found = &search->k_paths;
	int r = 0;

	boolean_member(w, "reachable", found->n_paths > 0);
	integer_member(w, "k", search->options.k);
	integer_member(w, "count", found->n_paths);
	apsp_json_key(w, "paths");
	apsp_json_array(w);
	for (uint32_t i = 0; r == 0 && i < found->n_paths; i++) {
		apsp_json_object(w);
		r = write_found(w, search, found->paths[i].vertices,
			found->paths[i].n_arcs, err);
		apsp_json_object_end(w);
	}
	apsp_json_array_end(w);
	return r;
}

static int write_walk(struct apsp_json_writer *w,
	const struct apsp_path_search *search, struct apsp_err *err)
{
	const struct apsp_walk_search *walk = &search->walk;
	int r = write_found(w, search, walk->vertices, walk->n_walked, err);

	boolean_member(w, "repeats", walk->repeats);
	return r;
}

/* The number of shortest paths: exact, or null. */
static void write_count(
	struct apsp_json_writer *w, const struct apsp_tie_graph *ties)
{
	const struct apsp_path_count *count = &ties->n_paths;
	char text[APSP_PATH_COUNT_TEXT_SIZE];

	apsp_json_key(w, "count");
	if (ties->cyclic || count->too_many) {
		apsp_json_nothing(w);
	} else if (count->n_words == 1 && count->words[0] <= WHOLE_MAX) {
		apsp_json_integer(w, (int64_t)count->words[0]);
	} else {
		apsp_path_count_print(count, text);
		apsp_json_string(w, text, strlen(text));
	}
}

/* Vertices by layers; those of cycles, which have none, come last. */
static void write_tie_vertices(struct apsp_json_writer *w,
	const struct apsp_path_search *search, uint32_t n)
{
	const struct apsp_tie_graph *ties = &search->ties;

	apsp_json_key(w, "vertices");
	apsp_json_array(w);
	for (uint32_t i = 0; i < n; i++) {
		const struct apsp_tie_vertex *at =
			&ties->vertices[ties->order[i]];

		apsp_json_object(w);
		label_member(w, "vertex", search, at->vertex);
		real_member(w, "distance",
			apsp_path_cost_length(&search->arcs->unit, at->cost));
		apsp_json_key(w, "layer");
		if (ties->cyclic)
			apsp_json_nothing(w);
		else
			apsp_json_integer(w, at->layer);
		apsp_json_object_end(w);
	}
	apsp_json_array_end(w);
}

/* The arcs of n vertices of the order, max_arcs of them at most. */
static void write_tie_arcs(struct apsp_json_writer *w,
	const struct apsp_path_search *search, uint32_t n)
{
	const struct apsp_tie_graph *ties = &search->ties;
	const struct apsp_adjacency *arcs = search->arcs;
	uint64_t left = search->options.max_arcs;

	apsp_json_key(w, "arcs");
	apsp_json_array(w);
	for (uint32_t i = 0; i < n; i++) {
		const struct apsp_tie_vertex *at =
			&ties->vertices[ties->order[i]];

		for (uint64_t t = at[0].first; t < at[1].first && left > 0;
			t++, left--) {
			uint64_t a = ties->arcs[t].arc;

			apsp_json_object(w);
			label_member(w, "from", search, at->vertex);
			label_member(w, "to", search, arcs->heads[a]);
			real_member(w, "weight", arcs->weights[a]);
			real_member(w, "length", arcs->lengths[a]);
			apsp_json_object_end(w);
		}
	}
	apsp_json_array_end(w);
}

static void write_no_ties(struct apsp_json_writer *w)
{
	static const char *const names[] = {"vertices", "arcs"};

	boolean_member(w, "reachable", false);
	apsp_json_key(w, "distance");
	apsp_json_nothing(w);
	apsp_json_key(w, "hops");
	apsp_json_nothing(w);
	integer_member(w, "count", 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		apsp_json_key(w, names[i]);
		apsp_json_nothing(w);
	}
}

static void write_ties(
	struct apsp_json_writer *w, const struct apsp_path_search *search)
{
	const struct apsp_tie_graph *ties = &search->ties;
	uint32_t max_arcs = search->options.max_arcs;
	uint32_t n = ties->n_vertices;

	if (!ties->reachable) {
		write_no_ties(w);
		return;
	}
	if (n > (uint64_t)max_arcs + 1)
		n = max_arcs + 1;
	boolean_member(w, "reachable", true);
	real_member(w, "distance",
		apsp_path_cost_length(&search->arcs->unit, ties->cost));
	integer_member(w, "hops", apsp_path_cost_arcs(ties->cost));
	write_count(w, ties);
	boolean_member(w, "cyclic", ties->cyclic);
	real_member(w, "tolerance", search->options.tolerance);
	integer_member(w, "n_vertices", ties->n_vertices);
	integer_member(w, "n_arcs", ties->n_arcs);
	boolean_member(w, "truncated",
		n < ties->n_vertices || ties->n_arcs > max_arcs);
	write_tie_vertices(w, search, n);
	write_tie_arcs(w, search, n);
}

static int write_answer(struct apsp_json_writer *w,
	const struct apsp_path_search *search, struct apsp_err *err)
{
	const struct apsp_found_path *first = search->k_paths.paths;

	if (search->by_table) {
		apsp_path_write_members(w,
			search->pair.reading.generation->labels, &search->path);
		return 0;
	}
	switch (search->options.kind) {
	case APSP_PATH_TIES:
		write_ties(w, search);
		return 0;
	case APSP_PATH_WITHIN:
		return write_walk(w, search, err);
	case APSP_PATH_K:
		return write_k_paths(w, search, err);
	default:
		if (search->k_paths.n_paths == 0)
			return write_found(w, search, NULL, 0, err);
		return write_found(
			w, search, first->vertices, first->n_arcs, err);
	}
}

static const char *kind_name(enum apsp_path_kind kind)
{
	switch (kind) {
	case APSP_PATH_ONE:
		return "path";
	case APSP_PATH_AVOID:
		return "avoid";
	case APSP_PATH_K:
		return "k";
	case APSP_PATH_TIES:
		return "ties";
	case APSP_PATH_WITHIN:
		return "hops";
	}
	return NULL;
}

static bool is_found(const struct apsp_path_search *search)
{
	if (search->by_table)
		return search->path.reachable;
	if (search->options.kind == APSP_PATH_TIES)
		return search->ties.reachable;
	if (search->options.kind == APSP_PATH_WITHIN)
		return search->walk.vertices != NULL;
	return search->k_paths.n_paths > 0;
}

/* The options without which there would be a path. */
static int write_limits(struct apsp_json_writer *w,
	const struct apsp_path_search *search, struct apsp_err *err)
{
	const struct apsp_pair *pair = &search->pair;
	bool reachable = false;
	int r = is_found(search)
			? 0
			: apsp_lookup_reachable(pair->reading.tables,
				  pair->from, pair->to, &reachable, err);

	if (r < 0)
		return r;
	apsp_json_key(w, "limited_by");
	apsp_json_array(w);
	if (reachable && search->avoided.vertices)
		apsp_json_string(w, "avoid", strlen("avoid"));
	if (reachable && search->options.kind == APSP_PATH_WITHIN)
		apsp_json_string(w, "hops", strlen("hops"));
	apsp_json_array_end(w);
	return 0;
}

int apsp_path_search_write(struct apsp_json_writer *w,
	const struct apsp_path_search *search, struct apsp_err *err)
{
	int r;

	apsp_json_object(w);
	apsp_path_write_pair(
		w, &search->pair.reading, search->pair.from, search->pair.to);
	apsp_json_text_member(w, "kind", kind_name(search->options.kind));
	r = write_answer(w, search, err);
	if (r == 0)
		r = write_limits(w, search, err);
	apsp_json_key(w, "work");
	apsp_json_object(w);
	integer_member(w, "arcs", search->work.n_arcs);
	integer_member(w, "vertices", search->work.n_vertices);
	apsp_json_object_end(w);
	apsp_json_object_end(w);
	return r;
}
