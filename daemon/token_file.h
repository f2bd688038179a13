/*
 * The file that has the tokens: finding the file's path, and reading the file
 * again when it has changed.
 *
 * The directory of the file is watched instead of the file, because editors
 * replace the file by a new one. If the file is a symbolic link, the directory
 * of the link's target is watched, too.
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
	char *path; /* owned; NULL: no tokens are required */
	int fd;	    /* inotify's descriptor; -1: the file is not watched */
	struct stat seen; /* the file's status when it was last checked */
	/* time at which to read the file again, because it was empty or
	   unreadable; 0: never */
	int64_t again_ns;
};

/*
 * Store in *out the path that --tokens gives, otherwise the path of the service
 * manager's credential "tokens". *out is NULL if there is neither, because then
 * no tokens are required. The caller frees *out. APSP_ENOMEM.
 */
int apsp_token_file_find(
	const struct apsp_settings *settings, char **out, struct apsp_err *err);

/*
 * Watch the file at `path`. *out owns the string `path`, also after a failure.
 * The caller ends *out with apsp_token_file_done(). APSP_EIO: the file cannot
 * be watched, so its changes will not be noticed.
 */
int apsp_token_file_watch(
	char *path, struct apsp_token_file *out, struct apsp_err *err);
void apsp_token_file_done(struct apsp_token_file *file);

/*
 * If necessary, read the tokens again and log the result. This is necessary if
 * the file was changed or replaced since the last check, if another attempt to
 * read the file is due (apsp_token_file_due_ms()), or if `asked` is true. If
 * `tokens` is NULL, no tokens are required, and nothing is read. In this case,
 * a message is logged if `asked` is true. Never blocks.
 */
void apsp_token_file_tend(
	struct apsp_token_file *file, struct apsp_tokens *tokens, bool asked);

/* The number of milliseconds after which apsp_token_file_tend() must be called
   even if the file does not change; -1: never. */
int apsp_token_file_due_ms(const struct apsp_token_file *file);

#endif
