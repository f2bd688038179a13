/*
 * ?format= and Accept (RFC 9110, section 12.5.1).
 */
#include "api/http/negotiate.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/http/internal.h"
#include "api/http/query.h"

/* How well one media range of Accept names type: 0 (not) to 3 (exactly). */
static int range_matches(const char *range, size_t size, const char *type)
{
	if (size == strlen(type) && strncasecmp(range, type, size) == 0)
		return 3;
	if (size == strlen("application/*") &&
		strncasecmp(range, "application/*", size) == 0)
		return 2;
	return size == 3 && memcmp(range, "*/*", 3) == 0;
}

/* The quality that an Accept header gives to type, by its closest range. */
static double quality(const char *accept, const char *type)
{
	double best = 0;
	int best_match = 0;

	while (*accept) {
		size_t size = strcspn(accept, ",");
		size_t name = strspn(accept, " \t");
		size_t name_size = strcspn(accept + name, " \t;,");
		int match = range_matches(accept + name, name_size, type);

		if (match > best_match) {
			const char *q = strcasestr(accept, ";q=");
			const char *q2 = strcasestr(accept, "; q=");

			if (q2 && (!q || q2 < q))
				q = q2 + 1;
			best_match = match;
			best = q && q < accept + size ? strtod(q + 3, NULL) : 1;
		}
		accept += size;
		accept += *accept == ',';
	}
	return best;
}

int apsp_negotiate_format(struct apsp_request *req, struct apsp_err *err)
{
	const char *format = apsp_query_get(req, "format");
	const char *accept = apsp_request_header(req, "Accept");
	double json, lines;

	/* the format of an upload is that of its body */
	if (format && req->method != APSP_METHOD_PUT) {
		req->exchange->ndjson = strcmp(format, "ndjson") == 0;
		if (!req->exchange->ndjson && strcmp(format, "json") != 0)
			return apsp_fail(err, APSP_EMALFORMED,
				"format: found '%s', expected json or ndjson",
				format);
		return 0;
	}
	if (!accept)
		return 0;
	json = quality(accept, "application/json");
	lines = quality(accept, "application/x-ndjson");
	if (json <= 0 && lines <= 0 &&
		quality(accept, "application/problem+json") <= 0)
		return apsp_fail(err, APSP_ENOTACCEPTABLE,
			"there is application/json and application/x-ndjson, "
			"not '%s'",
			accept);
	req->exchange->ndjson = lines > json;
	return 0;
}
