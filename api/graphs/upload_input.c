/* Options of uploads; see upload_input.h. */
#include "api/graphs/profile_input.h"
#include "api/graphs/upload_input.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "api/encode/text.h"
#include "api/http/query.h"
#include "api/upload_body.h"
#include "daemon/base/auto.h"
#include "daemon/base/fixed_text.h"
#include "storage/ingest/formats/content_type.h"

/*
 * Whether a Content-Type leaves the format of the body open, as curl's default
 * type and the types of compressed files do.
 */
static bool type_is_generic(const char *type)
{
	static const char *const generic[] = {"application/octet-stream",
		"application/x-www-form-urlencoded", "application/gzip",
		"application/x-gzip", "application/zstd", "text/plain"};
	size_t size = strcspn(type, "; \t");

	for (size_t i = 0; i < sizeof(generic) / sizeof(*generic); i++)
		if (strlen(generic[i]) == size &&
			strncasecmp(generic[i], type, size) == 0)
			return true;
	return false;
}

/*
 * Read the format. ?format= has precedence over the Content-Type, which "curl
 * -T" does not send. If the request has neither, or a Content-Type that names
 * no format (type_is_generic()), the format is guessed from the body. A page of
 * another website cannot abuse the guess: a browser sends the page's PUT only
 * if this server permits it.
 */
static int format_read(const struct apsp_request *req,
	struct apsp_upload_options *out, struct apsp_err *err)
{
	const char *name = apsp_query_get(req, "format");
	const char *type = apsp_request_header(req, "Content-Type");
	int format;

	if (!name && (!type || type_is_generic(type))) {
		out->format_unsaid = true;
		return 0;
	}
	if (!name)
		return apsp_content_type_format(type, &out->format, err);
	format = apsp_format_from_name(name);
	if (format < 0)
		return apsp_fail(err, APSP_EMEDIATYPE,
			"format is '%.60s'; expected ?format=%s", name,
			apsp_format_names);
	out->format = (enum apsp_format)format;
	return 0;
}

static int column_read(const struct apsp_request *req, const char *name,
	char out[APSP_COLUMN_SIZE], struct apsp_err *err)
{
	const char *value = apsp_query_get(req, name);

	if (!value ||
		(*value && apsp_fixed_text_set(out, APSP_COLUMN_SIZE, value)))
		return 0;
	return apsp_fail(err, APSP_EMALFORMED,
		"%s is '%.60s'; expected a name of 1 to %d bytes", name, value,
		APSP_COLUMN_SIZE - 1);
}

static int file_read(const struct apsp_request *req,
	struct apsp_file_options *out, struct apsp_err *err)
{
	const char *prove = apsp_query_get(req, "prove");
	int r = 0;

	for (int i = 0; i < APSP_N_ROLES && r == 0; i++)
		r = column_read(
			req, apsp_column_options[i], out->columns[i], err);
	if (r == 0)
		r = apsp_query_choice(req, "undirected", "false", "true",
			&out->undirected, err);
	out->directed = apsp_query_get(req, "undirected") && !out->undirected;
	if (r == 0)
		r = apsp_query_choice(
			req, "decimal", ".", ",", &out->decimal_comma, err);
	if (r < 0)
		return r;
	/* the argument `prove` says how a job checks the tables of a bundle
	   (enum apsp_prove) */
	for (int p = APSP_PROVE_ALL; prove && p < APSP_N_PROVES; p++)
		if (strcmp(prove, apsp_prove_names[p]) == 0)
			out->prove = (enum apsp_prove)p;
	return prove && !out->prove
		       ? apsp_fail(err, APSP_EMALFORMED,
				 "prove is '%.60s'; expected all or seed",
				 prove)
		       : apsp_query_number(req, "nonedge", &out->has_nonedge,
				 &out->nonedge, err);
}

int apsp_upload_input_read(struct apsp_request *req,
	struct apsp_upload_options *out, struct apsp_err *err)
{
	const char *unit = apsp_query_get(req, "weight_unit");
	int r = unit ? apsp_unit_set(out->weight_unit, unit, err) : 0;

	out->weight_unit_said = unit != NULL;
	if (r < 0)
		return r;
	if (apsp_query_get(req, "of"))
		return 0;
	r = format_read(req, out, err);
	if (r == 0)
		r = apsp_upload_body_coding(req, &out->coding, err);
	if (r == 0)
		r = file_read(req, &out->file, err);
	return r < 0 ? r : apsp_profile_input_query(req, NULL, out, err);
}

/* Returns, as JSON, a curl command that repeats this upload with the given
   transform; NULL: no memory. */
static json_t *command_json(
	const struct apsp_request *req, enum apsp_transform transform)
{
	APSP_AUTO(apsp_text_done) struct apsp_text safe = {0};
	APSP_AUTO(apsp_free) char *query = NULL;
	const char *type = apsp_request_header(req, "Content-Type");
	const char *host = apsp_request_header(req, "Host");
	const char *base = req->config->settings->base_path;

	if (type && (strchr(type, '\'') || apsp_query_get(req, "format")))
		type = NULL;
	if (apsp_query_with(req, "transform", apsp_transform_name(transform),
		    &query, NULL) < 0)
		return NULL;
	/* encode a quote, which would end the shell's quotes, and brackets,
	   which curl expands */
	for (const char *at = query; *at; at++)
		apsp_text_printf(
			&safe, strchr("'[]", *at) ? "%%%02X" : "%c", *at);
	apsp_text_byte(&safe, '\0');
	if (apsp_text_check(&safe, NULL) < 0)
		return NULL;
	if (apsp_query_get(req, "of"))
		return json_sprintf("curl -X PUT 'http://%s%s/v1/graphs/%s?%s'",
			host ? host : "localhost", base ? base : "",
			req->params[0], safe.data);
	return json_sprintf("curl -T FILE%s%s%s 'http://%s%s/v1/graphs/%s?%s'",
		type ? " -H 'Content-Type: " : "", type ? type : "",
		type ? "'" : "", host ? host : "localhost", base ? base : "",
		req->params[0], safe.data);
}

void apsp_upload_input_suggest(struct apsp_request *req)
{
	apsp_request_extra(req,
		json_pack("{s:o*, s:o*}", "if_lengths",
			command_json(req, APSP_TRANSFORM_NONE), "if_strengths",
			command_json(req, APSP_TRANSFORM_INV)));
}
