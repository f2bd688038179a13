/*
 * Finds, loads and reloads the file with tokens; see token_file.h.
 */
#include "daemon/token_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/access/tokens.h"
#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "daemon/base/log.h"

/* Read the file's status (stat(2)), and store it in file->seen. True: the file
   was changed or replaced since the status was read before. */
static bool has_changed(struct apsp_token_file *file)
{
	const struct stat old = file->seen;

	if (stat(file->path, &file->seen) < 0)
		memset(&file->seen, 0, sizeof(file->seen));
	return old.st_dev != file->seen.st_dev ||
	       old.st_ino != file->seen.st_ino ||
	       old.st_size != file->seen.st_size ||
	       memcmp(&old.st_mtim, &file->seen.st_mtim, sizeof(old.st_mtim)) !=
		       0 ||
	       memcmp(&old.st_ctim, &file->seen.st_ctim, sizeof(old.st_ctim)) !=
		       0;
}

int apsp_token_file_load(const struct apsp_settings *settings,
	struct apsp_token_file *out, struct apsp_err *err)
{
	const char *credentials = getenv("CREDENTIALS_DIRECTORY");
	APSP_AUTO(apsp_free) char *path = NULL;

	*out = (struct apsp_token_file){0};
	if (!settings->tokens && !credentials)
		return 0;
	if (settings->tokens)
		path = strdup(settings->tokens);
	else if (asprintf(&path, "%s/tokens", credentials) < 0)
		path = NULL;
	if (!path)
		return apsp_fail(err, APSP_ENOMEM, "no memory for tokens");
	/* the service manager may pass other credentials, but no tokens; then
	   no tokens are required */
	if (!settings->tokens && access(path, F_OK) < 0 && errno == ENOENT)
		return 0;
	out->path = APSP_TAKE(path);
	/* store the file's status before the file is read, so that a change
	   during the reading is noticed later */
	has_changed(out);
	return apsp_tokens_load(out->path, &out->tokens, err);
}

void apsp_token_file_done(struct apsp_token_file *file)
{
	apsp_tokens_free(file->tokens);
	free(file->path);
}

void apsp_token_file_tend(struct apsp_token_file *file, bool asked)
{
	size_t before, after;
	struct apsp_err err;
	bool again;
	int r;

	if (!file->tokens) {
		if (asked)
			apsp_log(APSP_LOG_NOTICE,
				"there are no tokens to be read again");
		return;
	}
	again = !has_changed(file) && !asked;
	if (again && !file->unread)
		return;
	before = apsp_tokens_count(file->tokens);
	r = apsp_tokens_reload(file->tokens, file->path, apsp_clock_ns(), &err);
	file->unread = r != 0;
	if (r > 0 || (r < 0 && again))
		return;
	after = apsp_tokens_count(file->tokens);
	if (r < 0)
		apsp_log_always(APSP_LOG_WARNING,
			"change refused tokens file=\"%s\" n=%zu: the file "
			"was not read, the previous tokens remain valid: %s",
			file->path, before, err.message);
	else
		apsp_log_always(after > 0 ? APSP_LOG_NOTICE : APSP_LOG_WARNING,
			"changed tokens file=\"%s\" before=%zu after=%zu%s",
			file->path, before, after,
			after > 0 ? "" : ": nobody has access");
}
