/*
 * The file with tokens; see token_file.h.
 */
#include "daemon/token_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/auto.h"

int apsp_token_file_find(
	const struct apsp_settings *settings, char **out, struct apsp_err *err)
{
	const char *credentials = getenv("CREDENTIALS_DIRECTORY");
	APSP_AUTO(apsp_free) char *path = NULL;

	*out = NULL;
	if (!settings->tokens && !credentials)
		return 0;
	if (settings->tokens)
		path = strdup(settings->tokens);
	else if (asprintf(&path, "%s/tokens", credentials) < 0)
		path = NULL;
	if (!path)
		return apsp_fail(err, APSP_ENOMEM, "no memory for tokens");
	if (settings->tokens || access(path, F_OK) == 0 || errno != ENOENT)
		*out = APSP_TAKE(path);
	return 0;
}
