/*
 * Finds and loads the file that has the tokens, and reads it again when it has
 * changed.
 *
 * Every second, the main thread reads the status (stat(2)) of the file to which
 * the path of the tokens leads. So the main thread notices a change in each of
 * these cases: an editor has overwritten the file or replaced it, or a symbolic
 * link in the path leads to another file.
 */
#ifndef APSP_DAEMON_TOKEN_FILE_H
#define APSP_DAEMON_TOKEN_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "daemon/base/err.h"
#include "daemon/base/settings.h"

struct apsp_tokens;

enum {
	/* milliseconds between two calls of apsp_token_file_tend() */
	APSP_TOKEN_FILE_MS = 1000,
};

struct apsp_token_file {
	char *path;		    /* owned; NULL: no tokens are required */
	struct apsp_tokens *tokens; /* owned; NULL: no tokens are required */
	struct stat seen; /* the file's status when it was last checked */
	bool unread; /* the last attempt to read a changed file failed, or found
			the file empty; so the next call of
			apsp_token_file_tend() tries again */
};

/*
 * Load the tokens from the path that --tokens gives, otherwise from the service
 * manager's credential "tokens". If neither the option nor the credential is
 * given, no tokens are required. The caller ends *out with
 * apsp_token_file_done(), also after a failure. Fails as apsp_tokens_load()
 * does; then out->path is set.
 */
int apsp_token_file_load(const struct apsp_settings *settings,
	struct apsp_token_file *out, struct apsp_err *err);
void apsp_token_file_done(struct apsp_token_file *file);

/*
 * If necessary, read the tokens again and log the result. Reading is necessary
 * if the file was changed or replaced since the last check, if the last attempt
 * to read it did not succeed, or if `asked` is true. If no tokens are required,
 * nothing is read; then a message is logged if `asked` is true. Never blocks.
 */
void apsp_token_file_tend(struct apsp_token_file *file, bool asked);

#endif
