/*
 * Copies texts if the memory is large enough; see fixed_text.h.
 */
#include "daemon/base/fixed_text.h"

#include <string.h>

bool apsp_fixed_text_set(char *out, size_t size, const char *text)
{
	size_t length = strlen(text);

	if (length >= size)
		return false;
	memcpy(out, text, length + 1);
	return true;
}

void apsp_fixed_text_list(char *out, size_t size, const char *const *names)
{
	size_t n = 0;

	*out = '\0';
	for (size_t i = 0; names[i]; i++) {
		const char *comma = i > 0 ? ", " : "";

		if (n + strlen(comma) + strlen(names[i]) >= size)
			return;
		n = (size_t)(stpcpy(stpcpy(out + n, comma), names[i]) - out);
	}
}

bool apsp_fixed_text_is_among(const char *const *names, const char *name)
{
	while (names && *names && strcmp(*names, name) != 0)
		names++;
	return names && *names;
}
