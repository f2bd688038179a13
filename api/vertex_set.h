/*
 * A set of vertices that a member of a JSON body names, such as `sources`. The
 * member is a list of labels, or a choice of vertices by their attributes
 * (vertex_match.h). If the member is missing, the set has all vertices:
 *
 *	"sources": ["a", "b"]
 *	"sources": {"match": ["type:KC", "side:left"]}
 *
 * The member is read while the body arrives (body.h):
 *
 *	r = apsp_vertex_set_event(req, &reader, event, err);  each event in it
 *	r = apsp_vertex_set_end(req, &reader, &set, err);     after the body
 *
 * A set takes 4 bytes of memory for each of its vertices. A set of all vertices
 * takes no memory.
 */
#ifndef APSP_API_VERTEX_SET_H
#define APSP_API_VERTEX_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/encode/json_writer.h"
#include "api/http/request.h"
#include "api/vertex_match.h"
#include "daemon/base/budget.h"
#include "daemon/base/err.h"
#include "storage/ingest/json_reader.h"
#include "storage/snapshots/graph_snapshot.h"

/* The vertices of a set. If the request lists labels, the vertices are in
   the order of this list, which may repeat vertices. Otherwise they are in
   index order. */
struct apsp_vertex_set {
	bool all;	    /* the set has every vertex, in index order;
			       apsp_vertex_set_end() then leaves `vertices`
			       NULL */
	uint32_t *vertices; /* owned */
	size_t n;	    /* number of vertices, also if `all` is set */
};

static inline uint32_t apsp_vertex_set_at(
	const struct apsp_vertex_set *set, size_t i)
{
	return set->all ? (uint32_t)i : set->vertices[i];
}

void apsp_vertex_set_done(struct apsp_vertex_set *set);

/* Keep only the vertices that `match` chooses. If the set has all vertices, its
   `vertices` must have memory for all of them. */
void apsp_vertex_set_keep(
	struct apsp_vertex_set *set, const struct apsp_vertex_match *match);

/*
 * Delete each vertex that already occurs earlier in the set, so that the set
 * has each vertex only once. While this function runs, it needs a bit for each
 * vertex of the graph; `share` counts this memory. Fails as apsp_share_grow()
 * does. APSP_ENOMEM.
 */
int apsp_vertex_set_unique(struct apsp_vertex_set *set, uint32_t n_vertices,
	struct apsp_share *share, struct apsp_err *err);

/* Set the bit of each vertex of the set in out->bits. If the set has all
   vertices, out->bits is NULL. The caller ends *out with
   apsp_vertex_match_done(). APSP_ENOMEM. */
int apsp_vertex_set_bits(const struct apsp_vertex_set *set, uint32_t n_vertices,
	struct apsp_vertex_match *out, struct apsp_err *err);

struct apsp_vertex_set_reader;

/* Append the set in the form of a request body: the choice by attributes that
   `reader` has read, or a list of labels. Call this after
   apsp_vertex_set_end(). */
void apsp_vertex_set_write(const struct apsp_vertex_set_reader *reader,
	const struct apsp_vertex_set *set, struct apsp_json_writer *w);

/* Reads one member of the JSON body. apsp_vertex_sets_begin() sets the fields
   of this struct from `name` to `max`; all other fields are zeros. */
struct apsp_vertex_set_reader {
	const char *name; /* the name of the member, for messages */
	const struct apsp_generation *generation; /* borrowed */
	struct apsp_share *share; /* counts the memory of the set
				     (daemon/base/budget.h); borrowed */
	const char *purpose; /* the purpose of the memory, such as "the table";
				for messages */
	uint32_t max; /* largest number of labels in a list; a set that is
			 chosen by attributes has no limit */

	/* Whether the set is chosen by attributes. Set as soon as the value of
	   the member begins. */
	bool is_match;

	/* The following members are private to vertex_set.c. */
	bool seen;	/* the body has the member */
	bool ended;	/* apsp_vertex_set_end() has returned 0 */
	bool has_match; /* the key `match` was read */
	size_t n_items; /* number of items that were read of the present list */
	size_t capacity; /* number of vertices for which set.vertices has
			    memory */
	struct apsp_vertex_set set;
	struct apsp_vertex_condition conditions[APSP_VERTEX_CONDITIONS_MAX];
	size_t n_conditions;
};

/*
 * Begin to read a body that may have the members `sources` and `targets`:
 * prepare a reader for each of these members, in this order, and call
 * apsp_body_stream_begin(). A list has at most max_pairs labels (limits.def).
 * `generation`, `share` and `purpose` are as in struct apsp_vertex_set_reader.
 * The caller ends the readers with apsp_vertex_sets_done(). APSP_ENOMEM.
 */
int apsp_vertex_sets_begin(struct apsp_request *req,
	struct apsp_vertex_set_reader readers[2],
	const struct apsp_generation *generation, struct apsp_share *share,
	const char *purpose, struct apsp_err *err);
void apsp_vertex_sets_done(struct apsp_vertex_set_reader readers[2]);

/*
 * Read an event inside the member (apsp_body_stream's value()). The reply that
 * refuses an item has a JSON pointer to the item. For an unknown label or
 * value, the reply suggests similar labels or values. Finding similar labels
 * takes milliseconds if there are many labels (apsp_reading_labels_are_many()).
 * APSP_EMALFORMED: the member is neither a list of labels nor a choice; there
 * is no such attribute or value. APSP_EBADVERTEX: no vertex has this label.
 * APSP_ETOOLARGE: the list has more than `max` labels. Fails as
 * apsp_array_reserve() does.
 */
int apsp_vertex_set_event(struct apsp_request *req,
	struct apsp_vertex_set_reader *reader,
	const struct apsp_json_event *event, struct apsp_err *err);

/*
 * Complete the set after the body was read. In a large graph, vertices are
 * chosen by attributes only on the thread pool: on another thread, the function
 * fails as apsp_request_move() does. The handler may call the function again
 * after any result. Once the function has returned 0, further calls do nothing.
 * The caller ends *out with apsp_vertex_set_done(). APSP_EMALFORMED: the set is
 * chosen by attributes, and the query has `match`, too. Fails as
 * apsp_share_grow() does. APSP_ENOMEM.
 */
int apsp_vertex_set_end(struct apsp_request *req,
	struct apsp_vertex_set_reader *reader, struct apsp_vertex_set *out,
	struct apsp_err *err);

#endif
