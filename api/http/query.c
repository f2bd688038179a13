/*
 * The query of a request. It is split before it is decoded, and an argument may
 * occur only once unless it is `repeatable`, so that two readers of a URL
 * cannot understand it differently.
 */
#include "api/http/query.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/http/internal.h"
#include "api/http/percent.h"
#include "daemon/base/auto.h"
#include "daemon/base/number.h"

/* Arguments that a query may have several times. */
static const char *const repeatable[] = {"avoid", "match", NULL};

static bool is_repeatable(const char *name)
{
	for (size_t i = 0; repeatable[i]; i++)
		if (strcmp(repeatable[i], name) == 0)
			return true;
	return false;
}

static int add_argument(
	struct apsp_exchange *x, char *text, struct apsp_err *err)
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
		if (strcmp(x->arguments[i].name, argument->name) == 0 &&
			!is_repeatable(argument->name))
			return apsp_fail(err, APSP_EMALFORMED,
				"the query has '%s' twice", argument->name);
	}
	x->n_arguments++;
	return 0;
}

int apsp_query_parse(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_exchange *x = req->exchange;
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

const char *apsp_query_next(
	const struct apsp_request *req, const char *name, size_t *at)
{
	const struct apsp_exchange *x = req->exchange;

	while (*at < x->n_arguments) {
		const struct apsp_pair_text *argument = &x->arguments[(*at)++];

		if (strcmp(argument->name, name) == 0)
			return argument->value;
	}
	return NULL;
}

const char *apsp_query_get(const struct apsp_request *req, const char *name)
{
	size_t at = 0;

	return apsp_query_next(req, name, &at);
}

/* Append "name=value", encoded, to *text. */
static bool argument_put(char **text, const char *name, const char *value)
{
	APSP_AUTO(apsp_free) char *left = NULL;
	APSP_AUTO(apsp_free) char *right = NULL;
	char *longer;

	left = apsp_percent_encode(name);
	right = apsp_percent_encode(value);
	if (!left || !right ||
		asprintf(&longer, "%s%s%s=%s", *text ? *text : "",
			*text ? "&" : "", left, right) < 0)
		return false;
	free(*text);
	*text = longer;
	return true;
}

int apsp_query_with(const struct apsp_request *req, const char *name,
	const char *value, char **out, struct apsp_err *err)
{
	const struct apsp_exchange *x = req->exchange;
	APSP_AUTO(apsp_free) char *text = NULL;
	bool made = true;

	for (size_t i = 0; made && i < x->n_arguments; i++)
		if (strcmp(x->arguments[i].name, name) != 0)
			made = argument_put(&text, x->arguments[i].name,
				x->arguments[i].value);
	if (!made || !argument_put(&text, name, value))
		return apsp_fail(err, APSP_ENOMEM, "no memory");
	*out = APSP_TAKE(text);
	return 0;
}

int apsp_query_uint(const struct apsp_request *req, const char *name,
	uint64_t min, uint64_t max, uint64_t fallback, uint64_t *out,
	struct apsp_err *err)
{
	const char *text = apsp_query_get(req, name);
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

int apsp_query_choice(const struct apsp_request *req, const char *name,
	const char *first, const char *second, bool *out, struct apsp_err *err)
{
	const char *text = apsp_query_get(req, name);

	*out = text && strcmp(text, second) == 0;
	if (!text || *out || strcmp(text, first) == 0)
		return 0;
	return apsp_fail(err, APSP_EMALFORMED,
		"%s is '%.60s'; expected %s or %s", name, text, first, second);
}

int apsp_query_number(const struct apsp_request *req, const char *name,
	bool *out_has, double *out_value, struct apsp_err *err)
{
	const char *text = apsp_query_get(req, name);

	if (text && apsp_number_parse(text, strlen(text), out_value) !=
			    APSP_NUMBER_FINITE)
		return apsp_fail(err, APSP_EMALFORMED,
			"%s is '%s'; expected a finite decimal number", name,
			text);
	*out_has = text != NULL;
	return 0;
}

int apsp_query_only(const struct apsp_request *req, const char *const *names,
	struct apsp_err *err)
{
	const struct apsp_exchange *x = req->exchange;

	for (size_t i = 0; i < x->n_arguments; i++) {
		const char *name = x->arguments[i].name;
		const char *const *known = names;

		while (*known && strcmp(*known, name) != 0)
			known++;
		if (!*known)
			return apsp_fail(err, APSP_EMALFORMED,
				"the query has '%s', which is no option here",
				name);
	}
	return 0;
}
