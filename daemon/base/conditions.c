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

/* Write one byte of a condition, encoded if necessary. Returns the number of
   bytes; 0: they do not fit into `size` bytes. */
static size_t byte_encode(char byte, char *out, size_t size)
{
	const char *code = byte == ',' ? "%2C" : byte == '%' ? "%25" : NULL;
	size_t n = code ? strlen(code) : 1;

	if (n > size)
		return 0;
	memcpy(out, code ? code : &byte, n);
	return n;
}

bool apsp_conditions_add(char list[APSP_CONDITIONS_SIZE], const char *condition)
{
	size_t before = strlen(list), used = before;

	if (used > 0 && used < APSP_WITHOUT_BYTES_MAX)
		list[used++] = ',';
	for (const char *c = condition; *c; c++) {
		size_t n = byte_encode(
			*c, list + used, APSP_WITHOUT_BYTES_MAX - used);

		if (n == 0) {
			list[before] = '\0';
			return false;
		}
		used += n;
	}
	list[used] = '\0';
	return true;
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
	/* encode each condition again, because a client may have written a
	   percent sign that encodes nothing */
	while (apsp_conditions_next(&at, condition)) {
		size_t length;

		if (apsp_condition_name_size(condition) == 0)
			return false;
		parts[n++] = copy + used;
		copy[used] = '\0';
		length = 0;
		for (const char *c = condition; *c; c++) {
			size_t bytes = byte_encode(*c, copy + used + length,
				APSP_WITHOUT_BYTES_MAX - used - length);

			if (bytes == 0)
				return false;
			length += bytes;
		}
		used += length;
		copy[used++] = '\0';
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
