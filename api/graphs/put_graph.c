/*
 * PUT /v1/graphs/{graph}: an upload, or a graph that is made from a stored
 * graph (derived_graph.h). A request whose headers or query are wrong is
 * refused before its body is sent. The body is gathered into pieces; the pool
 * decompresses and parses them. The reply waits for the store's writer.
 */
#include <stdlib.h>
#include <string.h>

#include "api/cache_json.h"
#include "api/command.h"
#include "api/encode/json.h"
#include "api/graphs/derived_graph.h"
#include "api/graphs/estimate.h"
#include "api/graphs/graph_json.h"
#include "api/graphs/put_reply.h"
#include "api/graphs/profile_input.h"
#include "api/graphs/upload_input.h"
#include "api/handlers.h"
#include "api/http/guard.h"
#include "api/http/query.h"
#include "api/reading.h"
#include "api/upload_body.h"
#include "daemon/base/auto.h"
#include "daemon/base/fixed_text.h"
#include "daemon/job/profile_text.h"
#include "storage/graph_put.h"
#include "storage/jobs/cache_limit.h"
#include "storage/upload_change.h"

struct put_graph {
	struct apsp_upload_body body;
	struct apsp_upload *upload; /* owned until it is passed to the store */
	bool is_derived;	    /* the graph is made from a stored graph */
	struct apsp_derived_graph derived;
	/* the comparison with the upload that is replaced; owned */
	struct apsp_upload_change *change;
	bool compared; /* change_begin() was called; it is called only once */
	bool replaces; /* the graph existed before this upload; `earlier` and
			  `counts` are set */
	char earlier[APSP_HASH_SIZE]; /* revision of the replaced upload */
	struct apsp_upload_change_counts counts;
	bool storing;
	struct apsp_precondition wanted;
	struct apsp_store *store;
	unsigned int n_reserved; /* number of places reserved in the job queue;
				    released when the request ends */
	bool is_counted; /* if the upload is a bundle: n_reserved counts the
			    bundle's profiles */
	struct apsp_put_reply reply; /* set when the body is complete */
};

static void places_release(struct put_graph *put)
{
	if (put->n_reserved)
		apsp_job_queue_release(put->store, put->n_reserved);
	put->n_reserved = 0;
}

static void put_graph_free(void *state)
{
	struct put_graph *put = state;

	if (!put)
		return;
	places_release(put);
	apsp_upload_change_free(put->change);
	apsp_derivation_free(put->derived.work);
	apsp_upload_free(put->upload);
	apsp_put_reply_done(&put->reply);
	apsp_upload_body_done(&put->body);
	free(put);
}

APSP_AUTO_DEFINE(put_graph_end, struct put_graph, put_graph_free);

/*
 * Return the number of places in the job queue that an upload needs: one for
 * each profile of the graph and, if the upload is a bundle, one for each other
 * profile of the bundle. A profile whose job is still queued needs no place,
 * because the upload replaces this job. `bundled` is NULL if the upload is not
 * a bundle, or if its profiles are not known yet.
 */
static unsigned int places_needed(
	struct apsp_request *req, const struct apsp_bundled *bundled)
{
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;
	const struct apsp_generation *newest = NULL;
	unsigned int n = 0;

	if (apsp_reading_snapshot(req, &snapshot, NULL) == 0)
		newest = apsp_graph_snapshot_newest(snapshot);
	for (size_t i = 0; newest && i < newest->n_profiles; i++)
		n += newest->profiles[i].job_state != APSP_JOB_QUEUED;
	for (size_t i = 0; bundled && i < bundled->n_profiles; i++)
		n += !newest || !apsp_generation_profile(
					newest, bundled->profiles[i].name);
	return n > 0 ? n : 1;
}

/* Reserve places in the queue in place of those that are reserved now. If this
   fails, no place is reserved. */
static int places_reserve(
	struct put_graph *put, unsigned int n, struct apsp_err *err)
{
	int r;

	places_release(put);
	r = apsp_job_queue_reserve(put->store, n, err);
	if (r == 0)
		put->n_reserved = n;
	return r;
}

/*
 * Set the limits of the body's size. Only a bundle may be larger than
 * max_upload_bytes. Memory for arcs is reserved according to body_bytes. For a
 * bundle, body_bytes stays 0, because most bytes of a bundle are tables, not
 * arcs.
 */
static int sizes_set(const struct apsp_request *req,
	struct apsp_upload_options *options, struct apsp_err *err)
{
	const struct apsp_limits *limits = &req->config->limits;
	const char *length = apsp_request_header(req, "Content-Length");
	uint64_t size = length ? strtoull(length, NULL, 10) : 0;
	bool is_bundle = !options->format_unsaid &&
			 options->format == APSP_FORMAT_BUNDLE;

	options->max_bytes = limits->max_upload_bytes;
	if (size > options->max_bytes && !is_bundle && !options->format_unsaid)
		return apsp_fail(err, APSP_ETOOLARGE,
			"the body has %llu bytes, the limit is %llu",
			(unsigned long long)size,
			(unsigned long long)options->max_bytes);
	options->limits = (struct apsp_inflate_limits){
		/* an uncompressed body may be a bundle, so allow the size of a
		   bundle. If it is no bundle, the lower limit
		   options->max_bytes applies */
		.max_bytes = options->coding == APSP_CODING_IDENTITY
				     ? limits->max_bundle_bytes
				     : limits->max_inflated_bytes,
		.max_ratio = limits->max_ratio,
		.free_bytes = limits->ratio_free_bytes};
	if (!is_bundle && size <= options->max_bytes)
		options->body_bytes = size;
	return 0;
}

/*
 * Refuse an upload if its precondition does not hold, if it needs consent to
 * change the rule of `default`, or if the queue is full. Otherwise reserve the
 * upload's places in the queue until the request ends.
 */
static int admission_check(struct apsp_request *req,
	const struct apsp_upload_options *options, struct put_graph *put,
	struct apsp_err *err)
{
	struct apsp_store *store = req->config->store;
	int r;

	r = apsp_command_condition(req, APSP_SUBJECT_GRAPH, &put->wanted, err);
	if (r < 0)
		return r;
	/* ?revision= names an upload of the stored graph (?of=), so it is no
	   condition on the graph that this request changes */
	put->wanted.revision = NULL;
	r = apsp_graphs_precondition(store, req->params[0], &put->wanted, err);
	if (r == 0)
		r = apsp_rule_consent_read(req, &put->wanted, err);
	if (r == 0 && !options->transform_unsaid)
		r = apsp_rule_consent_check(
			req, &options->profile, &put->wanted, err);
	if (r < 0)
		return r;
	put->store = store;
	return places_reserve(put, places_needed(req, NULL), err);
}

/* If the beginning of the body has shown that the upload is a bundle, reserve
   the places of the bundle's profiles, once. So a bundle is not refused for a
   full queue after its tables have been sent. */
static int bundle_reserve(
	struct apsp_request *req, struct put_graph *put, struct apsp_err *err)
{
	const struct apsp_bundled *bundled = put->upload->result.bundled;

	if (put->is_counted || !bundled->is_bundle)
		return 0;
	put->is_counted = true;
	return places_reserve(put, places_needed(req, bundled), err);
}

/* Whether an upload is a bundle, and each of its table files alone would fit
   the empty cache. */
static bool deletions_help(
	const struct apsp_request *req, const struct apsp_bundled *bundled)
{
	const uint64_t limit = apsp_cache_limit_bytes(req->config->store);

	for (size_t i = 0; i < bundled->n_profiles; i++)
		if (bundled->profiles[i].tables_size > limit)
			return false;
	return bundled->is_bundle;
}

static int body_parse(struct apsp_request *req, const char **at, size_t *left,
	struct apsp_err *err)
{
	struct put_graph *put = req->state;
	int r = put->is_derived
			? apsp_derived_graph_step(req, &put->derived, err)
			: apsp_upload_step(put->upload, at, left, err);

	if (r >= 0 && !put->is_derived) {
		int reserved = bundle_reserve(req, put, err);

		r = reserved < 0 ? reserved : r;
	}
	if (r == APSP_ETRANSFORM)
		apsp_upload_input_suggest(req);
	if (r == APSP_ENOSPACE && !put->is_derived &&
		deletions_help(req, put->upload->result.bundled))
		apsp_request_extra(
			req, json_pack("{s:o*}", "deletable",
				     apsp_cache_json_deletable(req)));
	if (r < 0) {
		/*
		 * free the upload now, because the rest of the body may arrive
		 * slowly
		 */
		apsp_derivation_free(APSP_TAKE(put->derived.work));
		apsp_upload_free(APSP_TAKE(put->upload));
	}
	return r;
}

static int body_end(struct apsp_request *req, struct apsp_err *err)
{
	struct put_graph *put = req->state;
	int r;

	if (put->is_derived) {
		put->upload = APSP_TAKE(put->derived.work->upload);
		return 0;
	}
	r = apsp_upload_end(put->upload, err);
	if (r == APSP_ETRANSFORM)
		apsp_upload_input_suggest(req);
	return r;
}

int apsp_api_put_graph_begin(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(put_graph_end) struct put_graph *put = NULL;
	const struct apsp_limits *limits = &req->config->limits;
	const struct apsp_store_parts *parts =
		apsp_store_parts(req->config->store);
	struct apsp_upload_options options = {0};
	char name[APSP_NAME_SIZE];
	uint64_t wait_s;
	bool is_derived;
	int r;

	r = apsp_name_set(name, "graph", req->params[0], err);
	if (r >= 0)
		r = apsp_query_wait(req, &wait_s, err);
	if (r >= 0)
		r = apsp_derived_graph_wanted(req, &is_derived, &options, err);
	if (r >= 0)
		r = apsp_upload_input_read(req, &options, err);
	if (r == APSP_ETRANSFORM)
		apsp_upload_input_suggest(req);
	if (r >= 0)
		r = sizes_set(req, &options, err);
	if (r < 0)
		return r;
	put = calloc(1, sizeof(*put));
	if (!put)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	put->body.parse = body_parse;
	put->body.end = body_end;
	r = admission_check(req, &options, put, err);
	if (r < 0)
		return r;
	/* the directory for a bundle's table files, and whether the client is
	   allowed to send such files */
	options.received = (struct apsp_received_place){
		.dir = parts->received_dir,
		.room = apsp_cache_limit_room,
		.store = req->config->store,
		.limit_bytes = apsp_cache_limit_bytes(req->config->store),
		.forbidden = !apsp_guard_is_admin(req)};
	options.max_arcs = limits->max_arcs;
	options.cpu_ms = limits->upload_cpu_ms;
	options.cpu_rate = limits->upload_cpu_rate;
	options.budget = parts->uploads;
	options.holder = apsp_request_holder(req);
	put->is_derived = is_derived;
	put->derived.options = options;
	if (!is_derived)
		r = apsp_upload_open(
			parts->spool_dir, &options, &put->upload, err);
	if (r == APSP_ETRANSFORM)
		apsp_upload_input_suggest(req);
	if (r < 0)
		return r;
	req->state = APSP_TAKE(put);
	req->state_free = put_graph_free;
	return 0;
}

int apsp_api_put_graph_body(struct apsp_request *req, const char *data,
	size_t size, struct apsp_err *err)
{
	const struct put_graph *put = req->state;

	if (put->is_derived && size > 0)
		return apsp_fail(err, APSP_EMALFORMED,
			"the body is not empty, but of= makes the graph from a "
			"stored graph; send no body");
	return apsp_upload_body_add(req, data, size, err);
}

/*
 * Whether the graph's newest upload has the same revision and rule as this
 * upload. If so, tables of this upload may already exist.
 */
static bool is_known(struct apsp_request *req, const struct apsp_upload *upload)
{
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;

	return apsp_reading_snapshot(req, &snapshot, NULL) == 0 &&
	       apsp_graph_put_same(snapshot, upload);
}

static int change_step(struct apsp_request *req, struct apsp_err *err)
{
	struct put_graph *put = req->state;

	(void)err;
	if (apsp_upload_change_step(put->change, &put->counts))
		return 1;
	apsp_upload_change_free(put->change);
	put->change = NULL;
	return 0;
}

/*
 * After the body was parsed, begin to compare the upload with the upload that
 * it replaces. Returns true if the pool compares them: then the handler must
 * return 0, and is called again after the comparison.
 */
static bool change_begin(struct apsp_request *req)
{
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;
	struct put_graph *put = req->state;

	put->compared = true;
	if (apsp_reading_snapshot(req, &snapshot, NULL) < 0)
		return false;
	put->replaces = true;
	memcpy(put->earlier, apsp_graph_snapshot_shown(snapshot)->revision,
		sizeof(put->earlier));
	put->change = apsp_upload_change_new(
		req->config->store, snapshot, put->upload, &put->counts);
	if (!put->change)
		return false;
	apsp_request_work(req, change_step);
	return true;
}

/* Returns `n` as JSON, or JSON null if it is not known. */
static json_t *count_json(bool known, uint64_t n)
{
	return known ? json_integer((json_int_t)n) : json_null();
}

/* Return a list of a bundle's table files. An item says how a job checks the
   file (enum apsp_prove), or why the tables are computed again. Returns JSON
   null if the upload is not a bundle. */
static json_t *tables_json(const struct apsp_bundled *bundled)
{
	json_t *out;

	if (!bundled->is_bundle)
		return json_null();
	out = json_array();
	for (size_t i = 0; i < bundled->n_profiles; i++) {
		const struct apsp_bundled_profile *profile =
			&bundled->profiles[i];
		const struct apsp_received_table *table = profile->received;

		if (table)
			json_array_append_new(out,
				json_pack("{s:o, s:s, s:I, s:s?, s:s?, s:n}",
					"member",
					json_sprintf("tables/%s.apsp",
						profile->hash),
					"profile", profile->name, "bytes",
					(json_int_t)table->size, "prove",
					table->reason
						? NULL
						: apsp_prove_names
							  [bundled->prove],
					"recompute", table->reason, "kept"));
	}
	return out;
}

/*
 * Make the receipt of an upload (put_reply.h): an object with the format, the
 * columns, the numbers of rows, of merged arcs and of self-loops, and a list of
 * warnings (sentences). If the format numbers vertices, the receipt also has
 * the first vertex's number. NULL: no memory.
 */
static json_t *receipt_new(const struct apsp_upload *upload)
{
	const struct apsp_upload_result *result = &upload->result;
	const struct apsp_findings *found = result->findings;
	json_t *columns = json_null(), *warnings = json_array();
	char texts[APSP_WARNINGS_MAX][APSP_WARNING_SIZE];
	size_t n = apsp_findings_warnings(found, texts);

	if (*found->columns[APSP_ROLE_FROM])
		columns = json_pack("{s:o, s:o, s:o}", "from",
			apsp_json_text(found->columns[APSP_ROLE_FROM]), "to",
			apsp_json_text(found->columns[APSP_ROLE_TO]), "weight",
			apsp_json_text(found->columns[APSP_ROLE_WEIGHT]));
	for (size_t i = 0; i < n; i++)
		json_array_append_new(warnings, json_string(texts[i]));
	return json_pack(
		"{s:s, s:o, s:b, s:I, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:n}",
		"format", apsp_formats[result->format].name, "columns", columns,
		"rows_counted", (int)found->rows_counted, "rows",
		(json_int_t)found->n_rows, "merged",
		count_json(found->merged_known, found->n_merged),
		"distinct_arcs",
		count_json(
			found->merged_known, result->n_arcs - found->n_merged),
		"loops", (json_int_t)found->n_loops, "index_base",
		count_json(found->has_index_base, found->index_base),
		"warnings", warnings, "tables", tables_json(result->bundled),
		"derived_from", apsp_origin_json(result->origin), "derived");
}

/* Complete the receipt of an upload (put_reply.h): add the members that are not
   about the uploaded file. Returns -1 if there is no memory. */
static int receipt_complete(struct apsp_request *req, struct put_graph *put)
{
	struct apsp_put_reply *reply = &put->reply;
	const struct apsp_upload_change_counts *counts = &put->counts;
	json_t *receipt = reply->receipt, *changes = json_null();

	if (put->replaces)
		changes = json_pack("{s:s, s:o, s:o, s:o}", "revision",
			put->earlier, "arcs_gained",
			count_json(counts->known, counts->n_gained),
			"arcs_lost", count_json(counts->known, counts->n_lost),
			"arcs_changed",
			count_json(counts->known, counts->n_changed));
	if (json_object_set_new(receipt, "changes", changes) < 0)
		return -1;
	if (put->is_derived) {
		const struct apsp_derivation *work = put->derived.work;

		/* numbers of arcs and vertices of the stored graph that the new
		   graph uses or leaves out */
		if (json_object_set_new(receipt, "derived",
			    json_pack("{s:I, s:I, s:I}", "arcs_used",
				    (json_int_t)work->n_arcs_used,
				    "vertices_left_out",
				    (json_int_t)work->n_left_out,
				    "arcs_left_out",
				    (json_int_t)work->n_arcs_left_out)) < 0)
			return -1;
	}
	return json_object_set_new(receipt, "estimate",
		apsp_estimate_brief(req, &reply->facts, &reply->rule));
}

/*
 * Check the rules of all profiles of a bundle except `default`. If the tables
 * of one of these rules cannot be made, this function sends a refusal and
 * returns 1. Also fails as apsp_profile_input_algorithm() does.
 */
static int bundled_check(struct apsp_request *req,
	const struct apsp_upload_result *result,
	const struct apsp_estimate_graph *facts, struct apsp_err *err)
{
	const struct apsp_bundled *bundled = result->bundled;
	int r = 0;

	for (size_t i = 0; i < bundled->n_profiles && r == 0; i++) {
		r = apsp_profile_input_algorithm(
			req, &bundled->profiles[i].rule, err);
		if (r == 0)
			r = apsp_estimate_refuses(
				req, facts, &bundled->profiles[i].rule, err);
	}
	return r;
}

/*
 * After the body was parsed, store the upload, or refuse it if its tables
 * cannot be made.
 */
static int store(struct apsp_request *req, struct apsp_err *err)
{
	struct put_graph *put = req->state;
	const struct apsp_upload_result *result = &put->upload->result;
	struct apsp_put_reply *reply = &put->reply;
	int r;

	/*
	 * copy these facts for the reply, because the store frees the upload
	 * before the reply is written
	 */
	reply->graph = req->params[0];
	reply->profile = "default";
	if (!apsp_fixed_text_set(
		    reply->revision, sizeof(reply->revision), result->revision))
		return apsp_fail(err, APSP_EBUG, "a revision is too long");
	strcpy(req->change.after, reply->revision);
	reply->facts = (struct apsp_estimate_graph){
		result->labels->count, result->n_arcs, result->weights};
	reply->rule = result->profile;
	/*
	 * check the algorithm again, because the weights may have decided the
	 * transform
	 */
	r = apsp_profile_input_algorithm(req, &reply->rule, err);
	if (r < 0)
		return r;
	apsp_profile_format(&reply->rule, req->change.rules->after);
	reply->receipt = receipt_new(put->upload);
	if (!reply->receipt || receipt_complete(req, put) < 0)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	if (!is_known(req, put->upload) &&
		apsp_estimate_refuses(req, &reply->facts, &reply->rule, err))
		return 0;
	r = bundled_check(req, result, &reply->facts, err);
	if (r != 0)
		return r < 0 ? r : 0;
	r = apsp_request_suspend(req, true, err);
	if (r < 0)
		return r;
	put->storing = true;
	apsp_graph_put(req->config->store, req->params[0],
		APSP_TAKE(put->upload), &put->wanted, put->n_reserved,
		&reply->result, apsp_command_done(req));
	return 0;
}

int apsp_api_put_graph(struct apsp_request *req, struct apsp_err *err)
{
	struct put_graph *put = req->state;
	struct apsp_err why;
	int r;

	if (apsp_upload_body_end(req))
		return 0;
	if (put->storing) {
		places_release(put);
		r = apsp_put_reply_send(req, &put->reply, err);
		if (r != APSP_ECANCELLED)
			return r;
		why = *err;
		return apsp_fail(err, APSP_EBUSY, "%s; ask again", why.message);
	}
	r = apsp_request_result(req, err);
	if (r < 0)
		return r;
	if (!put->compared && change_begin(req))
		return 0;
	return store(req, err);
}
