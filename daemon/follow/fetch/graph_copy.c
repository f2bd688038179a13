/*
 * Copies one graph; see graph_copy.h.
 */
#include "daemon/follow/fetch/graph_copy.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "daemon/follow/fetch/local.h"

enum {
	ALIVE_MS = 60000, /* milliseconds between two lines "alive" on stdout */
};

/* Two formats for printf(). `bundle` is the target of the GET from the writer;
   its arguments are the name of the graph and the revision of the writer's
   upload. `put` is the target of the PUT to our daemon; its argument is the
   name of the graph. */
struct bundle_form {
	const char *bundle;
	const char *put;
};

static const struct bundle_form with_tables = {
	"/v1/graphs/%s/bundle?revision=%s",
	"/v1/graphs/%s?default_rule=replace"};
/* the form for a graph whose tables our daemon already has, or must compute */
static const struct bundle_form without_tables = {
	"/v1/graphs/%s/bundle?revision=%s&tables=none",
	"/v1/graphs/%s?tables=recompute&default_rule=replace"};

/* The transfer of a bundle from the writer to our daemon. */
struct copy {
	const struct apsp_listed_graph *graph;
	const struct bundle_form *form;
	struct apsp_local_request request;
	int64_t alive_ms; /* time of the last line "alive" or, if there is none,
			     of the transfer's begin */
	int r;
	struct apsp_err err;
};

APSP_AUTO_DEFINE(json_end, json_t, json_decref);

static void copy_done(struct copy *copy)
{
	apsp_close(&copy->request.fd);
}

static bool copy_begin(void *ctx, uint64_t size)
{
	struct copy *copy = ctx;
	char target[APSP_LOCAL_TARGET_SIZE];

	copy->alive_ms = apsp_clock_ms();
	snprintf(target, sizeof(target), copy->form->put, copy->graph->name);
	copy->r = apsp_local_begin(
		"PUT", target, size, &copy->request, &copy->err);
	return copy->r == 0;
}

static bool copy_bytes(void *ctx, const char *data, size_t size)
{
	struct copy *copy = ctx;
	int64_t now_ms = apsp_clock_ms();

	if (now_ms - copy->alive_ms >= ALIVE_MS) {
		copy->alive_ms = now_ms;
		puts("alive");
		if (fflush(stdout) != 0)
			return false; /* the daemon has ended */
	}
	return apsp_local_send(&copy->request, data, size);
}

/* Describe in *err an answer of our daemon whose status is not a success.
   Returns APSP_EDATA. */
static int refused(const char *what, const struct apsp_local_answer *answer,
	struct apsp_err *err)
{
	char detail[APSP_MESSAGE_SIZE];

	apsp_detail_write(answer->body, answer->body_size, detail);
	return apsp_fail(err, APSP_EDATA, "our daemon refuses %s (%d)%s", what,
		answer->status, detail);
}

/* Return the text of a member, or "" if the member is not a text. */
static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

/* Copy the id of the job in an answer to `out`. If the answer has no job, `out`
   becomes "". */
static void job_get(const json_t *answer, char out[24])
{
	snprintf(out, 24, "%s", text_of(answer, "job"));
}

/* Whether jobs will change the upload from which our daemon answers, or the
   rule by which a profile answers. */
static bool is_changing(const json_t *ours)
{
	const json_t *profile;
	size_t i;

	json_array_foreach(json_object_get(ours, "profiles"), i, profile)
	{
		if (apsp_state_is_coming(text_of(profile, "state")))
			return true;
	}
	return json_is_object(json_object_get(ours, "pending"));
}

/*
 * Write to `out` the ETags of the bundles that need not be fetched: our
 * daemon's bundle, and the bundle that was copied last (`tag`). While jobs will
 * change our daemon's bundle, its ETag is left out, so that the writer sends
 * its bundle: only the upload of a bundle ends these jobs. If our daemon does
 * not have the graph or cannot read its rows, `ours` is NULL, and both ETags
 * are left out.
 */
static int known_write(const char *target, const json_t *ours, const char *tag,
	char out[2 * APSP_WRITER_TAG_SIZE + 4], struct apsp_err *err)
{
	APSP_AUTO(apsp_local_answer_done) struct apsp_local_answer answer = {0};
	int r = 0;

	if (!ours)
		tag = "";
	else if (!is_changing(ours))
		r = apsp_local_ask("HEAD", target, &answer, err);
	if (r < 0)
		return r;
	snprintf(out, 2 * APSP_WRITER_TAG_SIZE + 4, "%s%s%s", answer.etag,
		answer.etag[0] && *tag ? ", " : "", tag);
	return 0;
}

/* Return the profile with this name, or NULL. */
static const struct apsp_listed_profile *profile_find(
	const struct apsp_listed_graph *graph, const char *name)
{
	for (size_t i = 0; i < graph->n_profiles; i++)
		if (strcmp(graph->profiles[i].name, name) == 0)
			return &graph->profiles[i];
	return NULL;
}

/* Read our daemon's graph. *out stays NULL if our daemon does not have the
   graph (404) or cannot read its rows (409); the bundle then makes or replaces
   the graph. */
static int local_graph(const char *name, json_t **out, struct apsp_err *err)
{
	APSP_AUTO(apsp_local_answer_done) struct apsp_local_answer answer = {0};
	char target[APSP_LOCAL_TARGET_SIZE];
	int r;

	snprintf(target, sizeof(target), "/v1/graphs/%s", name);
	r = apsp_local_ask("GET", target, &answer, err);
	if (r < 0 || answer.status == 404 || answer.status == 409)
		return r;
	if (answer.status != 200)
		return refused("to show it", &answer, err);
	*out = json_loadb(answer.body, answer.body_size, 0, NULL);
	return *out ? 0 : apsp_fail(err, APSP_ENOMEM, "no memory for a graph");
}

/* Whether our daemon's graph has a profile with this name. */
static bool has_profile(const json_t *ours, const char *name)
{
	const json_t *profile;
	size_t i;

	json_array_foreach(json_object_get(ours, "profiles"), i, profile)
	{
		if (strcmp(text_of(profile, "name"), name) == 0)
			return true;
	}
	return false;
}

/* Choose the form of the bundle. If our daemon has the writer's upload and all
   of its profiles, tables need not be fetched: only attributes, rules or units
   can have changed. Tables that our daemon has refused are not fetched either.
   If our daemon does not have the graph, `ours` is NULL. */
static const struct bundle_form *form_choose(
	const struct apsp_listed_graph *graph, const json_t *ours,
	const struct apsp_copied *copied)
{
	if (strcmp(copied->refused, graph->revision) == 0)
		return &without_tables;
	if (strcmp(text_of(ours, "revision"), graph->revision) != 0)
		return &with_tables;
	for (size_t i = 0; i < graph->n_profiles; i++)
		if (!has_profile(ours, graph->profiles[i].name))
			return &with_tables;
	return &without_tables;
}

static int delete (const char *what, const char *target, struct apsp_err *err)
{
	APSP_AUTO(apsp_local_answer_done) struct apsp_local_answer answer = {0};
	int r = apsp_local_ask("DELETE", target, &answer, err);

	if (r == 0 && answer.status != 204 && answer.status != 404)
		r = refused(what, &answer, err);
	return r;
}

/* Delete the attributes of our daemon's graph. The graph then differs from the
   bundle that was copied last, so forget that bundle's ETag. */
static int attributes_delete(
	const char *name, struct apsp_copied *copied, struct apsp_err *err)
{
	char target[APSP_LOCAL_TARGET_SIZE];

	copied->tag[0] = '\0';
	snprintf(target, sizeof(target), "/v1/graphs/%s/attributes", name);
	return delete ("to delete attributes", target, err);
}

/* Fetch the bundle and send it to our daemon. APSP_ETOOLARGE: our daemon has
   refused the bundle because of the graph's attributes, which are deleted now.
   Otherwise fails as apsp_graph_copy() does. */
static int bundle_copy(struct apsp_writer *writer,
	const struct apsp_listed_graph *graph, const json_t *ours,
	struct apsp_copied *copied, struct apsp_err *err)
{
	const struct bundle_form *form = form_choose(graph, ours, copied);
	APSP_AUTO(copy_done)
	struct copy copy = {
		.graph = graph, .form = form, .request = {.fd = -1}};
	const struct apsp_writer_sink sink = {&copy, copy_begin, copy_bytes};
	APSP_AUTO(apsp_local_answer_done) struct apsp_local_answer answer = {0};
	APSP_AUTO(json_end) json_t *receipt = NULL;
	char target[APSP_LOCAL_TARGET_SIZE];
	char known[2 * APSP_WRITER_TAG_SIZE + 4];
	char fetched[APSP_WRITER_TAG_SIZE] = "";
	bool too_large;
	int r;

	snprintf(target, sizeof(target), form->bundle, graph->name,
		graph->revision);
	r = known_write(target, ours, copied->tag, known, err);
	if (r == 0)
		r = apsp_writer_bundle(
			writer, target, known, &sink, fetched, err);
	if (copy.r < 0) {
		*err = copy.err;
		return copy.r;
	}
	/* go on if the transfer is complete, or if our daemon has ended it: its
	   answer then has the reason */
	if (r != 1 && (r != APSP_ECANCELLED || copy.request.fd < 0))
		return r;
	r = apsp_local_finish(&copy.request, &answer, err);
	/* if the cache has no room for the writer's tables, fetch this upload
	   without tables from now on: our daemon then computes the tables and,
	   if the rule has tables=auto, only those for which it has room */
	if (r == 0 && answer.status == 507 &&
		strstr(answer.body, "/problems/no-space"))
		strcpy(copied->refused, graph->revision);
	/* A bundle without attributes does not change the graph's attributes.
	   Our daemon refuses the bundle if these attributes are too large for
	   the bundle's vertices. The text that is searched for comes from
	   storage/graph_put.c. */
	too_large = r == 0 && answer.status == 413 &&
		    strstr(answer.body, "the graph keeps its attributes");
	if (too_large)
		r = attributes_delete(graph->name, copied, err);
	if (r == 0 && answer.status != 200 && answer.status != 202) {
		r = refused("the bundle", &answer, err);
		if (too_large)
			r = err->code = APSP_ETOOLARGE;
		if (answer.status == 429)
			r = err->code = APSP_EQUEUEFULL;
		return r;
	}
	if (r < 0)
		return r;
	receipt = json_loadb(answer.body, answer.body_size, 0, NULL);
	job_get(receipt, copied->job);
	/* store the ETag after our daemon has accepted the bundle */
	strcpy(copied->tag, fetched);
	return 0;
}

int apsp_graph_drop(const char *name, struct apsp_err *err)
{
	char target[APSP_LOCAL_TARGET_SIZE];

	snprintf(target, sizeof(target), "/v1/graphs/%s", name);
	return delete ("to delete it", target, err);
}

/* Remove the profiles that the writer's graph does not have. Our daemon's graph
   then differs from the bundle that was copied last, so forget that bundle's
   ETag. */
static int trim(const struct apsp_listed_graph *graph, const json_t *ours,
	struct apsp_copied *copied, struct apsp_err *err)
{
	/* look at the profiles of the newest upload (the pending upload, if
	   there is one), because the next upload keeps these profiles */
	const json_t *pending = json_object_get(ours, "pending");
	const json_t *newest = json_is_object(pending) ? pending : ours;
	char target[APSP_LOCAL_TARGET_SIZE];
	const json_t *profile;
	size_t i;
	int r = 0;

	json_array_foreach(json_object_get(newest, "profiles"), i, profile)
	{
		const char *name = text_of(profile, "name");

		if (r < 0 || profile_find(graph, name))
			continue;
		copied->tag[0] = '\0';
		snprintf(target, sizeof(target), "/v1/graphs/%s/profiles/%s",
			graph->name, name);
		r = delete ("to delete a profile", target, err);
	}
	return r;
}

int apsp_graph_copy(struct apsp_writer *writer,
	const struct apsp_listed_graph *graph, struct apsp_copied *copied,
	struct apsp_err *err)
{
	APSP_AUTO(json_end) json_t *ours = NULL;
	int r = local_graph(graph->name, &ours, err);

	/* remove profiles before the bundle is sent: an upload keeps the
	   graph's profiles, and is refused if there are too many */
	if (r == 0)
		r = trim(graph, ours, copied, err);
	if (r == 0)
		r = bundle_copy(writer, graph, ours, copied, err);
	if (r == APSP_ETOOLARGE)
		r = bundle_copy(writer, graph, ours, copied, err);
	return r;
}

/* If our daemon's job `job` had to prove the writer's tables, and the proof has
   failed, set copied->refused and fail with APSP_EPROOF. Otherwise return 0.
   Also fails as apsp_local_ask() does. */
static int proof_check(const struct apsp_listed_graph *graph, const char *job,
	struct apsp_copied *copied, struct apsp_err *err)
{
	APSP_AUTO(apsp_local_answer_done) struct apsp_local_answer answer = {0};
	APSP_AUTO(json_end) json_t *record = NULL;
	const char *state = NULL, *algorithm = NULL, *detail = NULL;
	char target[APSP_LOCAL_TARGET_SIZE];
	int r;

	if (!*job)
		return 0;
	snprintf(target, sizeof(target), "/v1/jobs/%s", job);
	r = apsp_local_ask("GET", target, &answer, err);
	if (r < 0)
		return r;
	record = json_loadb(answer.body, answer.body_size, 0, NULL);
	json_unpack(record, "{s?s, s?s, s?{s?s}}", "state", &state, "algorithm",
		&algorithm, "error", "detail", &detail);
	if (!state || strcmp(state, "failed") != 0 || !algorithm ||
		strcmp(algorithm, "prove") != 0)
		return 0;
	memcpy(copied->refused, graph->revision, sizeof(copied->refused));
	return apsp_fail(err, APSP_EPROOF,
		"the writer's tables have failed their proof and are computed "
		"here: %s",
		detail ? detail : "no reason");
}

/* Check a profile whose job has failed in our daemon. Returns 0 if the writer
   has no tables of this profile either. APSP_EDATA: the writer has these
   tables; *err has the reason why our daemon could not make them. Also fails as
   proof_check() does. */
static int failed_check(const struct apsp_listed_graph *graph,
	const json_t *profile, const char *job, struct apsp_copied *copied,
	struct apsp_err *err)
{
	const char *name = text_of(profile, "name");
	const char *detail = json_string_value(
		json_object_get(json_object_get(profile, "error"), "detail"));
	const struct apsp_listed_profile *theirs = profile_find(graph, name);
	int r = proof_check(graph, job, copied, err);

	if (r < 0 || !theirs || !theirs->is_ready)
		return r;
	return apsp_fail(err, APSP_EDATA,
		"our daemon has not made the tables of profile '%s': %s", name,
		detail ? detail : "no reason");
}

/* Check the jobs of all profiles of a graph from which our daemon answers.
   Returns the state of the copy, or a negative code. */
static int profiles_check(const struct apsp_listed_graph *graph,
	const json_t *profiles, struct apsp_copied *copied,
	struct apsp_err *err)
{
	int r = APSP_COPY_ENDED, failed = 0;
	const struct apsp_listed_profile *theirs;
	const json_t *profile;
	size_t i;

	json_array_foreach(profiles, i, profile)
	{
		char job[24];

		job_get(profile, job);
		if (strcmp(text_of(profile, "state"), "failed") == 0)
			failed = failed_check(graph, profile, job, copied, err);
		if (failed < 0)
			return failed;
		if (!apsp_state_is_coming(text_of(profile, "state")) ||
			r == APSP_COPY_DIFFERS)
			continue;
		theirs = profile_find(graph, text_of(profile, "name"));
		r = theirs && theirs->is_ready ? APSP_COPY_DIFFERS
					       : APSP_COPY_ANSWERS;
	}
	return r;
}

static int copy_check(const struct apsp_listed_graph *graph, int wait_s,
	struct apsp_copied *copied, struct apsp_err *err)
{
	APSP_AUTO(apsp_local_answer_done) struct apsp_local_answer answer = {0};
	APSP_AUTO(json_end) json_t *shown = NULL;
	char target[APSP_LOCAL_TARGET_SIZE];
	int r;

	snprintf(target, sizeof(target), "/v1/graphs/%s?revision=%s&wait=%d",
		graph->name, graph->revision, wait_s);
	r = apsp_local_ask("GET", target, &answer, err);
	if (r < 0)
		return r;
	if (answer.status == 503)
		return APSP_COPY_WAITS;
	if (answer.status != 200) {
		r = proof_check(graph, copied->job, copied, err);
		return r < 0 ? r : refused("to answer from it", &answer, err);
	}
	shown = json_loadb(answer.body, answer.body_size, 0, NULL);
	r = profiles_check(
		graph, json_object_get(shown, "profiles"), copied, err);
	if (r < 0 || graph->has_attributes ||
		json_array_size(json_object_get(shown, "attributes")) == 0)
		return r;
	/* do not delete the attributes yet: until all jobs have ended, a
	   profile may answer by an earlier rule that needs them */
	if (r != APSP_COPY_ENDED)
		return APSP_COPY_DIFFERS;
	r = attributes_delete(graph->name, copied, err);
	return r < 0 ? r : APSP_COPY_ENDED;
}

int apsp_graph_copied(const struct apsp_listed_graph *graph, int wait_s,
	struct apsp_copied *copied, struct apsp_err *err)
{
	int r = copy_check(graph, wait_s, copied, err);

	/* forget the ETag, so that the bundle is sent again and the job is
	   queued again */
	if (r < 0)
		copied->tag[0] = '\0';
	return r;
}

int apsp_graphs_local(struct apsp_graph_list *out, struct apsp_err *err)
{
	int r;

	do {
		APSP_AUTO(apsp_local_answer_done)
		struct apsp_local_answer answer = {0};
		char target[APSP_LOCAL_TARGET_SIZE];

		snprintf(target, sizeof(target), "/v1/graphs?limit=%d%s%s",
			APSP_GRAPH_LIST_PAGE, out->next[0] ? "&cursor=" : "",
			out->next);
		r = apsp_local_ask("GET", target, &answer, err);
		if (r == 0 && answer.status != 200)
			r = refused("to list graphs", &answer, err);
		if (r == 0)
			r = apsp_graph_list_add(
				out, answer.body, answer.body_size, err);
	} while (r == 0 && out->next[0]);
	return r;
}
