/*
 * Matching, segment by segment on the raw path, so that an encoded slash never
 * makes a boundary.
 */
#include "api/http/route.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/http/percent.h"
#include "daemon/base/auto.h"

static const char *const method_names[] = {
	[APSP_METHOD_GET] = "GET, HEAD",
	[APSP_METHOD_PUT] = "PUT",
	[APSP_METHOD_POST] = "POST",
	[APSP_METHOD_DELETE] = "DELETE",
};

/* -1: no resource has this method. */
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

/* Match, and point params at the raw {…} segments. */
static bool matches(const char *pattern, const char *path,
	struct segment params[APSP_REQUEST_PARAMS_MAX], size_t *out_n)
{
	*out_n = 0;
	while (*pattern) {
		const char *end;

		if (*pattern != '{') {
			if (*pattern++ != *path++)
				return false;
			continue;
		}
		end = strchrnul(path, '/');
		if (end == path)
			return false;
		params[(*out_n)++] =
			(struct segment){path, (size_t)(end - path)};
		path = end;
		pattern = strchr(pattern, '}') + 1;
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

/* The methods of a path, or NULL if it has none; the caller frees it. */
static char *allow_of(const struct apsp_route *routes, const char *path)
{
	struct segment params[APSP_REQUEST_PARAMS_MAX];
	unsigned int methods = 0;
	char text[64] = "";
	size_t n, used = 0;

	for (const struct apsp_route *at = routes; at->pattern; at++) {
		if (strcmp(path, "*") == 0 ||
			matches(at->pattern, path, params, &n))
			methods |= 1U << at->method;
	}
	for (int i = APSP_METHOD_GET; i <= APSP_METHOD_DELETE; i++) {
		if (methods & 1U << i)
			used += (size_t)snprintf(text + used,
				sizeof(text) - used, "%s%s", used ? ", " : "",
				method_names[i]);
	}
	return used ? strdup(text) : NULL;
}

enum {
	NEAR_BYTES = 128,  /* of a path that are compared with patterns */
	PARAM_MISSING = 2, /* what an empty {…} costs */
	NEVER = INT_MAX,
};

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* From costs[j], of the pattern before the byte c, to those after it. */
static void literal_step(unsigned int costs[NEAR_BYTES + 1], const char *path,
	size_t size, char c)
{
	unsigned int diagonal = costs[0]++;

	for (size_t j = 1; j <= size; j++) {
		unsigned int changed = diagonal + (path[j - 1] != c);

		diagonal = costs[j];
		costs[j] = least(changed, least(costs[j], costs[j - 1]) + 1);
	}
}

/* The same for a {…}, which any text without a slash fills at no cost. */
static void param_step(
	unsigned int costs[NEAR_BYTES + 1], const char *path, size_t size)
{
	unsigned int diagonal = costs[0], filled = NEVER;

	costs[0] += PARAM_MISSING;
	for (size_t j = 1; j <= size; j++) {
		filled = path[j - 1] == '/' ? NEVER : least(filled, diagonal);
		diagonal = costs[j];
		costs[j] = least(filled,
			least(costs[j] + PARAM_MISSING, costs[j - 1] + 1));
	}
}

/* How many bytes of the path must change until the pattern matches it. */
static unsigned int misspelling(
	const char *pattern, const char *path, size_t size)
{
	unsigned int costs[NEAR_BYTES + 1];

	for (size_t j = 0; j <= size; j++)
		costs[j] = (unsigned int)j;
	for (; *pattern; pattern++) {
		if (*pattern == '{') {
			param_step(costs, path, size);
			pattern = strchr(pattern, '}');
		} else {
			literal_step(costs, path, size, *pattern);
		}
	}
	return costs[size];
}

/* The pattern that a path most resembles. */
static const char *nearest(const struct apsp_route *routes, const char *path)
{
	size_t size = strnlen(path, NEAR_BYTES);
	const char *best = routes->pattern;
	unsigned int best_cost = NEVER;

	for (const struct apsp_route *at = routes; at->pattern; at++) {
		unsigned int cost = misspelling(at->pattern, path, size);

		if (cost < best_cost) {
			best = at->pattern;
			best_cost = cost;
		}
	}
	return best;
}

int apsp_route_find(struct apsp_request *req, const char *method,
	const char *raw_path, char **out_allow, struct apsp_err *err)
{
	const struct apsp_route *routes = apsp_request_config(req)->routes;
	APSP_AUTO(apsp_free) char *allow = NULL;
	struct segment params[APSP_REQUEST_PARAMS_MAX];
	int wanted;
	size_t n;

	wanted = method_of(method, &req->is_head);
	for (const struct apsp_route *at = routes; at->pattern; at++) {
		if ((int)at->method != wanted ||
			!matches(at->pattern, raw_path, params, &n))
			continue;
		req->route = at;
		req->method = at->method;
		return take_params(req, params, n, err);
	}
	allow = allow_of(routes, raw_path);
	if (!allow)
		return apsp_fail(err, APSP_ENOROUTE,
			"no route %.120s; nearest: %s", raw_path,
			nearest(routes, raw_path));
	*out_allow = APSP_TAKE(allow);
	return apsp_fail(err, APSP_EMETHOD, "%s is not a method of '%s'",
		method, raw_path);
}
