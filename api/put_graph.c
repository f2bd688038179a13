/*
 * PUT /v1/graphs/{graph}: an upload. Whatever the headers can tell is refused
 * before the body is sent; the body goes to storage piece by piece; the reply
 * waits for the writer.
 */
#include <stdio.h>
#include <string.h>

#include "api/endpoints.h"
#include "api/estimate.h"
#include "api/number.h"
#include "api/receipt.h"
#include "api/reply.h"
#include "daemon/base/auto.h"
#include "storage/content_type.h"

APSP_AUTO_DEFINE(view_end, const struct apsp_graph_view, apsp_graph_view_unref);

struct put_graph {
	struct apsp_upload *upload; /* owned until the store has it */
	struct apsp_precondition precondition;
	bool handed_over;
	struct apsp_estimate_graph graph; /* once it is complete */
	struct apsp_profile rule;
	struct apsp_receipt receipt;
};

static void put_graph_free(void *state)
{
	struct put_graph *put = state;

	if (!put)
		return;
	apsp_upload_free(put->upload);
	free(put);
}

static void put_graph_end(struct put_graph **put)
{
	put_graph_free(*put);
}

/* ?format= wins: curl -T sends no Content-Type. */
static int format_read(const struct apsp_request *req,
	enum apsp_format *out_format, struct apsp_err *err)
{
	static const char names[] = "csv|tsv|csv-matrix|mtx|gr|npy|json";
	const char *name = apsp_request_query(req, "format");
	const char *type = apsp_request_header(req, "Content-Type");
	char types[APSP_CONTENT_TYPES_SIZE];
	int format;

	if (!name && type)
		return apsp_content_type_format(type, out_format, err);
	if (!name) {
		apsp_content_types(types, sizeof(types));
		return apsp_fail(err, APSP_EMEDIATYPE,
			"no Content-Type; expected %s or ?format=%s", types,
			names);
	}
	format = apsp_format_from_name(name);
	if (format < 0)
		return apsp_fail(err, APSP_EMEDIATYPE,
			"format is '%.60s'; expected ?format=%s", name, names);
	*out_format = (enum apsp_format)format;
	return 0;
}

static int coding_read(const struct apsp_request *req,
	enum apsp_coding *out_coding, struct apsp_err *err)
{
	const char *coding = apsp_request_header(req, "Content-Encoding");

	if (!coding || strcasecmp(coding, "identity") == 0)
		*out_coding = APSP_CODING_IDENTITY;
	else if (strcasecmp(coding, "gzip") == 0 ||
		 strcasecmp(coding, "x-gzip") == 0)
		*out_coding = APSP_CODING_GZIP;
	else if (strcasecmp(coding, "zstd") == 0)
		*out_coding = APSP_CODING_ZSTD;
	else
		return apsp_fail(err, APSP_EMEDIATYPE,
			"the Content-Encoding is '%s'; expected identity, gzip"
			" or zstd",
			coding);
	return 0;
}

static int nonedge_read(const struct apsp_request *req,
	struct apsp_upload_options *options, struct apsp_err *err)
{
	enum apsp_format format = options->format;
	int r;

	r = apsp_request_query_number(
		req, "nonedge", &options->has_nonedge, &options->nonedge, err);
	if (r < 0)
		return r;
	if (options->has_nonedge && format != APSP_FORMAT_CSV_MATRIX &&
		format != APSP_FORMAT_NPY && format != APSP_FORMAT_MTX)
		return apsp_fail(err, APSP_EMALFORMED,
			"nonedge says which cell of a dense matrix is no arc;"
			" format %s has none",
			apsp_format_name(format));
	return 0;
}

static int options_read(struct apsp_request *req,
	struct apsp_upload_options *out, struct apsp_err *err)
{
	static const char *const names[] = {"format", "nonedge", "transform",
		"duplicates", "invalid", "precision", "min_weight", "algorithm",
		NULL};
	const struct apsp_server_config *config = apsp_request_config(req);
	int r;

	r = apsp_request_query_only(req, names, err);
	if (r < 0)
		return r;
	r = format_read(req, &out->format, err);
	if (r < 0)
		return r;
	r = coding_read(req, &out->coding, err);
	if (r < 0)
		return r;
	r = nonedge_read(req, out, err);
	if (r < 0)
		return r;
	r = apsp_request_profile(req, &out->profile, err);
	if (r < 0)
		return r;
	out->max_bytes = config->limits.max_inflated_bytes;
	out->max_arcs = config->limits.max_arcs;
	return 0;
}

/* Whether the graph as it is and the queue let an upload in. */
static int admission_check(
	struct apsp_request *req, struct put_graph *put, struct apsp_err *err)
{
	struct apsp_store *store = apsp_request_store(req);
	int r;

	r = apsp_request_precondition(req, &put->precondition, err);
	if (r < 0)
		return r;
	r = apsp_graphs_precondition(
		store, req->params[0], &put->precondition, err);
	if (r < 0)
		return r;
	return apsp_graphs_admit(store, err);
}

int apsp_api_put_graph_begin(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(put_graph_end) struct put_graph *put = NULL;
	struct apsp_upload_options options = {0};
	int r;

	if (!apsp_name_valid(req->params[0]))
		return apsp_fail(err, APSP_EMALFORMED,
			"'%s' cannot name a graph: 1 to 128 of A-Z a-z 0-9 . _"
			" ~ -, not starting with a dot",
			req->params[0]);
	r = options_read(req, &options, err);
	if (r < 0)
		return r;
	put = calloc(1, sizeof(*put));
	if (!put)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	r = admission_check(req, put, err);
	if (r < 0)
		return r;
	r = apsp_upload_open(apsp_store_spool_dir(apsp_request_store(req)),
		&options, &put->upload, err);
	if (r < 0)
		return r;
	req->state = APSP_TAKE(put);
	req->state_free = put_graph_free;
	return 0;
}

int apsp_api_put_graph_body(struct apsp_request *req, const char *data,
	size_t size, struct apsp_err *err)
{
	struct put_graph *put = req->state;

	return apsp_upload_write(put->upload, data, size, err);
}

/*
 * Whether the newest upload is this very one under the same rule: its tables
 * may be there.
 */
static bool same_again(
	struct apsp_request *req, const struct apsp_upload *upload)
{
	APSP_AUTO(view_end) const struct apsp_graph_view *view = NULL;
	char text[APSP_PROFILE_TEXT_SIZE], old[APSP_PROFILE_TEXT_SIZE] = "";
	const struct apsp_profile_view *before;
	const struct apsp_generation *newest;

	if (apsp_request_view(req, &view, NULL) < 0)
		return false;
	newest = apsp_graph_view_newest(view);
	before = apsp_generation_profile(newest, "default");
	if (before)
		apsp_profile_format(&before->rule, old);
	apsp_profile_format(apsp_upload_profile(upload), text);
	return strcmp(text, old) == 0 &&
	       strcmp(newest->revision, apsp_upload_revision(upload)) == 0;
}

int apsp_api_put_graph(struct apsp_request *req, struct apsp_err *err)
{
	struct put_graph *put = req->state;
	struct apsp_receipt *receipt = &put->receipt;
	int r;

	if (put->handed_over) {
		r = apsp_request_result(req, err);
		if (r == APSP_ENOSPACE)
			apsp_estimate_tell(req, &put->graph, &put->rule);
		return r < 0 ? r : apsp_receipt_reply(req, receipt, err);
	}
	r = apsp_upload_end(put->upload, err);
	if (r < 0)
		return r;
	/* the upload is gone when the reply is written */
	receipt->graph = req->params[0];
	receipt->profile = "default";
	snprintf(receipt->revision, sizeof(receipt->revision), "%s",
		apsp_upload_revision(put->upload));
	receipt->n_vertices =
		apsp_labels_count(apsp_upload_labels(put->upload));
	receipt->n_arcs = apsp_upload_n_arcs(put->upload);

	put->rule = *apsp_upload_profile(put->upload);
	put->graph = (struct apsp_estimate_graph){receipt->n_vertices,
		receipt->n_arcs, apsp_upload_weights(put->upload)};
	if (!same_again(req, put->upload) &&
		apsp_estimate_refuses(req, &put->graph, &put->rule, err))
		return 0;
	r = apsp_request_suspend(req, err);
	if (r < 0)
		return r;
	put->handed_over = true;
	apsp_graphs_put(apsp_request_store(req), req->params[0],
		APSP_TAKE(put->upload), &put->precondition, &receipt->result,
		apsp_request_done(req));
	return 0;
}
