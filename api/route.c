/*
 * The route table and its matching: segment by segment on the raw path, so that
 * an encoded slash never makes a boundary.
 */
#include "api/route.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/endpoints.h"
#include "api/exchange.h"
#include "daemon/base/auto.h"

static const struct apsp_route routes[] = {
	{APSP_METHOD_GET, "/v1/graphs", APSP_BODY_NONE,
		.answer = apsp_api_list_graphs},
	{APSP_METHOD_PUT, "/v1/graphs/{graph}", APSP_BODY_STREAM,
		apsp_api_put_graph_begin, apsp_api_put_graph_body,
		apsp_api_put_graph},
	{APSP_METHOD_GET, "/v1/graphs/{graph}", APSP_BODY_NONE,
		.answer = apsp_api_get_graph},
	{APSP_METHOD_DELETE, "/v1/graphs/{graph}", APSP_BODY_NONE,
		.answer = apsp_api_delete_graph},
	{APSP_METHOD_PUT, "/v1/graphs/{graph}/profiles/{profile}",
		APSP_BODY_BUFFER, .answer = apsp_api_put_profile},
	{APSP_METHOD_GET, "/v1/graphs/{graph}/profiles/{profile}",
		APSP_BODY_NONE, .answer = apsp_api_get_profile},
	{APSP_METHOD_DELETE, "/v1/graphs/{graph}/profiles/{profile}",
		APSP_BODY_NONE, .answer = apsp_api_delete_profile},
	{APSP_METHOD_GET, "/v1/graphs/{graph}/vertices", APSP_BODY_NONE,
		.answer = apsp_api_list_vertices},
	{APSP_METHOD_GET, "/v1/graphs/{graph}/vertices/{vertex}/reachable",
		APSP_BODY_NONE, .answer = apsp_api_get_reach_set},
	{APSP_METHOD_GET, "/v1/graphs/{graph}/path", APSP_BODY_NONE,
		.answer = apsp_api_get_path},
	{APSP_METHOD_POST, "/v1/graphs/{graph}/paths", APSP_BODY_BUFFER,
		.answer = apsp_api_post_paths},
	{APSP_METHOD_POST, "/v1/graphs/{graph}/estimate", APSP_BODY_BUFFER,
		.answer = apsp_api_post_estimate},
	{APSP_METHOD_GET, "/v1/graphs/{graph}/reachable", APSP_BODY_NONE,
		.answer = apsp_api_get_reachable},
	{APSP_METHOD_GET, "/v1/jobs", APSP_BODY_NONE,
		.answer = apsp_api_list_jobs},
	{APSP_METHOD_GET, "/v1/jobs/{job}", APSP_BODY_NONE,
		.answer = apsp_api_get_job},
	{APSP_METHOD_DELETE, "/v1/jobs/{job}", APSP_BODY_NONE,
		.answer = apsp_api_delete_job},
	{APSP_METHOD_GET, "/v1/info", APSP_BODY_NONE,
		.answer = apsp_api_get_info},
	{APSP_METHOD_GET, "/v1/devices", APSP_BODY_NONE,
		.answer = apsp_api_list_devices},
	{APSP_METHOD_GET, "/healthz", APSP_BODY_NONE,
		.answer = apsp_api_get_healthz},
	{APSP_METHOD_GET, "/readyz", APSP_BODY_NONE,
		.answer = apsp_api_get_readyz},
};

static const size_t n_routes = sizeof(routes) / sizeof(routes[0]);

static const char *const method_names[] = {
	[APSP_METHOD_GET] = "GET, HEAD",
	[APSP_METHOD_PUT] = "PUT",
	[APSP_METHOD_POST] = "POST",
	[APSP_METHOD_DELETE] = "DELETE",
};

/* -1: a method that no resource knows. */
static int method_of(const char *name, bool *out_is_head)
{
	*out_is_head = strcmp(name, "HEAD") == 0;
	if (*out_is_head || strcmp(name, "GET") == 0)
		return APSP_METHOD_GET;
	for (int i = APSP_METHOD_PUT; i <= APSP_METHOD_DELETE; i++) {
		if (strcmp(name, method_names[i]) == 0)
			return i;
	}
	return -1;
}

/* A segment of a path: [text, text + size). */
struct segment {
	const char *text;
	size_t size;
};

/* Take the next "/segment" off *path; false at its end. */
static bool next_segment(const char **path, struct segment *out)
{
	if (**path != '/')
		return false;
	out->text = *path + 1;
	out->size = strcspn(out->text, "/");
	*path = out->text + out->size;
	return true;
}

/* Match, and point params at the raw {…} segments. */
static bool matches(const char *pattern, const char *path,
	struct segment params[APSP_REQUEST_PARAMS_MAX], size_t *out_n)
{
	struct segment want, have;

	*out_n = 0;
	while (next_segment(&pattern, &want)) {
		if (!next_segment(&path, &have) || have.size == 0)
			return false;
		if (want.text[0] == '{') {
			params[(*out_n)++] = have;
		} else if (want.size != have.size ||
			   memcmp(want.text, have.text, want.size) != 0) {
			return false;
		}
	}
	return *path == '\0';
}

static int take_params(struct apsp_request *req, const struct segment *params,
	size_t n, struct apsp_err *err)
{
	for (size_t i = 0; i < n; i++) {
		int r;

		req->params[i] = strndup(params[i].text, params[i].size);
		if (!req->params[i])
			return apsp_fail(err, APSP_ENOMEM, "no memory");
		req->n_params = i + 1;
		r = apsp_percent_decode(req->params[i], false, err);
		if (r < 0)
			return r;
	}
	return 0;
}

/* The methods of a path, or NULL if it has none; memory is the caller's. */
static char *allow_of(const char *path)
{
	struct segment params[APSP_REQUEST_PARAMS_MAX];
	char text[64] = "";
	size_t n, used = 0;

	for (size_t i = 0; i < n_routes; i++) {
		if (!matches(routes[i].pattern, path, params, &n) &&
			strcmp(path, "*") != 0)
			continue;
		if (strstr(text, method_names[routes[i].method]))
			continue;
		used += (size_t)snprintf(text + used, sizeof(text) - used,
			"%s%s", used ? ", " : "",
			method_names[routes[i].method]);
	}
	return used ? strdup(text) : NULL;
}

int apsp_route_find(struct apsp_request *req, const char *method,
	const char *raw_path, char **out_allow, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) char *allow = NULL;
	struct segment params[APSP_REQUEST_PARAMS_MAX];
	int wanted;
	size_t n;

	wanted = method_of(method, &req->is_head);
	for (size_t i = 0; i < n_routes; i++) {
		if ((int)routes[i].method != wanted ||
			!matches(routes[i].pattern, raw_path, params, &n))
			continue;
		req->route = &routes[i];
		req->method = routes[i].method;
		return take_params(req, params, n, err);
	}
	allow = allow_of(raw_path);
	if (!allow)
		return apsp_fail(err, APSP_ENOROUTE, "there is nothing at '%s'",
			raw_path);
	*out_allow = APSP_TAKE(allow);
	return apsp_fail(err, APSP_EMETHOD, "%s is not a method of '%s'",
		method, raw_path);
}
