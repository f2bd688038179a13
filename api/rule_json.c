/* A rule as JSON; see rule_json.h. */
#include "api/rule_json.h"

#include <string.h>

#include "api/encode/json.h"
#include "daemon/base/number.h"

/* Split `text` at its commas, and return the words as a JSON list. */
static json_t *words_json(const char *text)
{
	json_t *list = json_array();

	while (list && *text) {
		size_t size = strcspn(text, ",");

		json_array_append_new(list, json_stringn(text, size));
		text += size + (text[size] == ',');
	}
	return list;
}

static json_t *conditions_json(const char *list)
{
	char condition[APSP_CONDITION_SIZE];
	json_t *out = json_array();

	while (out && apsp_conditions_next(&list, condition))
		json_array_append_new(out, json_string(condition));
	return out;
}

static json_t *option_json(
	const struct apsp_profile *rule, enum apsp_profile_option option)
{
	char text[APSP_PROFILE_VALUE_SIZE];
	double number;

	if (!apsp_profile_option_print(rule, option, text))
		return json_null();
	switch (apsp_profile_option_form(option)) {
	case APSP_FORM_LIST:
		return words_json(text);
	case APSP_FORM_CONDITIONS:
		return conditions_json(text);
	case APSP_FORM_NUMBER:
		apsp_number_parse(text, strlen(text), &number);
		return apsp_json_number(number);
	case APSP_FORM_TEXT:
		break;
	}
	return json_string(text);
}

json_t *apsp_profile_rule_json(const struct apsp_profile *rule)
{
	json_t *out = json_object();

	for (int i = 0; out && i < APSP_PROFILE_OPTIONS; i++) {
		enum apsp_profile_option option = (enum apsp_profile_option)i;

		out = apsp_json_join(out,
			json_pack("{s:o}", apsp_profile_option_name(option),
				rule ? option_json(rule, option)
				     : json_null()));
	}
	return out;
}
