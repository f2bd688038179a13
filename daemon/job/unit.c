/* Checks units of weights, and derives the units of lengths from them; see
   unit.h. */
#include "daemon/job/unit.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "daemon/base/fixed_text.h"
#include "daemon/base/utf8.h"

/* Whether the text has a control character: one of ASCII, or one from U+0080 to
   U+009F. */
static bool has_control(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	for (; *at; at++)
		if (*at < ' ' || *at == 0x7f || (at[0] == 0xc2 && at[1] < 0xa0))
			return true;
	return false;
}

int apsp_unit_set(
	char out[APSP_UNIT_SIZE], const char *text, struct apsp_err *err)
{
	size_t size = strlen(text);

	if (apsp_utf8_valid(text, size) && !has_control(text) && *text != ' ' &&
		(size == 0 || text[size - 1] != ' ') &&
		apsp_fixed_text_set(out, APSP_UNIT_SIZE, text))
		return 0;
	return apsp_fail(err, APSP_EMALFORMED,
		"the unit is '%s'; expected a text such as synapses, of at "
		"most %d bytes, without control characters and without blanks "
		"around it",
		apsp_excerpt_of(text, size).text, APSP_UNIT_SIZE - 1);
}

void apsp_unit_of_lengths(const struct apsp_profile *rule,
	const char *weight_unit, char out[APSP_LENGTH_UNIT_SIZE])
{
	bool has_unit = *weight_unit && rule->normalise == APSP_NORMALISE_NONE;
	const char *before = "", *unit = "", *after = "";

	if (rule->transform == APSP_TRANSFORM_HOPS) {
		unit = "arcs";
	} else if (has_unit && rule->transform == APSP_TRANSFORM_NONE) {
		unit = weight_unit;
	} else if (has_unit && rule->transform == APSP_TRANSFORM_INV) {
		bool is_compound = strpbrk(weight_unit, " */^") != NULL;

		before = is_compound ? "1/(" : "1/";
		unit = weight_unit;
		after = is_compound ? ")" : "";
	}
	snprintf(out, APSP_LENGTH_UNIT_SIZE, "%s%s%s", before, unit, after);
}
