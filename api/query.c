/*
 * The query of a request: split before it is decoded, and every argument once
 * at most, so that no two readers of a URL can disagree about it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/exchange.h"
#include "api/request.h"
#include "daemon/base/utf8.h"

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

int apsp_percent_decode(char *text, bool plus, struct apsp_err *err)
{
	char *out = text;

	for (const char *in = text; *in; in++) {
		int high, low;

		if (*in != '%') {
			*out++ = plus && *in == '+' ? ' ' : *in;
			continue;
		}
		high = hex_digit(in[1]);
		low = high < 0 ? -1 : hex_digit(in[2]);
		if (low < 0)
			return apsp_fail(err, APSP_EMALFORMED,
				"a '%%' in the URL is not followed by two "
				"hexadecimal digits");
		if (high == 0 && low == 0)
			return apsp_fail(
				err, APSP_EMALFORMED, "the URL has a %%00");
		*out++ = (char)(high << 4 | low);
		in += 2;
	}
	*out = '\0';
	if (!apsp_utf8_valid(text, (size_t)(out - text)))
		return apsp_fail(err, APSP_EMALFORMED, "the URL is not UTF-8");
	return 0;
}

static int add_argument(
	struct apsp_request_server *x, char *text, struct apsp_err *err)
{
	struct apsp_pair_text *argument;
	char *value = strchr(text, '=');
	int r;

	if (x->n_arguments == APSP_ARGUMENTS_MAX)
		return apsp_fail(err, APSP_EMALFORMED,
			"the query has more than %d arguments",
			APSP_ARGUMENTS_MAX);
	argument = &x->arguments[x->n_arguments];
	argument->name = text;
	argument->value = value ? value + 1 : text + strlen(text);
	if (value)
		*value = '\0';
	r = apsp_percent_decode(argument->name, true, err);
	if (r == 0 && value)
		r = apsp_percent_decode(argument->value, true, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < x->n_arguments; i++) {
		if (strcmp(x->arguments[i].name, argument->name) == 0)
			return apsp_fail(err, APSP_EMALFORMED,
				"the query has '%s' twice", argument->name);
	}
	x->n_arguments++;
	return 0;
}

int apsp_request_parse_query(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_request_server *x = req->internal;
	const char *mark = strchr(x->target, '?');
	char *rest;

	if (!mark)
		return 0;
	x->query_text = strdup(mark + 1);
	if (!x->query_text)
		return apsp_fail(err, APSP_ENOMEM, "no memory");
	rest = x->query_text;
	while (rest) {
		char *text = strsep(&rest, "&");
		int r;

		if (*text == '\0')
			continue;
		r = add_argument(x, text, err);
		if (r < 0)
			return r;
	}
	return 0;
}

const char *apsp_request_query(const struct apsp_request *req, const char *name)
{
	const struct apsp_request_server *x = req->internal;

	for (size_t i = 0; i < x->n_arguments; i++) {
		if (strcmp(x->arguments[i].name, name) == 0)
			return x->arguments[i].value;
	}
	return NULL;
}

int apsp_request_query_uint(const struct apsp_request *req, const char *name,
	uint64_t min, uint64_t max, uint64_t fallback, uint64_t *out,
	struct apsp_err *err)
{
	const char *text = apsp_request_query(req, name);
	unsigned long long value = 0;
	char *end = NULL;

	if (!text) {
		*out = fallback;
		return 0;
	}
	errno = 0;
	if (*text >= '0' && *text <= '9')
		value = strtoull(text, &end, 10);
	if (!end || *end != '\0' || errno != 0 || value < min || value > max)
		return apsp_fail(err, APSP_EMALFORMED,
			"%s: found '%s', expected an integer from %llu to "
			"%llu",
			name, text, (unsigned long long)min,
			(unsigned long long)max);
	*out = value;
	return 0;
}

int apsp_request_query_only(const struct apsp_request *req,
	const char *const *names, struct apsp_err *err)
{
	const struct apsp_request_server *x = req->internal;

	for (size_t i = 0; i < x->n_arguments; i++) {
		const char *name = x->arguments[i].name;
		const char *const *known = names;

		while (*known && strcmp(*known, name) != 0)
			known++;
		/* what apsp_request_negotiate() reads is always known */
		if (!*known && strcmp(name, "format") != 0)
			return apsp_fail(err, APSP_EMALFORMED,
				"the query has '%s', which is no option here",
				name);
	}
	return 0;
}

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

int apsp_request_negotiate(struct apsp_request *req, struct apsp_err *err)
{
	const char *format = apsp_request_query(req, "format");
	const char *accept = apsp_request_header(req, "Accept");
	double json, lines;

	/* an upload's format is that of its body */
	if (format && req->method != APSP_METHOD_PUT) {
		req->internal->ndjson = strcmp(format, "ndjson") == 0;
		if (!req->internal->ndjson && strcmp(format, "json") != 0)
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
	req->internal->ndjson = lines > json;
	return 0;
}
