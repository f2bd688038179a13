/*
 * Finds the snapshot, tables and vertices for a request; see reading.h.
 */
#include "api/reading.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/encode/json.h"
#include "api/http/query.h"
#include "api/http/reply.h"
#include "api/job_json.h"
#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "daemon/base/utf8.h"
#include "storage/attributes/attributes.h"
#include "storage/rows/row_cache.h"
#include "storage/snapshots/snapshot_map.h"
#include "storage/store.h"

enum {
	N_SUGGESTIONS = 5,
	/*
	 * If the labels of a graph have more than this number of bytes in
	 * total, comparing one text with all labels takes milliseconds. Usually
	 * such a graph has at least 2,000 vertices.
	 */
	MANY_BYTES = 65536,
};

int apsp_reading_snapshot(struct apsp_request *req,
	const struct apsp_graph_snapshot **out, struct apsp_err *err)
{
	return apsp_snapshot_map_find(
		req->config->graphs, req->params[0], out, err);
}

uint64_t apsp_reading_max_arcs(
	const struct apsp_request *req, const struct apsp_reading *reading)
{
	uint64_t twice = 2 * reading->tables->header.n_arcs;
	uint64_t max = req->config->limits.max_search_arcs;

	return twice > max ? twice : max;
}

/*
 * Add the members of `more` to the request's error reply (problem), and release
 * `more`. If `job` is not 0, also add members about this job, so that the
 * client can wait for the job or see that it has failed.
 */
static void problem_add(struct apsp_request *req,
	const struct apsp_graph_snapshot *snapshot, uint64_t job, json_t *more)
{
	const struct apsp_generation *all[] = {
		snapshot->current, snapshot->pending};
	const char *state = NULL; /* NULL: no profile has this job */

	for (size_t i = 0; job && i < 2; i++)
		for (size_t k = 0; all[i] && k < all[i]->n_profiles; k++)
			if (all[i]->profiles[k].job == job)
				state = apsp_job_state_names
					[all[i]->profiles[k].job_state];
	if (job)
		json_object_update_new(
			more, apsp_job_members_json(req, job, state));
	apsp_request_extra(req, more);
}

void apsp_reading_name_job(struct apsp_request *req,
	const struct apsp_graph_snapshot *snapshot, uint64_t job)
{
	problem_add(req, snapshot, job, json_object());
}

int apsp_reading_revision_check(struct apsp_request *req,
	const struct apsp_graph_snapshot *snapshot,
	const struct apsp_generation *generation, const char *asked,
	struct apsp_err *err)
{
	int r = apsp_generation_check_revision(generation, asked, err);
	const struct apsp_generation *pending = snapshot->pending;
	const struct apsp_profile_snapshot *base = NULL;
	uint64_t job = 0;

	if (r != APSP_EREVISION)
		return r;
	/* name the job of the asked upload also if the job has failed: so a
	   client that asks soon after the upload gets the job, whether it has
	   ended meanwhile or not */
	if (pending && strcmp(pending->revision, asked) == 0)
		base = apsp_generation_profile(pending, "default");
	if (base)
		job = base->job;
	problem_add(req, snapshot, job,
		json_pack("{s:s, s:s}", "revision", generation->revision,
			"asked", asked));
	return r;
}

int apsp_reading_revision(struct apsp_request *req,
	const struct apsp_graph_snapshot *snapshot,
	const struct apsp_generation *generation, struct apsp_err *err)
{
	const char *asked = apsp_query_get(req, "revision");
	int r = 0;

	if (asked)
		r = apsp_reading_revision_check(
			req, snapshot, generation, asked, err);
	return r < 0 ? r
		     : apsp_reply_header(
			       req, "Apsp-Revision", generation->revision, err);
}

int apsp_reading_await(struct apsp_request *req,
	const struct apsp_graph_snapshot *snapshot, const char *revision,
	const char *profile, struct apsp_err *err)
{
	int64_t deadline_ns;
	uint64_t job = 0;
	struct apsp_err why;
	int r = apsp_query_deadline(req, &deadline_ns, err);

	if (r < 0)
		return r;
	r = apsp_graph_snapshot_serves(snapshot, revision, profile, &job, &why);
	if (r == 0)
		return 0;
	if (r == APSP_ENOTREADY && job && apsp_clock_ns() < deadline_ns) {
		r = apsp_request_wait_job(
			req, job, (double)NAN, deadline_ns, err);
		return r < 0 ? r : 1;
	}
	*err = why; /* do not set err before this line, because a request that
		       waits has no error */
	apsp_reading_name_job(req, snapshot, job);
	return r;
}

int apsp_reading_shown(struct apsp_request *req,
	const struct apsp_graph_snapshot **out,
	const struct apsp_generation **out_generation, struct apsp_err *err)
{
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;
	const struct apsp_generation *shown;
	int r = apsp_reading_snapshot(req, &snapshot, err);

	if (r < 0)
		return r;
	shown = apsp_graph_snapshot_shown(snapshot);
	r = apsp_reading_revision(req, snapshot, shown, err);
	if (r < 0)
		return r;
	*out_generation = shown;
	*out = APSP_TAKE(snapshot);
	return 0;
}

/* Find the tables of a profile. The caller has set reading->snapshot. On
   failure, the reading is ended. */
static int tables_find(struct apsp_request *req, const char *profile,
	struct apsp_reading *reading, struct apsp_err *err)
{
	uint64_t job = 0;
	int r = apsp_graph_snapshot_tables(reading->snapshot,
		profile ? profile : "default", &reading->generation,
		&reading->profile, &job, err);

	if (r < 0) {
		apsp_reading_name_job(req, reading->snapshot, job);
		apsp_reading_done(reading);
		return r;
	}
	reading->tables = reading->profile->tables;
	reading->transform = reading->profile->tables_transform;
	return 0;
}

int apsp_reading_open(struct apsp_request *req, struct apsp_reading *out,
	struct apsp_err *err)
{
	struct apsp_reading reading = {0};
	char number[16];
	int r;

	r = apsp_reading_shown(
		req, &reading.snapshot, &reading.generation, err);
	if (r == 0)
		r = tables_find(
			req, apsp_query_get(req, "profile"), &reading, err);
	if (r < 0)
		return r;
	*out = reading;
	if (apsp_reading_n_left_out(out) == 0)
		return 0;
	/* report the number of left-out vertices in a header, because answers
	   of all formats have headers */
	snprintf(number, sizeof(number), "%" PRIu32,
		apsp_reading_n_left_out(out));
	r = apsp_reply_header(req, "Apsp-Left-Out", number, err);
	if (r < 0)
		apsp_reading_done(out);
	return r;
}

int apsp_reading_open_other(struct apsp_request *req,
	const struct apsp_reading *first, const struct apsp_reading_name *name,
	struct apsp_reading *out, struct apsp_err *err)
{
	bool same =
		!name->graph || strcmp(name->graph, first->snapshot->name) == 0;
	struct apsp_reading reading = {0};
	int r = 0;

	if (same)
		reading.snapshot = apsp_graph_snapshot_ref(first->snapshot);
	else
		r = apsp_snapshot_map_find(req->config->graphs, name->graph,
			&reading.snapshot, err);
	if (r == 0 && name->revision)
		r = apsp_reading_revision_check(req, reading.snapshot,
			apsp_graph_snapshot_shown(reading.snapshot),
			name->revision, err);
	if (r < 0) {
		apsp_reading_done(&reading);
		return r;
	}
	r = tables_find(req, name->profile, &reading, err);
	if (r == 0)
		*out = reading;
	return r;
}

void apsp_reading_done(struct apsp_reading *reading)
{
	apsp_row_hold_close(reading->rows);
	apsp_graph_snapshot_unref(reading->snapshot);
	memset(reading, 0, sizeof(*reading));
}

int apsp_reading_needs(const struct apsp_reading *reading,
	enum apsp_rule_path path, const char *what, struct apsp_err *err)
{
	bool needs_widest = path == APSP_PATH_WIDEST;
	const char *needed = needs_widest ? "widest" : "shortest";

	if (apsp_reading_is_widest(reading) == needs_widest)
		return 0;
	return apsp_fail(err, APSP_EMALFORMED,
		"%s are about %s paths, but the profile '%s' has %s paths; ask "
		"a profile with path=%s",
		what, needed, reading->profile->name,
		needs_widest ? "shortest" : "widest", needed);
}

int apsp_reading_bounds(const struct apsp_reading *reading, bool max_distance,
	bool min_width, struct apsp_err *err)
{
	int r = 0;

	if (max_distance)
		r = apsp_reading_needs(reading, APSP_PATH_SHORTEST,
			"answers to max_distance", err);
	if (r == 0 && min_width)
		r = apsp_reading_needs(
			reading, APSP_PATH_WIDEST, "answers to min_width", err);
	return r;
}

json_t *apsp_reading_answer(const struct apsp_reading *reading, json_t *members)
{
	return apsp_json_join(json_pack("{s:s, s:s, s:s?}", "revision",
				      reading->generation->revision, "profile",
				      reading->profile->name, "transform",
				      reading->transform),
		members);
}

void apsp_reading_pair_write(const struct apsp_reading *reading,
	struct apsp_json_writer *w, uint32_t from, uint32_t to)
{
	bool out_from = apsp_reading_leaves_out(reading, from);
	bool out_to = apsp_reading_leaves_out(reading, to);

	if (!out_from && !out_to)
		return;
	apsp_json_key(w, "left_out");
	apsp_json_array(w);
	if (out_from)
		apsp_json_string(w, "from", strlen("from"));
	if (out_to)
		apsp_json_string(w, "to", strlen("to"));
	apsp_json_array_end(w);
}

const char *apsp_reading_pair_text(
	const struct apsp_reading *reading, uint32_t from, uint32_t to)
{
	static const char *const texts[2][2] = {
		{"", "to"}, {"from", "from to"}};

	return texts[apsp_reading_leaves_out(reading, from)]
		    [apsp_reading_leaves_out(reading, to)];
}

void apsp_reading_head_write(
	const struct apsp_reading *reading, struct apsp_json_writer *w)
{
	apsp_json_text_member(w, "revision", reading->generation->revision);
	apsp_json_text_member(w, "profile", reading->profile->name);
	if (reading->transform)
		apsp_json_text_member(w, "transform", reading->transform);
	else
		apsp_json_null_member(w, "transform");
}

int apsp_reading_etag(struct apsp_request *req,
	const struct apsp_reading *reading, bool on_attributes,
	struct apsp_err *err)
{
	const struct apsp_attributes *attributes =
		reading->generation->attributes;
	const char *tables = reading->tables->id;
	char id[64];

	if (!attributes || !on_attributes)
		return apsp_reply_etag(req, tables, err);
	snprintf(id, sizeof(id), "%s-%.16s", tables, attributes->sha256);
	return apsp_reply_etag(req, id, err);
}

bool apsp_reading_labels_are_many(const struct apsp_labels *labels)
{
	return labels->bytes_used > MANY_BYTES;
}

static bool is_among(const uint32_t *vertices, size_t n, uint32_t v)
{
	while (n > 0 && vertices[n - 1] != v)
		n--;
	return n > 0;
}

/*
 * Find at most N_SUGGESTIONS vertices that have `text` as the value of an
 * attribute. Returns the number of vertices in `out`. *out_column is the
 * attribute by which the first vertex was found.
 */
static size_t named_find(const struct apsp_generation *generation,
	const char *text, uint32_t out[N_SUGGESTIONS], uint32_t *out_column)
{
	const struct apsp_attributes *attributes = generation->attributes;
	uint32_t n_columns = attributes ? attributes->n_columns : 0;
	size_t n = 0;

	for (uint32_t c = 0; c < n_columns; c++) {
		int64_t value = apsp_labels_find(
			attributes->columns[c].values, text, strlen(text));

		for (uint32_t v = 0; value >= 0 && n < N_SUGGESTIONS &&
				     v < generation->n_vertices;
			v++)
			if (apsp_attributes_value(attributes, c, v) ==
					(uint32_t)value &&
				!is_among(out, n, v)) {
				*out_column = n == 0 ? c : *out_column;
				out[n++] = v;
			}
	}
	return n;
}

/* Make an array of at most N_SUGGESTIONS labels: first the labels of the n
   vertices in `found`, then the labels that are most similar to `unknown`. */
static json_t *suggest(const struct apsp_labels *labels, const char *unknown,
	uint32_t found[N_SUGGESTIONS], size_t n)
{
	uint32_t near[2 * N_SUGGESTIONS];
	size_t n_near =
		apsp_labels_suggest(labels, unknown, near, N_SUGGESTIONS);
	json_t *out = json_array();

	for (size_t i = 0; i < n_near && n < N_SUGGESTIONS; i++)
		if (!is_among(found, n, near[i]))
			found[n++] = near[i];
	for (size_t i = 0; out && i < n; i++)
		out = apsp_json_append(out,
			json_string(apsp_labels_get(labels, found[i], NULL)));
	return out;
}

json_t *apsp_reading_suggestions(
	const struct apsp_labels *labels, const char *unknown)
{
	uint32_t found[N_SUGGESTIONS];

	return suggest(labels, unknown, found, 0);
}

json_t *apsp_reading_vertex_suggestions(
	const struct apsp_generation *generation, const char *unknown)
{
	uint32_t found[N_SUGGESTIONS], column;

	return suggest(generation->labels, unknown, found,
		named_find(generation, unknown, found, &column));
}

/*
 * Report that no vertex has the label. If the label is the value of an
 * attribute, the message names the attribute and the first vertex that has it.
 */
static int label_refuse(const struct apsp_reading *reading, const char *label,
	struct apsp_err *err)
{
	const struct apsp_generation *generation = reading->generation;
	uint32_t found[N_SUGGESTIONS], column;
	size_t n = named_find(generation, label, found, &column), size;
	const char *name, *first;

	if (n == 0)
		return apsp_fail(err, APSP_ENOVERTEX,
			"'%s' is not in graph '%s'", label,
			reading->snapshot->name);
	name = generation->attributes->columns[column].name;
	first = apsp_labels_get(generation->labels, found[0], &size);
	return apsp_fail(err, APSP_ENOVERTEX,
		"'%s' is not in graph '%s'; it is the %s of '%s'%s",
		apsp_excerpt_of(label, strlen(label)).text,
		reading->snapshot->name,
		apsp_excerpt_of(name, strlen(name)).text,
		apsp_excerpt_of(first, size).text,
		n > 1 ? " and of other vertices" : "");
}

int apsp_reading_vertex(struct apsp_request *req,
	const struct apsp_reading *reading, const char *label, uint32_t *out,
	struct apsp_err *err)
{
	const struct apsp_labels *labels = reading->generation->labels;
	int64_t v = apsp_labels_find(labels, label, strlen(label));
	int r = 0;

	if (v < 0 && apsp_reading_labels_are_many(labels))
		r = apsp_request_move(req, err);
	if (r < 0)
		return r;
	if (v < 0) {
		apsp_request_extra(
			req, json_pack("{s:o*}", "suggestions",
				     apsp_reading_vertex_suggestions(
					     reading->generation, label)));
		return label_refuse(reading, label, err);
	}
	*out = (uint32_t)v;
	return 0;
}

int apsp_reading_open_pair(struct apsp_request *req, struct apsp_reading *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_reading_done) struct apsp_reading reading = {0};
	const char *from = apsp_query_get(req, "from");
	const char *to = apsp_query_get(req, "to");
	int r;

	if (!from || !to)
		return apsp_fail(err, APSP_EMALFORMED,
			"the query argument '%s' is missing; expected"
			" ?from=LABEL&to=LABEL",
			from ? "to" : "from");
	r = apsp_reading_open(req, &reading, err);
	if (r == 0)
		r = apsp_reading_vertex(
			req, &reading, from, &reading.from, err);
	if (r == 0)
		r = apsp_reading_vertex(req, &reading, to, &reading.to, err);
	if (r == 0)
		*out = APSP_TAKE(reading);
	return r;
}

int apsp_reading_arcs(struct apsp_request *req,
	const struct apsp_reading *reading,
	struct apsp_shared_adjacency **shared, struct apsp_err *err)
{
	int r = 0;

	if (!*shared)
		r = apsp_adjacency_cache_open(
			apsp_store_parts(req->config->store)->adjacencies,
			reading->tables, shared, err);
	while (r == 0 && !apsp_adjacency_cache_arcs(*shared)) {
		r = apsp_adjacency_cache_load(*shared, reading->tables, err);
		if (r > 0 && apsp_request_again(req))
			return 1;
		r = r < 0 ? r : 0;
	}
	return r;
}
