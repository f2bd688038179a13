/*
 * The file with tokens, found and watched.
 */
#ifndef APSP_DAEMON_TOKEN_FILE_H
#define APSP_DAEMON_TOKEN_FILE_H

#include "daemon/base/err.h"
#include "daemon/base/settings.h"

/*
 * The path of --tokens, else of the service manager's credential "tokens"; NULL
 * in *out: there is neither, and no tokens are asked for. The caller frees
 * *out. APSP_ENOMEM.
 */
int apsp_token_file_find(
	const struct apsp_settings *settings, char **out, struct apsp_err *err);

#endif
