/*
 * The words for a missing value; see missing_value.h.
 */
#include "storage/ingest/missing_value.h"

#include <string.h>
#include <strings.h>

bool apsp_missing_value(const char *text, size_t size)
{
	static const char *const words[] = {
		"", "NA", "N/A", "#N/A", "NaN", "null", "None"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i]) == size &&
			strncasecmp(words[i], text, size) == 0)
			return true;
	return false;
}
