/*
 * JSON values and their text.
 */
#include "api/encode/json.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/clock.h"

/*
 * Write the real that text holds in 17 digits with the fewest digits that give
 * it back, and return the size, which is never larger. out may be text.
 */
static size_t shorten_real(char *out, const char *text, size_t size)
{
	double number = strtod(text, NULL);
	char best[40];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(best, sizeof(best), "%.*g", digits, number);
		if (strtod(best, NULL) == number)
			break;
	}
	if (!strpbrk(best, ".e") || strlen(best) >= size) {
		memmove(out, text, size);
		return size;
	}
	memcpy(out, best, strlen(best));
	return strlen(best);
}

/* Shorten every real of a JSON text in place, except in strings. */
static void shorten_reals(char *text)
{
	bool in_string = false;
	char *out = text;

	for (const char *in = text; *in;) {
		size_t size = in_string ? 0 : strspn(in, "-+.eE0123456789");

		/* an integer, or the e of true and false, has no point */
		if (size > 0 && memchr(in, '.', size)) {
			out += shorten_real(out, in, size);
			in += size;
			continue;
		}
		if (*in == '"')
			in_string = !in_string;
		else if (*in == '\\')
			*out++ = *in++; /* an escaped quote ends no string */
		*out++ = *in++;
	}
	*out = '\0';
}

char *apsp_json_text(const json_t *value)
{
	char *text = json_dumps(value,
		JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));

	if (text)
		shorten_reals(text);
	return text;
}

json_t *apsp_json_time(int64_t ms)
{
	char text[APSP_CLOCK_UTC_SIZE];

	if (ms == 0)
		return json_null();
	apsp_clock_utc_write(ms, text);
	return json_string(text);
}

json_t *apsp_json_number(double value)
{
	if (!isfinite(value))
		return json_null();
	if (value == trunc(value) && fabs(value) < 9007199254740992.0)
		return json_integer((json_int_t)value);
	return json_real(value);
}

void apsp_json_done(json_t **json)
{
	json_decref(*json);
}

const char *apsp_json_kind(const json_t *json)
{
	switch (json_typeof(json)) {
	case JSON_OBJECT:
		return "an object";
	case JSON_ARRAY:
		return "a list";
	case JSON_STRING:
		return "a string";
	case JSON_INTEGER:
	case JSON_REAL:
		return "a number";
	case JSON_TRUE:
	case JSON_FALSE:
		return "a truth value";
	default:
		return "null";
	}
}
