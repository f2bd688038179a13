/*
 * Finds the snapshot, the tables and the vertices that a request about a graph
 * names.
 */
#ifndef APSP_API_READING_H
#define APSP_API_READING_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "api/encode/json_writer.h"
#include "api/http/request.h"
#include "daemon/base/auto.h"
#include "daemon/base/err.h"
#include "storage/search/adjacency_cache.h"
#include "storage/snapshots/graph_snapshot.h"

/*
 * Find the snapshot of the graph that params[0] names; the caller unreferences
 * *out. APSP_ENOGRAPH: there is no such graph. APSP_EROW: the graph is stored,
 * but cannot be read.
 */
int apsp_reading_snapshot(struct apsp_request *req,
	const struct apsp_graph_snapshot **out, struct apsp_err *err);

/*
 * Add the job that makes the missing tables to the error reply (problem), so
 * that the client can wait for the job or see that it has failed. `job` is from
 * apsp_graph_snapshot_tables() or apsp_graph_snapshot_serves(); 0: no job.
 */
void apsp_reading_name_job(struct apsp_request *req,
	const struct apsp_graph_snapshot *snapshot, uint64_t job);

/*
 * Check that the upload (generation) has the revision `asked`. APSP_EREVISION:
 * the upload has another revision. The error reply (problem) then has `asked`
 * and the upload's revision. If another upload, which is pending, has the
 * revision `asked`, the reply also has the job of the pending upload.
 */
int apsp_reading_revision_check(struct apsp_request *req,
	const struct apsp_graph_snapshot *snapshot,
	const struct apsp_generation *generation, const char *asked,
	struct apsp_err *err);

/*
 * Set the header Apsp-Revision to the upload's revision. APSP_EREVISION:
 * ?revision= names another revision.
 */
int apsp_reading_revision(struct apsp_request *req,
	const struct apsp_graph_snapshot *snapshot,
	const struct apsp_generation *generation, struct apsp_err *err);

/*
 * Check whether the profile has its tables for this revision. If a job is
 * computing the tables, the request waits for the job as long as ?wait= says.
 * Returns 0 if the profile has its tables, 1 if the request now waits (the
 * handler is called again), or a negative code. Fails as
 * apsp_graph_snapshot_serves(), apsp_query_deadline() and
 * apsp_request_wait_job() do. If the tables are missing, the error reply names
 * the job that computes them, if there is one.
 */
int apsp_reading_await(struct apsp_request *req,
	const struct apsp_graph_snapshot *snapshot, const char *revision,
	const char *profile, struct apsp_err *err);

/*
 * For an answer that needs no tables: find the graph and its current upload, or
 * its pending upload if no upload has tables yet. Set the header Apsp-Revision.
 * *out_generation is the upload, borrowed from *out. Fails as
 * apsp_reading_snapshot() and apsp_reading_revision() do.
 */
int apsp_reading_shown(struct apsp_request *req,
	const struct apsp_graph_snapshot **out,
	const struct apsp_generation **out_generation, struct apsp_err *err);

/*
 * The snapshot, profile, tables and vertices from which a request about tables
 * is answered. The caller ends it with apsp_reading_done().
 */
struct apsp_reading {
	const struct apsp_graph_snapshot *snapshot; /* owned */
	const struct apsp_generation *generation;
	const struct apsp_profile_snapshot *profile;
	struct apsp_tables *tables;
	/*
	 * The name of the transform that turns weights into the lengths from
	 * which the tables were computed. Answers show this name, because it
	 * says what a distance means. NULL: the transform cannot be read.
	 */
	const char *transform;
	uint32_t from, to; /* vertices; set by apsp_reading_open_pair() */
	/* the rows that apsp_reading_rows() got, if the graph has no tables;
	   owned */
	struct apsp_row_hold *rows;
};

/*
 * Open a reading: find the graph, the upload and the profile that {graph},
 * ?revision= and ?profile= name. Fails as apsp_reading_shown() and
 * apsp_graph_snapshot_tables() do.
 */
int apsp_reading_open(struct apsp_request *req, struct apsp_reading *out,
	struct apsp_err *err);
void apsp_reading_done(struct apsp_reading *reading);

/* The names by which the body of a request identifies tables. */
struct apsp_reading_name {
	const char *graph;    /* NULL: the graph of the request's first
				 reading */
	const char *profile;  /* NULL: the profile `default` */
	const char *revision; /* NULL: any revision */
};

/*
 * Open a second reading for a request that compares tables. If both readings
 * are of one graph, they share one snapshot, and so have the same revision.
 * Fails as apsp_reading_open() does.
 */
int apsp_reading_open_other(struct apsp_request *req,
	const struct apsp_reading *first, const struct apsp_reading_name *name,
	struct apsp_reading *out, struct apsp_err *err);

/* Release the rows that the reading holds. Call this function once all
   values that the answer needs were read from the rows. */
void apsp_reading_let_go(struct apsp_reading *reading);

/*
 * Do what apsp_reading_open() does, and find the vertices that ?from= and ?to=
 * name.
 * APSP_EMALFORMED: one of the two arguments is missing. Also fails as
 * apsp_reading_open() and apsp_reading_vertex() do.
 */
int apsp_reading_open_pair(struct apsp_request *req, struct apsp_reading *out,
	struct apsp_err *err);

/*
 * If the graph has no tables, get the rows of values that tables would hold for
 * n vertices. If `vertices` is NULL, these are the vertices 0 to n - 1. The
 * rows can be read until apsp_reading_done() is called. Call this function
 * after the request's arguments have been checked, and before any part of the
 * reply is sent:
 *
 *	r = apsp_reading_rows(req, &reading, APSP_DEMAND_FROM, &v, 1, err);
 *	if (r < 0)
 *		return r;
 *
 * If some rows are not computed yet, or if the rows of other requests take too
 * much memory, this function fails with APSP_EBUSY. If the handler returns this
 * code, it is called again on the thread pool until all rows are ready. Fails
 * as apsp_request_wait_rows() and apsp_row_cache_hold() do.
 */
int apsp_reading_rows(struct apsp_request *req, struct apsp_reading *reading,
	enum apsp_demand demand, const uint32_t *vertices, size_t n,
	struct apsp_err *err);

/* Get the row that a question about reading->from and reading->to needs. No row
   is needed if these two are the same vertex, or if the components of the graph
   already show that there is no path. Fails as apsp_reading_rows() does. */
int apsp_reading_pair_row(struct apsp_request *req,
	struct apsp_reading *reading, struct apsp_err *err);

/* Get the row that shows whether there is a path from reading->from to
   reading->to. No row is needed if the components of these two vertices already
   show it. Fails as apsp_reading_rows() does. */
int apsp_reading_reachable_row(struct apsp_request *req,
	struct apsp_reading *reading, struct apsp_err *err);

/* Call this before answering a question that needs all pairs. `what` names the
   question, as the subject of a sentence. APSP_ETABLES: the graph has no
   tables. */
int apsp_reading_all_pairs(const struct apsp_reading *reading, const char *what,
	struct apsp_err *err);

/* Whether the profile has widest paths (path=widest): its pairs have a width
   and no distance. */
static inline bool apsp_reading_is_widest(const struct apsp_reading *reading)
{
	return apsp_table_has_widths(&reading->tables->header);
}

/* Whether distances are rounded sums of lengths that are not whole numbers. */
static inline bool apsp_reading_has_sums(const struct apsp_reading *reading)
{
	return reading->tables->header.distance_kind == APSP_DISTANCE_SUM;
}

/* Returns the largest number of arcs that a search may visit: max_search_arcs,
   or twice the number of the graph's arcs if this is more. */
uint64_t apsp_reading_max_arcs(
	const struct apsp_request *req, const struct apsp_reading *reading);

/*
 * Check that the profile has the kind of paths that a question needs. `what`
 * names the question, as the subject of a sentence in the plural.
 * APSP_EMALFORMED: the profile has the other kind of paths.
 */
int apsp_reading_needs(const struct apsp_reading *reading,
	enum apsp_rule_path path, const char *what, struct apsp_err *err);

/* Refuse a bound that does not fit the profile: max_distance is only for
   shortest paths, and min_width only for widest paths. APSP_EMALFORMED: one of
   the two bounds is set and the profile has the other kind of paths. */
int apsp_reading_bounds(const struct apsp_reading *reading, bool max_distance,
	bool min_width, struct apsp_err *err);

/*
 * Make an answer: an object with revision, profile, transform and the given
 * members. `members` is released. NULL: no memory, or `members` is NULL.
 */
json_t *apsp_reading_answer(
	const struct apsp_reading *reading, json_t *members);

/* Whether the rule of the reading's tables leaves the vertex out. */
static inline bool apsp_reading_leaves_out(
	const struct apsp_reading *reading, uint32_t v)
{
	return apsp_rule_choice_leaves_out(&reading->profile->choice, v);
}

/* Return the number of vertices that the rule of the reading's tables leaves
   out. */
static inline uint32_t apsp_reading_n_left_out(
	const struct apsp_reading *reading)
{
	return reading->profile->choice.n_left_out;
}

/* Return the number of vertices that the rule does not leave out. */
static inline uint32_t apsp_reading_n_present(
	const struct apsp_reading *reading)
{
	return reading->generation->n_vertices -
	       apsp_reading_n_left_out(reading);
}

/* If the rule leaves out an end of a pair, append to an open object the member
   left_out. It is a list with "from", "to" or both. */
void apsp_reading_pair_write(const struct apsp_reading *reading,
	struct apsp_json_writer *w, uint32_t from, uint32_t to);

/* Return the left-out ends of a pair as a cell of CSV: "", "from", "to" or
   "from to". */
const char *apsp_reading_pair_text(
	const struct apsp_reading *reading, uint32_t from, uint32_t to);

/* Append the members revision, profile and transform to an open object. */
void apsp_reading_head_write(
	const struct apsp_reading *reading, struct apsp_json_writer *w);

/*
 * Set the ETag of an answer that depends on the reading's tables. If
 * `on_attributes` is set, the ETag also depends on the graph's attributes.
 * Returns the result of apsp_reply_etag().
 */
int apsp_reading_etag(struct apsp_request *req,
	const struct apsp_reading *reading, bool on_attributes,
	struct apsp_err *err);

/*
 * Find a vertex by its label, and store the vertex's index in *out.
 * APSP_ENOVERTEX: the graph has no vertex with this label; the error reply then
 * suggests similar labels. If finding similar labels takes long, the request
 * first moves to the thread pool (apsp_request_move()).
 */
int apsp_reading_vertex(struct apsp_request *req,
	const struct apsp_reading *reading, const char *label, uint32_t *out,
	struct apsp_err *err);

/*
 * Load the arcs of the reading's profile, in a handler that runs on the pool:
 *
 *	r = apsp_reading_arcs(req, &reading, &shared, err);
 *	if (r != 0)
 *		return r < 0 ? r : 0;
 *
 * The handler keeps `shared` in req->state, sets it to NULL at first, and ends
 * it with apsp_adjacency_cache_close(). Returns 1 if loading is not complete:
 * the handler must return 0, and is called again. Fails as
 * apsp_adjacency_cache_open() and apsp_adjacency_cache_load() do.
 */
int apsp_reading_arcs(struct apsp_request *req,
	const struct apsp_reading *reading,
	struct apsp_shared_adjacency **shared, struct apsp_err *err);

/*
 * Make an array of the labels that are most similar to an unknown label.
 * Compares the unknown label with all labels, but stops after 30 ms. NULL: out
 * of memory.
 */
json_t *apsp_reading_suggestions(
	const struct apsp_labels *labels, const char *unknown);

/*
 * Do what apsp_reading_suggestions() does, for an unknown label of a vertex. If
 * the unknown label is the value of an attribute, the vertices with this value
 * come first. People often know a vertex by an attribute, such as a name, and
 * not by its label.
 */
json_t *apsp_reading_vertex_suggestions(
	const struct apsp_generation *generation, const char *unknown);

/* Whether it takes milliseconds to compare one text with all labels of a
   graph. */
bool apsp_reading_labels_are_many(const struct apsp_labels *labels);

#endif
