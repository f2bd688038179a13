/*
 * JSON trees; see json.h.
 */
#include "api/encode/json.h"

#include <math.h>

#include "daemon/base/clock.h"

static void value_write(struct apsp_json_writer *w, const json_t *value)
{
	const char *name;
	json_t *item;
	double real;
	size_t i;

	switch (json_typeof(value)) {
	case JSON_OBJECT:
		apsp_json_object(w);
		json_object_foreach((json_t *)(uintptr_t)value, name, item)
		{
			apsp_json_key(w, name);
			value_write(w, item);
		}
		apsp_json_object_end(w);
		return;
	case JSON_ARRAY:
		apsp_json_array(w);
		json_array_foreach(value, i, item) value_write(w, item);
		apsp_json_array_end(w);
		return;
	case JSON_STRING:
		apsp_json_string(
			w, json_string_value(value), json_string_length(value));
		return;
	case JSON_INTEGER:
		apsp_json_integer(w, json_integer_value(value));
		return;
	case JSON_REAL: /* write a decimal point even in a whole number, so that
			   readers parse the number as a real */
		real = json_real_value(value);
		apsp_json_real(w, real);
		if (real == trunc(real) && fabs(real) < 1e17)
			apsp_text_append(w->text, ".0", 2);
		return;
	case JSON_NULL:
		apsp_json_nothing(w);
		return;
	default:
		apsp_json_boolean(w, json_is_true(value));
	}
}

void apsp_json_tree(struct apsp_json_writer *w, json_t *value)
{
	if (value)
		value_write(w, value);
	else
		w->text->failed = true;
	json_decref(value);
}

json_t *apsp_json_join(json_t *object, json_t *more)
{
	if (json_object_update_new(object, more) == 0)
		return object;
	json_decref(object);
	return NULL;
}

json_t *apsp_json_append(json_t *list, json_t *item)
{
	if (json_array_append_new(list, item) == 0)
		return list;
	json_decref(list);
	return NULL;
}

json_t *apsp_json_time(int64_t ms)
{
	char text[APSP_CLOCK_UTC_SIZE];

	if (ms == 0)
		return json_null();
	apsp_clock_utc_write(ms, text);
	return json_string(text);
}

json_t *apsp_json_text(const char *text)
{
	return *text ? json_string(text) : json_null();
}

json_t *apsp_json_number(double value)
{
	if (!isfinite(value))
		return json_null();
	if (value == trunc(value) && fabs(value) < 9007199254740992.0)
		return json_integer((json_int_t)value);
	return json_real(value);
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
