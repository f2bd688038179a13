/*
 * Find a route. Patterns are compared with the raw path, segment by segment, so
 * that an encoded slash never divides segments.
 */
#include "api/http/route.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "api/http/query.h"
#include "daemon/base/auto.h"
#include "daemon/base/edit_distance.h"

enum {
	/* To find the route that is most similar to an unknown URL path, the
	   URL path is first cut to fewer than this number of bytes. */
	NEAR_BYTES = 128,
};

const char *const apsp_method_names[] = {
	[APSP_METHOD_GET] = "GET",
	[APSP_METHOD_PUT] = "PUT",
	[APSP_METHOD_POST] = "POST",
	[APSP_METHOD_PATCH] = "PATCH",
	[APSP_METHOD_DELETE] = "DELETE",
};

/* A segment of a path, or a part of a segment: [text, text + size). */
struct segment {
	const char *text;
	size_t size;
};

/* Whether a path matches a pattern. If it does, `params` gets the raw segments
   of the path that stand for the pattern's {…}. */
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

/* Returns the methods of a path as the text of the Allow header; NULL: the path
   has none. The caller frees the text. */
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
				i == APSP_METHOD_GET ? "GET, HEAD"
						     : apsp_method_names[i]);
	}
	return used ? strdup(text) : NULL;
}

/* Returns the number of segments of a path that begins with a slash. */
static size_t segments_count(const char *path)
{
	size_t n = 0;

	for (; *path; path++)
		n += *path == '/';
	return n;
}

/*
 * Returns the edit distance between a path and a pattern in which each {…} has
 * been replaced by a segment of the path. The function assumes that the path
 * lacks the first `missing` segments of the pattern.
 */
static unsigned int misspelling(
	const char *pattern, const char *path, size_t missing)
{
	const char *at = path; /* the segment of the path that stands for the
				  pattern's next segment */
	char filled[2 * NEAR_BYTES];
	size_t used = 0, n_rows = 0;

	for (; *pattern && used < NEAR_BYTES; pattern++) {
		if (*pattern == '{') {
			size_t size = missing > 0 ? 0 : strcspn(at, "/");

			/* fill in "{}" for a segment that the path lacks; these
			   two characters cost two edits */
			memcpy(filled + used, size > 0 ? at : "{}",
				size > 0 ? size : 2);
			used += size > 0 ? size : 2;
			pattern = strchr(pattern, '}');
			continue;
		}
		filled[used++] = *pattern;
		if (*pattern == '/' && missing > 0) {
			missing--;
		} else if (*pattern == '/') {
			at += strcspn(at, "/");
			at += *at == '/';
		}
	}
	return apsp_edit_distance(
		filled, used, path, strlen(path), APSP_EDIT_LIMIT_MAX, &n_rows);
}

/* Returns the pattern that is most similar to a path. */
static const char *nearest(
	const struct apsp_route *routes, const char *raw_path)
{
	const char *best = routes->pattern;
	unsigned int best_cost = UINT_MAX;
	char path[NEAR_BYTES];
	size_t n_segments;

	snprintf(path, sizeof(path), "%s", raw_path);
	n_segments = segments_count(path);
	for (const struct apsp_route *route = routes; route->pattern; route++) {
		size_t n = segments_count(route->pattern);
		unsigned int cost = misspelling(route->pattern, path, 0);

		/* the path may lack the pattern's first segments, as
		   "/graphs/larva" lacks "/v1" */
		if (n > n_segments) {
			unsigned int shifted = misspelling(
				route->pattern, path, n - n_segments);

			cost = shifted < cost ? shifted : cost;
		}
		if (cost < best_cost) {
			best = route->pattern;
			best_cost = cost;
		}
	}
	return best;
}

int apsp_route_find(struct apsp_request *req, const char *method,
	const char *raw_path, char **out_allow, struct apsp_err *err)
{
	const struct apsp_route *routes = req->config->routes;
	APSP_AUTO(apsp_free) char *allow = NULL;
	struct segment params[APSP_REQUEST_PARAMS_MAX];
	int wanted = APSP_METHOD_GET, r;
	size_t n;

	req->is_head = strcmp(method, "HEAD") == 0;
	/* for a method that no route has, the loop ends with a `wanted` above
	   APSP_METHOD_DELETE, which matches no route */
	while (!req->is_head && wanted <= APSP_METHOD_DELETE &&
		strcmp(method, apsp_method_names[wanted]) != 0)
		wanted++;
	for (const struct apsp_route *at = routes; at->pattern; at++) {
		if ((int)at->method != wanted ||
			!matches(at->pattern, raw_path, params, &n))
			continue;
		req->route = at;
		req->method = at->method;
		for (size_t i = 0; i < n; i++) {
			req->params[i] =
				strndup(params[i].text, params[i].size);
			if (!req->params[i])
				return apsp_fail(err, APSP_ENOMEM, "no memory");
			req->n_params = i + 1;
			r = apsp_query_decode(req->params[i], false, err);
			if (r < 0)
				return r;
		}
		return 0;
	}
	allow = allow_of(routes, raw_path);
	if (!allow)
		return apsp_fail(err, APSP_ENOROUTE,
			"no route %.120s; nearest: %s", raw_path,
			nearest(routes, raw_path));
	*out_allow = APSP_TAKE(allow);
	return apsp_fail(err, APSP_EMETHOD,
		"%s is not a method of '%.120s', expected %s", method, raw_path,
		*out_allow);
}
