/*
 * Finding, watching and reloading the file with tokens; see token_file.h.
 */
#include "daemon/token_file.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "api/access/tokens.h"
#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "daemon/base/log.h"

enum {
	/* milliseconds between two attempts to read the file */
	RETRY_MS = 5000,
};

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

/*
 * Watch the directory that contains `path`. Two of the watched events show that
 * a new file is complete: the writer of the file closes the file, or the file
 * is moved into the directory.
 */
static int directory_watch(int fd, const char *path, struct apsp_err *err)
{
	char copy[PATH_MAX];

	if (strlen(path) >= sizeof(copy))
		return apsp_fail_errno(err, ENAMETOOLONG, "watch '%s'", path);
	strcpy(copy, path);
	if (inotify_add_watch(fd, dirname(copy),
		    IN_CLOSE_WRITE | IN_ATTRIB | IN_CREATE | IN_DELETE |
			    IN_MOVED_TO | IN_MOVED_FROM) < 0)
		return apsp_fail_errno(err, errno, "watch '%s'", path);
	return 0;
}

/* Watch the directory of the file and, if the file is a symbolic link, also the
   directory of the link's target. */
static int directories_watch(int fd, const char *path, struct apsp_err *err)
{
	char real[PATH_MAX];
	int r = directory_watch(fd, path, err);

	if (r == 0 && realpath(path, real))
		r = directory_watch(fd, real, err);
	return r;
}

int apsp_token_file_watch(
	char *path, struct apsp_token_file *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_close) int fd = -1;
	int r;

	*out = (struct apsp_token_file){.path = path, .fd = -1};
	fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (fd < 0)
		return apsp_fail_errno(err, errno, "watch '%s'", path);
	r = directories_watch(fd, path, err);
	if (r < 0)
		return r;
	stat(path, &out->seen);
	out->fd = APSP_TAKE_FD(fd);
	return 0;
}

void apsp_token_file_done(struct apsp_token_file *file)
{
	apsp_close(&file->fd);
	free(file->path);
}

static bool is_same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* Discard the events of inotify, and check the file's status. True: the file
   was changed or replaced since the last check. */
static bool has_changed(struct apsp_token_file *file)
{
	char events[4096] __attribute__((aligned(8)));
	const struct stat old = file->seen;

	while (read(file->fd, events, sizeof(events)) > 0)
		; /* ignore the events, because only the present state of the
		     directory matters */
	/* if the file is a symbolic link, its target may now be in another
	   directory: watch that directory before checking the file */
	directories_watch(file->fd, file->path, NULL);
	if (stat(file->path, &file->seen) < 0)
		memset(&file->seen, 0, sizeof(file->seen));
	return old.st_dev != file->seen.st_dev ||
	       old.st_ino != file->seen.st_ino ||
	       old.st_size != file->seen.st_size ||
	       !is_same_time(&old.st_mtim, &file->seen.st_mtim) ||
	       !is_same_time(&old.st_ctim, &file->seen.st_ctim);
}

int apsp_token_file_due_ms(const struct apsp_token_file *file)
{
	int64_t left_ns = file->again_ns - apsp_clock_ns();

	if (file->again_ns == 0)
		return -1;
	return left_ns > 0 ? (int)(left_ns / 1000000) + 1 : 0;
}

/* Read the tokens and log the result. `again` is true if the last attempt
   failed and the file has not changed since. */
static void tokens_reload(
	struct apsp_token_file *file, struct apsp_tokens *tokens, bool again)
{
	size_t before = apsp_tokens_count(tokens), after;
	int64_t now_ns = apsp_clock_ns();
	struct apsp_err err;
	int r = apsp_tokens_reload(tokens, file->path, now_ns, &err);

	/*
	 * after a failure, set a time for another attempt: reading may have
	 * failed because no descriptor was free, and no event reports when a
	 * descriptor becomes free
	 */
	file->again_ns = 0;
	if (r != 0)
		file->again_ns =
			now_ns + (int64_t)(r > 0 ? r : RETRY_MS) * 1000000;
	if (r > 0 || (r < 0 && again))
		return;
	after = apsp_tokens_count(tokens);
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

void apsp_token_file_tend(
	struct apsp_token_file *file, struct apsp_tokens *tokens, bool asked)
{
	bool again;

	if (!tokens) {
		if (asked)
			apsp_log(APSP_LOG_NOTICE,
				"there are no tokens to be read again");
		return;
	}
	/* has_changed() is always called, because it also discards events */
	again = !has_changed(file) && !asked;
	if (!again || apsp_token_file_due_ms(file) == 0)
		tokens_reload(file, tokens, again);
}
