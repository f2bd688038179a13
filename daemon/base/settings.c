/*
 * Sets members of struct apsp_settings from text; see settings.h.
 */
#include "daemon/base/settings.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "daemon/base/number.h"

enum {
	CHOICES_SIZE = 128,
};

const struct apsp_setting apsp_settings_list[APSP_N_SETTINGS] = {
#define ROW(kind, member, ...)                                                 \
	{APSP_SETTING_IS_##kind, offsetof(struct apsp_settings, member),       \
		__VA_ARGS__},
	APSP_SETTINGS(ROW)
#undef ROW
};

static void *member_of(
	struct apsp_settings *settings, const struct apsp_setting *which)
{
	return (char *)settings + which->at;
}

/* Store a copy of `text` in *out; the caller frees the copy. Fails if `text` is
   empty. */
static int text_copy(const char *given_as, const char *text, char **out,
	struct apsp_err *err)
{
	if (!*text)
		return apsp_fail(
			err, APSP_EMALFORMED, "%s needs a value", given_as);
	*out = strdup(text);
	if (!*out)
		return apsp_fail(
			err, APSP_ENOMEM, "no memory for %s", given_as);
	return 0;
}

static int texts_add(struct apsp_texts *member, uint64_t most,
	const char *given_as, const char *text, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) char *copy = NULL;
	char **items;
	int r = text_copy(given_as, text, &copy, err);

	if (r < 0)
		return r;
	if (member->n == most)
		return apsp_fail(err, APSP_EMALFORMED,
			"%s can be given %" PRIu64 " times at most", given_as,
			most);
	items = realloc(member->items, (member->n + 1) * sizeof(*items));
	if (!items)
		return apsp_fail(
			err, APSP_ENOMEM, "no memory for %s", given_as);
	member->items = items;
	items[member->n++] = APSP_TAKE(copy);
	return 0;
}

/*
 * Parse a size: digits, then K, M, G, T (powers of 1024) or nothing, as in
 * "16G" or "5000". Returns false, and leaves *out unchanged, if the text is no
 * size, or if the size is 2^64 or more.
 */
static bool size_parse(const char *text, uint64_t *out)
{
	static const char suffixes[] = "KMGT";
	const char *suffix;
	uint64_t number, unit = 1, bytes;
	char *rest;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	number = strtoull(text, &rest, 10);
	if (errno != 0)
		return false;
	suffix = *rest ? strchr(suffixes, *rest) : NULL;
	if (suffix) {
		unit <<= 10 * (suffix - suffixes + 1);
		rest++;
	}
	if (*rest || __builtin_mul_overflow(number, unit, &bytes))
		return false;
	*out = bytes;
	return true;
}

static int bytes_set(uint64_t *member, const struct apsp_setting *which,
	const char *given_as, const char *text, struct apsp_err *err)
{
	uint64_t bytes;

	if (size_parse(text, &bytes) && bytes >= which->least &&
		bytes <= which->most) {
		*member = bytes;
		return 0;
	}
	if (which->most < UINT64_MAX)
		return apsp_fail(err, APSP_EMALFORMED,
			"%s needs a number of bytes from %" PRIu64
			" to %" PRIu64 ", such as 800K or 16M, not '%.40s'",
			given_as, which->least, which->most, text);
	return apsp_fail(err, APSP_EMALFORMED,
		"%s needs a number of bytes above %" PRIu64
		", such as 800M or 16G, not '%.40s'",
		given_as, which->least - 1, text);
}

static int count_set(unsigned int *member, const struct apsp_setting *which,
	const char *given_as, const char *text, struct apsp_err *err)
{
	uint64_t number;

	if (!apsp_number_parse_count(text, which->most, &number) ||
		number < which->least)
		return apsp_fail(err, APSP_EMALFORMED,
			"%s needs a number from %" PRIu64 " to %" PRIu64
			", not '%.40s'",
			given_as, which->least, which->most, text);
	*member = (unsigned int)number;
	return 0;
}

/* Write the choices "a|b|c" as "a, b or c". */
static void choices_format(const char *value, char out[CHOICES_SIZE])
{
	size_t used = 0;

	out[0] = '\0';
	while (*value && used < CHOICES_SIZE) {
		size_t size = strcspn(value, "|");
		const char *before = used == 0	   ? ""
				     : value[size] ? ", "
						   : " or ";

		used += (size_t)snprintf(out + used, CHOICES_SIZE - used,
			"%s%.*s", before, (int)size, value);
		value += size + (value[size] == '|');
	}
}

static int choice_set(int *member, const struct apsp_setting *which,
	const char *given_as, const char *text, struct apsp_err *err)
{
	char choices[CHOICES_SIZE];
	const char *word = which->value;
	int number = (int)which->least;

	while (*word) {
		size_t size = strcspn(word, "|");

		if (strlen(text) == size && strncmp(text, word, size) == 0) {
			*member = number;
			return 0;
		}
		word += size + (word[size] == '|');
		number++;
	}
	choices_format(which->value, choices);
	return apsp_fail(err, APSP_EMALFORMED, "%s needs %s, not '%.40s'",
		given_as, choices, text);
}

int apsp_settings_set(struct apsp_settings *settings,
	const struct apsp_setting *which, const char *given_as,
	const char *text, struct apsp_err *err)
{
	void *member = member_of(settings, which);
	char *copy;
	int r;

	switch (which->kind) {
	case APSP_SETTING_IS_TEXT:
		r = text_copy(given_as, text, &copy, err);
		if (r < 0)
			return r;
		free(*(char **)member);
		*(char **)member = copy;
		return 0;
	case APSP_SETTING_IS_TEXTS:
		return texts_add(member, which->most, given_as, text, err);
	case APSP_SETTING_IS_BYTES:
		return bytes_set(member, which, given_as, text, err);
	case APSP_SETTING_IS_COUNT:
		return count_set(member, which, given_as, text, err);
	case APSP_SETTING_IS_CHOICE:
		return choice_set(member, which, given_as, text, err);
	}
	return apsp_fail(err, APSP_EBUG, "%s is of no kind", given_as);
}

int apsp_settings_complete(
	struct apsp_settings *settings, const bool *given, struct apsp_err *err)
{
	for (size_t i = 0; i < APSP_N_SETTINGS; i++) {
		const struct apsp_setting *which = &apsp_settings_list[i];
		int r = 0;

		if (which->initial && !(given && given[i]))
			r = apsp_settings_set(settings, which, which->option,
				which->initial, err);
		if (r < 0)
			return r;
	}
	return 0;
}

void apsp_settings_done(struct apsp_settings *settings)
{
	for (size_t i = 0; i < APSP_N_SETTINGS; i++) {
		const struct apsp_setting *which = &apsp_settings_list[i];
		void *member = member_of(settings, which);
		struct apsp_texts *texts = member;

		if (which->kind == APSP_SETTING_IS_TEXT)
			free(*(char **)member);
		if (which->kind != APSP_SETTING_IS_TEXTS)
			continue;
		for (size_t t = 0; t < texts->n; t++)
			free(texts->items[t]);
		free(texts->items);
	}
	memset(settings, 0, sizeof(*settings));
}
