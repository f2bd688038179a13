/*
 * Writes and parses the canonical texts of rules; see profile_text.h.
 */
#include "daemon/job/profile_text.h"

#include <stdio.h>
#include <string.h>

#include "daemon/base/hex.h"
#include "daemon/base/utf8.h"

static const char *option_name(int option)
{
	return apsp_profile_option_name((enum apsp_profile_option)option);
}

/* Append a value to the canonical text. The caller has made sure that the text
   has room for the value. Returns the number of bytes that were appended. */
static size_t value_encode(const char *value, char *out)
{
	size_t used = 0;

	for (; *value; value++)
		if ((unsigned char)*value <= ' ' || strchr("%\"\x7f", *value))
			used += (size_t)sprintf(out + used, "%%%02X",
				(unsigned int)(unsigned char)*value);
		else
			out[used++] = *value;
	out[used] = '\0';
	return used;
}

void apsp_profile_format(
	const struct apsp_profile *profile, char out[APSP_PROFILE_TEXT_SIZE])
{
	char value[APSP_PROFILE_VALUE_SIZE];
	size_t used = 0;

	for (int i = 0; i < APSP_PROFILE_OPTIONS; i++) {
		if (!apsp_profile_option_print(
			    profile, (enum apsp_profile_option)i, value))
			continue;
		used += (size_t)snprintf(out + used,
			APSP_PROFILE_TEXT_SIZE - used, "%s%s=", used ? " " : "",
			option_name(i));
		used += value_encode(value, out + used);
	}
}

/* The texts of a stored rule, and the memory to which these texts point. */
struct scan {
	struct apsp_profile_texts texts;
	char values[APSP_PROFILE_OPTIONS][APSP_PROFILE_VALUE_SIZE];
};

/*
 * Decode the percent-encoded value of `size` bytes. Returns false if the value
 * does not fit `out`, or if a percent sign has no two hexadecimal digits or
 * encodes a NUL.
 */
static bool value_decode(
	const char *value, size_t size, char out[APSP_PROFILE_VALUE_SIZE])
{
	size_t used = 0;

	for (size_t i = 0; i < size; i++) {
		int byte = value[i];

		if (used == APSP_PROFILE_VALUE_SIZE - 1)
			return false;
		if (byte == '%') {
			byte = size - i < 3 ? -1 : apsp_hex_byte(value + i + 1);
			if (byte <= 0)
				return false;
			i += 2;
		}
		out[used++] = (char)byte;
	}
	out[used] = '\0';
	return true;
}

/* Parse one option, `name=value`, from the `size` bytes at `text`. */
static int pair_scan(
	struct scan *scan, const char *text, size_t size, struct apsp_err *err)
{
	const char *equals = memchr(text, '=', size);
	size_t name = equals ? (size_t)(equals - text) : size;
	size_t value = equals ? size - name - 1 : 0;

	for (int i = 0; equals && i < APSP_PROFILE_OPTIONS; i++) {
		if (strlen(option_name(i)) != name ||
			memcmp(option_name(i), text, name) != 0)
			continue;
		if (scan->texts.value[i] ||
			!value_decode(equals + 1, value, scan->values[i]))
			break;
		scan->texts.value[i] = scan->values[i];
		return 0;
	}
	return apsp_fail(err, APSP_EDATA,
		"'%s' is no option of a rule that this apspd knows",
		apsp_excerpt_of(text, size).text);
}

int apsp_profile_scan(
	const char *text, struct apsp_profile *out, struct apsp_err *err)
{
	struct scan scan = {0};
	struct apsp_err why;
	size_t size;

	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		int r;

		size = strcspn(text, " ");
		r = pair_scan(&scan, text, size, err);
		if (r < 0)
			return r;
		text += size;
	}
	if (!scan.texts.value[APSP_OPTION_TRANSFORM])
		return apsp_fail(
			err, APSP_EDATA, "the rule names no transform");
	if (apsp_profile_parse(&scan.texts, out, &why) < 0)
		return apsp_fail(err, APSP_EDATA, "%s", why.message);
	return 0;
}

bool apsp_profile_equal(
	const struct apsp_profile *a, const struct apsp_profile *b)
{
	char text_a[APSP_PROFILE_TEXT_SIZE], text_b[APSP_PROFILE_TEXT_SIZE];

	apsp_profile_format(a, text_a);
	apsp_profile_format(b, text_b);
	return strcmp(text_a, text_b) == 0;
}
