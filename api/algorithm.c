/*
 * Names of algorithms: refused when they are asked for, not when the job runs.
 */
#include "api/algorithm.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool is_among(const char *const *names, const char *name)
{
	for (; *names; names++)
		if (strcmp(*names, name) == 0)
			return true;
	return false;
}

static int name_refuse(
	const char *const *known, const char *name, struct apsp_err *err)
{
	char list[APSP_MESSAGE_SIZE] = "";
	size_t n = 0;

	for (size_t i = 0; known[i]; i++)
		if (n < sizeof(list))
			n += (size_t)snprintf(list + n, sizeof(list) - n,
				"%s%s", i ? ", " : "", known[i]);
	return apsp_fail(err, APSP_EMALFORMED,
		"algorithm is '%s'; expected one of: %s", name, list);
}

int apsp_algorithm_check(const struct apsp_request *req,
	const struct apsp_profile *profile, struct apsp_err *err)
{
	const struct apsp_server_config *config = apsp_request_config(req);
	const char *name = profile->algorithm;

	if (!*name)
		return 0;
	if (config->algorithms && !is_among(config->algorithms, name))
		return name_refuse(config->algorithms, name, err);
	if (config->hops_only && is_among(config->hops_only, name) &&
		profile->transform != APSP_TRANSFORM_HOPS)
		return apsp_fail(err, APSP_EMALFORMED,
			"algorithm %s counts arcs; it takes transform=hops, "
			"and here it is %s",
			name, apsp_transform_name(profile->transform));
	return 0;
}
