/*
 * Checking names; see name.h.
 */
#include "daemon/base/name.h"

#include <stddef.h>
#include <string.h>

#include "daemon/base/fixed_text.h"
#include "daemon/base/utf8.h"

bool apsp_name_valid(const char *text)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "abcdefghijklmnopqrstuvwxyz"
				      "0123456789._~-";
	size_t size = strlen(text);

	return size > 0 && size < APSP_NAME_SIZE && *text != '.' &&
	       strspn(text, allowed) == size;
}

int apsp_name_set(char out[APSP_NAME_SIZE], const char *kind, const char *text,
	struct apsp_err *err)
{
	if (apsp_name_valid(text) &&
		apsp_fixed_text_set(out, APSP_NAME_SIZE, text))
		return 0;
	return apsp_fail(err, APSP_EMALFORMED,
		"'%s' cannot name a %s: 1 to 128 of A-Z a-z 0-9 . _ ~ -, not "
		"starting with a dot",
		apsp_excerpt_of(text, strlen(text)).text, kind);
}
