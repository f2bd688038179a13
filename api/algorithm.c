/*
 * Names of algorithms: refused when they are asked for, not when the job runs.
 */
#include "api/algorithm.h"

#include <stdio.h>
#include <string.h>

int apsp_algorithm_check(
	const struct apsp_request *req, const char *name, struct apsp_err *err)
{
	const char *const *known = apsp_request_config(req)->algorithms;
	char list[APSP_MESSAGE_SIZE] = "";
	size_t n = 0;

	if (!*name || !known)
		return 0;
	for (size_t i = 0; known[i]; i++) {
		if (strcmp(known[i], name) == 0)
			return 0;
		if (n < sizeof(list))
			n += (size_t)snprintf(list + n, sizeof(list) - n,
				"%s%s", i ? ", " : "", known[i]);
	}
	return apsp_fail(err, APSP_EMALFORMED,
		"algorithm is '%s'; expected one of: %s", name, list);
}
