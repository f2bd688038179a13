/*
 * The paths that a search has found, as JSON, part by part; see path_search.h.
 * Weights and lengths are read from the table file, so that the arcs need not
 * stay in memory while a client reads the answer.
 */
#include <stdlib.h>
#include <string.h>

#include "api/http/reply.h"
#include "api/http/stream.h"
#include "api/label_text.h"
#include "api/paths/path_search.h"
#include "api/paths/path_text.h"
#include "daemon/base/auto.h"
#include "storage/tables/lookup.h"
#include "storage/tables/table_read.h"
#include "storage/tables/tables.h"

/* Counts up to this number are JSON numbers; larger counts are strings. */
#define WHOLE_MAX (UINT64_C(1) << 53)

enum {
	BLOCK_BYTES = 32768,
	KEPT_BYTES = 2 * BLOCK_BYTES,
};

/* The values of the answer's member "kind". */
static const char *const kind_names[] = {
	[APSP_PATH_ONE] = "path",
	[APSP_PATH_AVOID] = "avoid",
	[APSP_PATH_K] = "k",
	[APSP_PATH_TIES] = "ties",
	[APSP_PATH_WITHIN] = "hops",
};

enum part {
	PART_HEAD,
	PART_PATHS,    /* the k paths, one after another */
	PART_VERTICES, /* vertices of the graph of all shortest paths */
	PART_ARCS,     /* arcs of the graph of all shortest paths */
	PART_TAIL,
	PART_END,
};

/* An answer that is being written; the reply's stream owns it. */
struct answer {
	struct apsp_path_search *search; /* owned */
	struct apsp_text text;		 /* the present block */
	struct apsp_json_writer w;
	enum part part;
	uint32_t next; /* index of the path or vertex that is written next */
	uint64_t arc;  /* index in `ties` of the arc that is written next */
	uint32_t n_listed;  /* number of vertices that the answer lists */
	uint64_t arcs_left; /* number of arcs that are still allowed in the
			       answer */
	bool begun;	    /* answer_next() was called */
};

static const struct apsp_labels *labels_of(
	const struct apsp_path_search *search)
{
	return search->reading.generation->labels;
}

/* Write the members of one path. If there is no path, `vertices` is NULL. */
static int write_found(struct apsp_json_writer *w,
	const struct apsp_path_search *search, const uint32_t *vertices,
	uint32_t n_arcs, struct apsp_err *err)
{
	APSP_AUTO(apsp_path_done)
	struct apsp_path path = {.is_widest = search->is_widest};
	int r = vertices ? apsp_lookup_along(search->reading.tables, vertices,
				   n_arcs, &path, err)
			 : 0;

	if (r == 0)
		apsp_path_write_members(w, labels_of(search), &path);
	return r;
}

/* Write the next of the k paths, or the end of their list. */
static int k_paths_next(struct answer *a, struct apsp_err *err)
{
	const struct apsp_k_paths *found = &a->search->k_paths;
	int r;

	if (a->next == found->n_paths) {
		apsp_json_array_end(&a->w);
		a->part = PART_TAIL;
		return 0;
	}
	apsp_json_object(&a->w);
	r = write_found(&a->w, a->search, found->paths[a->next].vertices,
		found->paths[a->next].n_arcs, err);
	apsp_json_object_end(&a->w);
	a->next++;
	return r;
}

/*
 * Write the members that precede the list of vertices. If there is no path,
 * also write the members `vertices` and `arcs` as null.
 */
static void ties_head(struct answer *a)
{
	const struct apsp_path_search *search = a->search;
	const struct apsp_tie_graph *ties = &search->ties;
	const struct apsp_path_count *count = &ties->n_paths;
	char text[APSP_PATH_COUNT_TEXT_SIZE];
	uint32_t max_arcs = search->options.max_arcs;
	uint32_t n = ties->n_vertices;

	if (!ties->reachable) {
		apsp_json_boolean_member(&a->w, "reachable", false);
		apsp_json_null_member(&a->w, "distance");
		apsp_json_null_member(&a->w, "hops");
		apsp_json_integer_member(&a->w, "count", 0);
		apsp_json_null_member(&a->w, "vertices");
		apsp_json_null_member(&a->w, "arcs");
		a->part = PART_TAIL;
		return;
	}
	if (n > (uint64_t)max_arcs + 1)
		n = max_arcs + 1;
	a->n_listed = n;
	a->arcs_left = max_arcs;
	apsp_json_boolean_member(&a->w, "reachable", true);
	apsp_json_real_member(&a->w, "distance",
		apsp_path_cost_length(&search->unit, ties->cost));
	apsp_json_integer_member(
		&a->w, "hops", apsp_path_cost_arcs(&search->unit, ties->cost));
	apsp_json_key(&a->w, "count"); /* the exact number of paths, or null if
					  it is unknown */
	if (ties->cyclic || count->too_many) {
		apsp_json_nothing(&a->w);
	} else if (count->n_words == 1 && count->words[0] <= WHOLE_MAX) {
		apsp_json_integer(&a->w, (int64_t)count->words[0]);
	} else {
		apsp_path_count_print(count, text);
		apsp_json_string(&a->w, text, strlen(text));
	}
	apsp_json_boolean_member(&a->w, "cyclic", ties->cyclic);
	apsp_json_real_member(&a->w, "tolerance", search->options.tolerance);
	apsp_json_integer_member(&a->w, "n_vertices", ties->n_vertices);
	apsp_json_integer_member(&a->w, "n_arcs", ties->n_arcs);
	apsp_json_boolean_member(&a->w, "truncated",
		n < ties->n_vertices || ties->n_arcs > max_arcs);
	apsp_json_key(&a->w, "vertices");
	apsp_json_array(&a->w);
	a->part = PART_VERTICES;
}

/*
 * Write the next vertex. Vertices are ordered by layer; a vertex's layer is the
 * greatest number of arcs on a path from the source to the vertex. If the graph
 * of shortest paths has a cycle, the layers are null, and vertices that are on
 * a cycle or can be reached from a cycle come last.
 */
static void ties_vertex(struct answer *a)
{
	const struct apsp_tie_graph *ties = &a->search->ties;
	const struct apsp_tie_vertex *at;

	if (a->next == a->n_listed) {
		apsp_json_array_end(&a->w);
		apsp_json_key(&a->w, "arcs");
		apsp_json_array(&a->w);
		a->part = PART_ARCS;
		a->next = 0;
		a->arc = ties->vertices[ties->order[0]].first;
		return;
	}
	at = &ties->vertices[ties->order[a->next++]];
	apsp_json_object(&a->w);
	apsp_label_member(&a->w, "vertex", labels_of(a->search), at->vertex);
	apsp_json_real_member(&a->w, "distance",
		apsp_path_cost_length(&a->search->unit, at->cost));
	apsp_json_key(&a->w, "layer");
	if (ties->cyclic)
		apsp_json_nothing(&a->w);
	else
		apsp_json_integer(&a->w, at->layer);
	apsp_json_object_end(&a->w);
}

/* Write the next arc that begins at a vertex of the answer. At most max_arcs
   arcs are written. */
static int ties_arc(struct answer *a, struct apsp_err *err)
{
	const struct apsp_tie_graph *ties = &a->search->ties;
	const struct apsp_tie_vertex *at =
		&ties->vertices[ties->order[a->next]];
	double weight, length;
	uint32_t head;
	int r;

	if (a->arc == at[1].first || a->arcs_left == 0) {
		if (++a->next < a->n_listed && a->arcs_left > 0) {
			a->arc = ties->vertices[ties->order[a->next]].first;
			return 0;
		}
		apsp_json_array_end(&a->w);
		a->part = PART_TAIL;
		return 0;
	}
	head = ties->vertices[ties->heads[a->arc++]].vertex;
	a->arcs_left--;
	r = apsp_table_read_arc(a->search->reading.tables, at->vertex, head,
		&weight, &length, err);
	if (r < 0)
		return r;
	apsp_json_object(&a->w);
	apsp_label_member(&a->w, "from", labels_of(a->search), at->vertex);
	apsp_label_member(&a->w, "to", labels_of(a->search), head);
	apsp_json_real_member(&a->w, "weight", weight);
	apsp_json_real_member(&a->w, "length", length);
	apsp_json_object_end(&a->w);
	return 0;
}

/*
 * Write the member limited_by: a list of the options, such as `avoid`, that may
 * have excluded all paths. The list is empty unless the tables have a path and
 * the search found none.
 */
static int write_limits(struct apsp_json_writer *w,
	const struct apsp_path_search *search, struct apsp_err *err)
{
	const struct apsp_reading *reading = &search->reading;
	enum apsp_path_kind kind = search->options.kind;
	bool reachable = false,
	     found = search->by_table		? search->path.reachable
		     : kind == APSP_PATH_TIES	? search->ties.reachable
		     : kind == APSP_PATH_WITHIN ? search->walk.vertices != NULL
		     : search->is_widest	? search->wide.found
						: search->k_paths.n_paths > 0;
	int r = 0;

	if (!found)
		r = apsp_lookup_reachable(reading->tables, reading->from,
			reading->to, &reachable, err);
	if (r < 0)
		return r;
	apsp_json_key(w, "limited_by");
	apsp_json_array(w);
	if (reachable && search->avoided.vertices)
		apsp_json_string(w, "avoid", strlen("avoid"));
	if (reachable && kind == APSP_PATH_WITHIN)
		apsp_json_string(w, "hops", strlen("hops"));
	apsp_json_array_end(w);
	return 0;
}

/* Write the members that precede the answer's list. If the answer has no list,
   write all members except those that tail() writes. */
static int head(struct answer *a, struct apsp_err *err)
{
	const struct apsp_path_search *search = a->search;
	const struct apsp_found_path *first =
		search->k_paths.n_paths > 0 ? search->k_paths.paths : NULL;
	int r;

	apsp_json_object(&a->w);
	apsp_path_write_pair(&a->w, &search->reading, search->reading.from,
		search->reading.to);
	apsp_json_text_member(&a->w, "kind", kind_names[search->options.kind]);
	a->part = PART_TAIL;
	if (search->by_table) {
		apsp_path_write_members(
			&a->w, labels_of(search), &search->path);
		return 0;
	}
	switch (search->options.kind) {
	case APSP_PATH_TIES:
		ties_head(a);
		return 0;
	case APSP_PATH_WITHIN:
		r = write_found(&a->w, search, search->walk.vertices,
			search->walk.n_walked, err);
		apsp_json_boolean_member(
			&a->w, "repeats", search->walk.repeats);
		return r;
	case APSP_PATH_K:
		apsp_json_boolean_member(
			&a->w, "reachable", search->k_paths.n_paths > 0);
		apsp_json_integer_member(&a->w, "k", search->options.k);
		apsp_json_integer_member(
			&a->w, "count", search->k_paths.n_paths);
		apsp_json_key(&a->w, "paths");
		apsp_json_array(&a->w);
		a->part = PART_PATHS;
		return 0;
	default:
		if (search->is_widest)
			return write_found(&a->w, search,
				search->wide.found ? search->wide.vertices
						   : NULL,
				search->wide.n_arcs, err);
		return first ? write_found(&a->w, search, first->vertices,
				       first->n_arcs, err)
			     : write_found(&a->w, search, NULL, 0, err);
	}
}

static int tail(struct answer *a, struct apsp_err *err)
{
	int r = 0;

	a->part = PART_END;
	if (a->search->options.kind != APSP_PATH_ONE) {
		r = write_limits(&a->w, a->search, err);
		apsp_json_key(&a->w, "work");
		apsp_json_object(&a->w);
		apsp_json_integer_member(&a->w, "arcs", a->search->work.n_arcs);
		apsp_json_integer_member(
			&a->w, "vertices", a->search->work.n_vertices);
		apsp_json_object_end(&a->w);
	}
	apsp_json_object_end(&a->w);
	return r;
}

/*
 * Write parts of the answer until the block is full or the answer ends. A
 * block counts as full a little before its end, so the short last part, from
 * tail(), always fits into the present block. An answer without a list has only
 * the parts of head() and tail(), so it is always one block.
 */
static int write_block(struct answer *a, struct apsp_err *err)
{
	int r = 0;

	apsp_text_clear(&a->text, KEPT_BYTES);
	while (r == 0 && a->part != PART_END &&
		(a->text.size < BLOCK_BYTES || a->part == PART_TAIL)) {
		switch (a->part) {
		case PART_HEAD:
			r = head(a, err);
			break;
		case PART_PATHS:
			r = k_paths_next(a, err);
			break;
		case PART_VERTICES:
			ties_vertex(a);
			break;
		case PART_ARCS:
			r = ties_arc(a, err);
			break;
		default:
			r = tail(a, err);
		}
	}
	if (r == 0)
		r = apsp_tables_trust(a->search->reading.tables, err);
	return r < 0 ? r : apsp_text_check(&a->text, err);
}

static void answer_free(void *ctx)
{
	struct answer *a = ctx;

	if (!a)
		return;
	apsp_path_search_free(a->search);
	apsp_text_done(&a->text);
	free(a);
}

APSP_AUTO_DEFINE(answer_end, struct answer, answer_free);

static int answer_next(
	void *ctx, struct apsp_stream_block *out, struct apsp_err *err)
{
	struct answer *a = ctx;
	int r = a->begun ? write_block(a, err) : 0;

	a->begun = true;
	if (a->part == PART_END)
		apsp_text_byte(&a->text, '\n');
	*out = (struct apsp_stream_block){a->text.data, a->text.size};
	return r < 0 ? r : a->part != PART_END;
}

int apsp_path_search_reply(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(answer_end) struct answer *a = calloc(1, sizeof(*a));
	struct apsp_stream stream = {
		.type = "application/json",
		.size = APSP_STREAM_SIZE_UNKNOWN,
		.next = answer_next,
		.in_pool = true,
		.done = answer_free,
	};
	int r;

	if (!a)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a reply");
	a->search = APSP_TAKE(req->state);
	a->w.text = &a->text;
	r = write_block(a, err);
	if (r < 0)
		return r;
	if (a->part == PART_END)
		return apsp_reply_text(req, MHD_HTTP_OK, &a->text, err);
	stream.ctx = APSP_TAKE(a);
	return apsp_stream_reply(req, MHD_HTTP_OK, &stream, err);
}
