/*
 * PUT /v1/graphs/{graph}/attributes: a CSV with the columns label, type, side,
 * … replaces all attributes of the vertices. The thread pool parses the body;
 * the reply waits for the store's writer.
 */
#include <stdlib.h>

#include "api/command.h"
#include "api/encode/json.h"
#include "api/handlers.h"
#include "api/http/reply.h"
#include "api/upload_body.h"
#include "daemon/base/auto.h"
#include "storage/attributes/attribute_reader.h"
#include "storage/graphs.h"
#include "storage/snapshots/snapshot_map.h"
#include "storage/ingest/formats/content_type.h"

struct put {
	struct apsp_upload_body body;
	struct apsp_attribute_reader *reader;
	struct apsp_attribute_text text;
	bool storing;
	struct apsp_precondition wanted;
	struct apsp_attributes *stored;
};

static void put_free(void *state)
{
	struct put *put = state;

	apsp_attribute_reader_free(put->reader);
	apsp_attribute_text_done(&put->text);
	apsp_attributes_unref(put->stored);
	apsp_upload_body_done(&put->body);
	free(put);
}

/* Accept CSV, TSV and bodies of unspecified type. Refuse other formats. */
static int type_check(const struct apsp_request *req, struct apsp_err *err)
{
	const char *type = apsp_request_header(req, "Content-Type");
	enum apsp_format format;

	if (!type || strcasecmp(type, "application/octet-stream") == 0)
		return 0;
	if (apsp_content_type_format(type, &format, err) == 0 &&
		(format == APSP_FORMAT_CSV || format == APSP_FORMAT_TSV))
		return 0;
	return apsp_fail(err, APSP_EMEDIATYPE,
		"the Content-Type is '%s'; attributes are text/csv or "
		"text/tab-separated-values",
		type);
}

static int body_parse(struct apsp_request *req, const char **at, size_t *left,
	struct apsp_err *err)
{
	struct put *put = req->state;
	int r = apsp_attribute_reader_step(put->reader, at, left, err);

	if (r < 0) {
		/*
		 * free the reader now, because the rest of the body may arrive
		 * slowly
		 */
		apsp_attribute_reader_free(put->reader);
		put->reader = NULL;
	}
	return r;
}

static int body_end(struct apsp_request *req, struct apsp_err *err)
{
	struct put *put = req->state;

	return apsp_attribute_reader_finish(put->reader, &put->text, err);
}

int apsp_api_put_attributes_begin(
	struct apsp_request *req, struct apsp_err *err)
{
	struct put *put;
	struct apsp_attribute_options options = {0};
	const struct apsp_limits *limits;
	int r;

	r = type_check(req, err);
	if (r == 0)
		r = apsp_upload_body_coding(req, &options.coding, err);
	if (r < 0)
		return r;
	put = apsp_request_state(req, sizeof(*put), put_free, err);
	if (!put)
		return APSP_ENOMEM;
	put->body.parse = body_parse;
	put->body.end = body_end;
	r = apsp_command_condition(
		req, APSP_SUBJECT_ATTRIBUTES, &put->wanted, err);
	if (r == 0)
		r = apsp_command_check(req, &put->wanted, err);
	if (r < 0)
		return r;
	limits = &req->config->limits;
	options.limits = (struct apsp_inflate_limits){
		.max_bytes = APSP_ATTRIBUTE_BYTES_MAX,
		.max_ratio = limits->max_ratio,
		.free_bytes = limits->ratio_free_bytes};
	options.budget = apsp_store_parts(req->config->store)->uploads;
	options.holder = apsp_request_holder(req);
	return apsp_attribute_reader_open(&options, &put->reader, err);
}

int apsp_api_put_attributes_body(struct apsp_request *req, const char *data,
	size_t size, struct apsp_err *err)
{
	return apsp_upload_body_add(req, data, size, err);
}

static int reply(
	struct apsp_request *req, const struct put *put, struct apsp_err *err)
{
	const struct apsp_attributes *stored = put->stored;
	json_t *columns;

	if (!stored) /* the graph was replaced during this request */
		return apsp_snapshot_map_missing(req->params[0], err);
	columns = json_array();
	for (uint32_t c = 0; columns && c < stored->n_columns; c++)
		columns = apsp_json_append(columns,
			json_pack("{s:s, s:I}", "name", stored->columns[c].name,
				"values",
				(json_int_t)stored->columns[c].values->count));
	return apsp_reply_json(req, MHD_HTTP_OK,
		json_pack("{s:s, s:o, s:I, s:I}", "graph", req->params[0],
			"columns", columns, "matched",
			(json_int_t)stored->n_matched, "unknown",
			(json_int_t)stored->n_unknown),
		err);
}

int apsp_api_put_attributes(struct apsp_request *req, struct apsp_err *err)
{
	struct put *put = req->state;
	int r;

	if (apsp_upload_body_end(req))
		return 0;
	r = apsp_request_result(req, err);
	if (r < 0)
		return r;
	if (put->storing)
		return reply(req, put, err);
	r = apsp_request_suspend(req, true, err);
	if (r < 0)
		return r;
	put->storing = true;
	apsp_attributes_put(req->config->store, req->params[0], &put->text,
		&put->wanted, &put->stored, apsp_command_done(req));
	return 0;
}
