/*
 * The one table that turns codes into HTTP statuses, and RFC 9457 bodies.
 */
#include "api/encode/problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/encode/json.h"

struct problem {
	int code;
	unsigned int status;
	const char *title;
};

static const struct problem problems[] = {
	{APSP_EMALFORMED, 400, "Malformed request"},
	{APSP_EUNAUTHORIZED, 401, "No valid token"},
	{APSP_EFORBIDDEN, 403, "Not allowed"},
	{APSP_ENOROUTE, 404, "No such resource"},
	{APSP_ENOGRAPH, 404, "Unknown graph"},
	{APSP_ENOPROFILE, 404, "Unknown profile"},
	{APSP_ENOJOB, 404, "Unknown job"},
	{APSP_ENOVERTEX, 404, "Unknown vertex"},
	{APSP_EBADVERTEX, 422, "Unknown vertex"},
	{APSP_EMETHOD, 405, "Method not allowed"},
	{APSP_ENOTACCEPTABLE, 406, "No acceptable representation"},
	{APSP_EPRECONDITION, 412, "Precondition failed"},
	{APSP_ETOOLARGE, 413, "Too large"},
	{APSP_ERANGE, 416, "Range not satisfiable"},
	{APSP_EHEAD, 431, "Head too large"},
	{APSP_EMEDIATYPE, 415, "Unknown media type"},
	{APSP_EMISDIRECTED, 421, "Not our host"},
	{APSP_EDATA, 422, "Unusable data"},
	{APSP_ESEARCH, 422, "Search past its limit"},
	{APSP_ETRANSFORM, 422, "Lengths or strengths?"},
	{APSP_ENEGCYCLE, 422, "Negative cycle"},
	{APSP_EOVERFLOW, 422, "Distances too large"},
	{APSP_ETIMEOUT, 408, "Request took too long"},
	{APSP_ETABLES, 409, "Tables failed"},
	{APSP_ECANCELLED, 409, "Cancelled"},
	{APSP_EROW, 409, "Unreadable record"},
	{APSP_ENOTREADY, 503, "Not ready yet"},
	{APSP_EBUSY, 503, "Too busy"},
	{APSP_ESTOPPING, 503, "Stopping"},
	{APSP_EDAMAGED, 503, "Damaged tables"},
	{APSP_EUNUSABLE, 503, "Unusable storage"},
	{APSP_EQUEUEFULL, 429, "Too many jobs"},
	{APSP_ENOSPACE, 507, "Not enough disk"},
	{APSP_ENOMEM, 507, "Not enough memory"},
	{APSP_ELIMIT, 507, "Too large for the device"},
	{APSP_EDEVICE, 500, "Device failed"},
	{APSP_EPROOF, 500, "Tables do not prove themselves"},
	{APSP_ESOLVER, 500, "Solver died"},
	{APSP_ESTALLED, 500, "Solver stalled"},
};

/* For codes without a row: a defect or a failure inside. */
static const struct problem inside = {0, 500, "Internal error"};

static const struct problem *find(int code)
{
	for (size_t i = 0; i < sizeof(problems) / sizeof(problems[0]); i++) {
		if (problems[i].code == code)
			return &problems[i];
	}
	return &inside;
}

unsigned int apsp_problem_status(int code)
{
	return find(code)->status;
}

json_t *apsp_problem_json(const struct apsp_err *err, json_t *extra)
{
	const struct problem *problem = find(err->code);
	const char *detail = err->message;
	json_t *body;
	char type[64];

	snprintf(type, sizeof(type), "/problems/%s", apsp_code_name(err->code));
	if (problem == &inside)
		detail = "Something went wrong inside the daemon; its log "
			 "says what.";
	body = json_pack("{s:s, s:s, s:i, s:s}", "type", type, "title",
		problem->title, "status", (int)problem->status, "detail",
		detail);
	if (body && err->line)
		json_object_set_new(
			body, "line", json_integer((json_int_t)err->line));
	if (body && err->column)
		json_object_set_new(
			body, "column", json_integer((json_int_t)err->column));
	if (body && extra)
		json_object_update(body, extra);
	json_decref(extra);
	return body;
}

bool apsp_problem_passes(unsigned int status)
{
	return status == 503 || status == 429;
}

char *apsp_problem_text(
	const struct apsp_err *err, json_t *extra, const char *request_id)
{
	json_t *body = apsp_problem_json(err, extra);
	char *text, *line;
	size_t size;

	if (!body)
		return NULL;
	json_object_set_new(body, "request_id", json_string(request_id));
	text = apsp_json_text(body);
	json_decref(body);
	if (!text)
		return NULL;
	size = strlen(text);
	line = realloc(text, size + 2);
	if (!line) {
		free(text);
		return NULL;
	}
	memcpy(line + size, "\n", 2);
	return line;
}
