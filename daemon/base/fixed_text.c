/*
 * Copies a text if the memory is large enough; see fixed_text.h.
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
