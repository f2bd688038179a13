/*
 * The file with tokens: where it is, and when it has changed.
 *
 * The directory of the file is watched rather than the file, because editors
 * put a new file in its place; where the file is a symbolic link, its target's
 * directory, too.
 */
#ifndef APSP_DAEMON_TOKEN_FILE_H
#define APSP_DAEMON_TOKEN_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "daemon/base/err.h"
#include "daemon/base/settings.h"

struct apsp_token_file {
	char *path; /* owned; NULL: no tokens are asked for */
	int fd;	    /* readable when something has happened; -1: not watched */
	struct stat seen; /* as it was when it was last looked at */
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
 * Take what has happened, and tell whether the file is another one or has
 * another content than when it was last looked at. Never blocks.
 */
bool apsp_token_file_changed(struct apsp_token_file *file);

#endif
