/*
 * The file with tokens: where it is, when it has changed, and reading it again.
 *
 * The directory of the file is watched rather than the file, because editors
 * put a new file in its place; where the file is a symbolic link, its target's
 * directory, too.
 */
#ifndef APSP_DAEMON_TOKEN_FILE_H
#define APSP_DAEMON_TOKEN_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "daemon/base/err.h"
#include "daemon/base/settings.h"

struct apsp_tokens;

struct apsp_token_file {
	char *path; /* owned; NULL: no tokens are asked for */
	int fd;	    /* readable when something has happened; -1: not watched */
	struct stat seen; /* as it was when it was last looked at */
	/* when a file is read again that was empty or could not be read; 0:
	   never */
	int64_t again_ns;
};

/*
 * The path of --tokens, else of the service manager's credential "tokens"; NULL
 * in *out: there is neither, and no tokens are asked for. The caller frees
 * *out. APSP_ENOMEM.
 */
int apsp_token_file_find(
	const struct apsp_settings *settings, char **out, struct apsp_err *err);

/*
 * Watch the file at path, which is taken over, on failure, too. The caller ends
 * *out with apsp_token_file_done(). APSP_EIO: changes will not be seen.
 */
int apsp_token_file_watch(
	char *path, struct apsp_token_file *out, struct apsp_err *err);
void apsp_token_file_done(struct apsp_token_file *file);

/*
 * Read the tokens again, and log what came of it, if the file is another one or
 * has another content than when it was last looked at, or is due
 * (apsp_token_file_due_ms()), or in any case if asked. tokens NULL: none are
 * asked for, and a request to read them is only logged. Never blocks.
 */
void apsp_token_file_tend(
	struct apsp_token_file *file, struct apsp_tokens *tokens, bool asked);

/* In how many milliseconds apsp_token_file_tend() is to be called although
   nothing has happened; -1: never. */
int apsp_token_file_due_ms(const struct apsp_token_file *file);

#endif
