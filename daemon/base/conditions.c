/*
 * Lists of conditions; see conditions.h.
 */
#include "daemon/base/conditions.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* the largest number of conditions in a list; "a:," is the shortest
	   condition with its comma */
	LIST_MAX = APSP_WITHOUT_BYTES_MAX / 3 + 1,
};

/* Encode a condition, and write it at out[*used]. Returns false if the text
   would be longer than APSP_WITHOUT_BYTES_MAX bytes; *used is then wrong. */
static bool condition_encode(
	const char *condition, char out[APSP_CONDITIONS_SIZE], size_t *used)
{
	for (const char *c = condition; *c; c++) {
		const char *code = *c == ',' ? "%2C" : *c == '%' ? "%25" : NULL;
		size_t n = code ? strlen(code) : 1;

		if (n > APSP_WITHOUT_BYTES_MAX - *used)
			return false;
		memcpy(out + *used, code ? code : c, n);
		*used += n;
	}
	out[*used] = '\0';
	return true;
}

bool apsp_conditions_add(char list[APSP_CONDITIONS_SIZE], const char *condition)
{
	size_t before = strlen(list), used = before;

	if (used > 0 && used < APSP_WITHOUT_BYTES_MAX)
		list[used++] = ',';
	if (condition_encode(condition, list, &used))
		return true;
	list[before] = '\0';
	return false;
}

/* Decode "%2C" or "%25". Returns the byte, or 0 if `text` begins with neither
   code. */
static char byte_decode(const char *text)
{
	return strncmp(text, "%2C", 3) == 0   ? ','
	       : strncmp(text, "%25", 3) == 0 ? '%'
					      : '\0';
}

bool apsp_conditions_next(const char **at, char out[APSP_CONDITION_SIZE])
{
	const char *c = *at;
	size_t used = 0;

	if (!*c)
		return false;
	while (*c && *c != ',' && used < APSP_WITHOUT_BYTES_MAX) {
		char decoded = byte_decode(c);

		out[used++] = decoded ? decoded : *c;
		c += decoded ? 3 : 1;
	}
	out[used] = '\0';
	*at = c + (*c == ',');
	return true;
}

size_t apsp_condition_name_size(const char *condition)
{
	const char *colon = strchr(condition, ':');

	return colon ? (size_t)(colon - condition) : 0;
}

static int order(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool apsp_conditions_canonical(const char *list, char out[APSP_CONDITIONS_SIZE])
{
	char copy[APSP_CONDITIONS_SIZE], condition[APSP_CONDITION_SIZE];
	const char *parts[LIST_MAX], *at = list;
	size_t n = 0, used = 0, size = strlen(list);

	if (size > APSP_WITHOUT_BYTES_MAX)
		return false;
	/* decode and encode each condition, because a client may have written a
	   percent sign where the canonical form has %25 */
	while (apsp_conditions_next(&at, condition)) {
		if (apsp_condition_name_size(condition) == 0)
			return false;
		parts[n++] = copy + used;
		if (!condition_encode(condition, copy, &used))
			return false;
		used++;
		if (used > APSP_WITHOUT_BYTES_MAX && *at)
			return false;
	}
	if (n > 0)
		qsort(parts, n, sizeof(*parts), order);
	used = 0;
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && strcmp(parts[i], parts[i - 1]) == 0)
			continue;
		size = strlen(parts[i]);
		if (used > 0)
			out[used++] = ',';
		memcpy(out + used, parts[i], size);
		used += size;
	}
	out[used] = '\0';
	return true;
}
