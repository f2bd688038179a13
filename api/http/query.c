/*
 * The query of a request. The query is split before it is decoded. An argument
 * that occurs twice is refused unless it is in `repeatable`, because one reader
 * of the URL might use its first value, and another reader its last.
 */
#include "api/http/query.h"

#include <stdio.h>
#include <string.h>

#include "api/connection/connection.h"
#include "api/encode/text.h"
#include "api/http/internal.h"
#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "daemon/base/fixed_text.h"
#include "daemon/base/hex.h"
#include "daemon/base/number.h"
#include "daemon/base/utf8.h"
#include "daemon/job/profile.h"

/* The names of arguments that may occur several times in a query. */
static const char *const repeatable[] = {
	"avoid", "avoid_arc", "match", "without", NULL};

int apsp_query_decode(char *text, bool plus, struct apsp_err *err)
{
	char *out = text;

	/* a text without '%' needs no check for UTF-8: it is ASCII, because
	   the framing refuses other bytes */
	if (!strpbrk(text, "%+"))
		return 0;
	for (const char *in = text; *in; in++) {
		int byte;

		if (*in != '%') {
			*out++ = plus && *in == '+' ? ' ' : *in;
			continue;
		}
		byte = apsp_hex_byte(in + 1);
		if (byte < 0)
			return apsp_fail(err, APSP_EMALFORMED,
				"a '%%' in the URL is not followed by two "
				"hexadecimal digits");
		if (byte == 0)
			return apsp_fail(
				err, APSP_EMALFORMED, "the URL has a %%00");
		*out++ = (char)byte;
		in += 2;
	}
	*out = '\0';
	if (!apsp_utf8_valid(text, (size_t)(out - text)))
		return apsp_fail(err, APSP_EMALFORMED, "the URL is not UTF-8");
	return 0;
}

static int too_many_refuse(struct apsp_err *err)
{
	return apsp_fail(err, APSP_EMALFORMED,
		"the query has more than %d arguments", APSP_ARGUMENTS_MAX);
}

static int add_argument(
	const struct apsp_request *req, char *text, struct apsp_err *err)
{
	struct apsp_exchange *x = req->exchange;
	struct apsp_pair_text *argument;
	char *value = strchr(text, '=');
	int r;

	if (x->n_arguments > APSP_ARGUMENTS_MAX) /* the array is full */
		return too_many_refuse(err);
	argument = &x->arguments[x->n_arguments];
	argument->name = text;
	argument->value = value ? value + 1 : text + strlen(text);
	if (value)
		*value = '\0';
	r = apsp_query_decode(argument->name, true, err);
	if (r == 0 && value)
		r = apsp_query_decode(argument->value, true, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < x->n_arguments; i++) {
		if (strcmp(x->arguments[i].name, argument->name) == 0 &&
			!apsp_fixed_text_is_among(repeatable, argument->name))
			return apsp_fail(err, APSP_EMALFORMED,
				"the query has '%s' twice", argument->name);
	}
	x->n_arguments++;
	return 0;
}

/* Refuse an argument that is not allowed in the request. */
static int argument_refuse(
	const char *name, const char *const *names, struct apsp_err *err)
{
	char list[APSP_FIXED_LIST_SIZE];
	/* `name` is the name of an option of profiles, but not of this query */
	bool is_of_profile = false;

	for (int i = 0; i < APSP_PROFILE_OPTIONS; i++)
		is_of_profile |= strcmp(apsp_profile_option_name(
						(enum apsp_profile_option)i),
					 name) == 0;
	apsp_fixed_text_list(list, sizeof(list), names);
	return apsp_fail(err, APSP_EMALFORMED,
		"the query has '%.80s', which is no option here%s; "
		"expected %s",
		name,
		is_of_profile ? ", but one of a profile, in the body "
				"of PUT …/profiles/NAME"
			      : "",
		*list ? list : "no query");
}

int apsp_query_parse(struct apsp_request *req, const char *const *names,
	struct apsp_err *err)
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
		r = add_argument(req, text, err);
		if (r < 0)
			return r;
	}
	/* `cursor` does not count, because the address of the next page adds it
	   to the arguments of the client */
	if (x->n_arguments >
		APSP_ARGUMENTS_MAX + !!apsp_query_get(req, "cursor"))
		return too_many_refuse(err);
	for (size_t i = 0; names && i < x->n_arguments; i++) {
		if (!apsp_fixed_text_is_among(names, x->arguments[i].name))
			return argument_refuse(
				x->arguments[i].name, names, err);
	}
	return 0;
}

const char *apsp_query_next(
	const struct apsp_request *req, const char *name, size_t *at)
{
	const struct apsp_exchange *x = req->exchange;

	while (*at < x->n_arguments) {
		const struct apsp_pair_text *argument = &x->arguments[(*at)++];

		/* compare the first characters before strcmp() is called: most
		   names differ in them */
		if (argument->name[0] == name[0] &&
			strcmp(argument->name, name) == 0)
			return argument->value;
	}
	return NULL;
}

const char *apsp_query_get(const struct apsp_request *req, const char *name)
{
	size_t at = 0;

	return apsp_query_next(req, name, &at);
}

int apsp_query_with(const struct apsp_request *req, const char *name,
	const char *value, char **out, struct apsp_err *err)
{
	APSP_AUTO(apsp_text_done) struct apsp_text text = {0};
	const struct apsp_exchange *x = req->exchange;
	const char *at = strchr(x->target, '?');
	size_t n = 0; /* number of arguments before `at` */
	int r;

	while (at) {
		size_t size = strcspn(++at, "&");

		if (size > 0 && strcmp(x->arguments[n++].name, name) != 0) {
			apsp_text_append(&text, at, size);
			apsp_text_byte(&text, '&');
		}
		at = at[size] ? at + size : NULL;
	}
	apsp_text_printf(&text, "%s=%s", name, value);
	apsp_text_byte(&text, '\0');
	r = apsp_text_check(&text, err);
	if (r == 0)
		*out = APSP_TAKE(text.data);
	return r;
}

int apsp_query_uint(const struct apsp_request *req, const char *name,
	uint64_t min, uint64_t max, uint64_t fallback, uint64_t *out,
	struct apsp_err *err)
{
	const char *text = apsp_query_get(req, name);
	uint64_t value;

	if (!text) {
		*out = fallback;
		return 0;
	}
	if (!apsp_number_parse_count(text, max, &value) || value < min)
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

	enum apsp_number kind = APSP_NUMBER_FINITE;

	if (text)
		kind = apsp_number_parse(text, strlen(text), out_value);
	if (kind != APSP_NUMBER_FINITE)
		return apsp_fail(err, APSP_EMALFORMED,
			"%s is '%s'; expected a finite decimal number%s", name,
			text,
			kind == APSP_NUMBER_RANGE ? " of 64-bit floating point"
						  : "");
	*out_has = text != NULL;
	return 0;
}

int apsp_query_wait(
	const struct apsp_request *req, uint64_t *out_s, struct apsp_err *err)
{
	return apsp_query_uint(
		req, "wait", 0, APSP_JOB_WAIT_MAX_S, 0, out_s, err);
}

int apsp_query_deadline(
	const struct apsp_request *req, int64_t *out_ns, struct apsp_err *err)
{
	struct apsp_exchange *x = req->exchange;
	uint64_t seconds;
	int r = apsp_query_wait(req, &seconds, err);

	if (r < 0)
		return r;
	if (x->wait_until_ns == 0)
		x->wait_until_ns =
			apsp_clock_ns() + (int64_t)seconds * 1000000000;
	/* 0 is in the past */
	*out_ns = atomic_load(&x->conn->gone) ? 0 : x->wait_until_ns;
	return 0;
}
