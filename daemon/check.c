/*
 * Runs the checks of apspd --check one after another; see check.h.
 */
#include "daemon/check.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sysexits.h>
#include <unistd.h>

#include "api/access/tokens.h"
#include "api/connection/listen.h"
#include "daemon/process_setup.h"
#include "daemon/follow/follower.h"
#include "api/http/guard.h"
#include "daemon/base/auto.h"
#include "daemon/base/budget.h"
#include "daemon/base/limits.h"
#include "daemon/base/log.h"
#include "daemon/base/size.h"
#include "daemon/check_address.h"
#include "daemon/check_device.h"
#include "daemon/check_report.h"
#include "daemon/token_file.h"
#include "storage/database/database.h"
#include "storage/directories/own_directory.h"

static void options_check(const struct apsp_command_line *options,
	struct apsp_check_report *report)
{
	const struct apsp_settings *settings = &options->settings;
	char name[128];
	struct apsp_err err;
	size_t at = 0;

	while (apsp_command_line_unknown_variable(
		environ, &at, name, sizeof(name)))
		apsp_check_note(report, "options",
			"%s is set and means nothing to apspd; is it mistyped?",
			name);
	if (apsp_guard_settings(settings, &err) < 0) {
		apsp_check_wrong(report, "options", &err);
		return;
	}
	apsp_check_ok(report, "options", "%zu address%s, device %s, %u threads",
		settings->listen.n, settings->listen.n == 1 ? "" : "es",
		settings->device, settings->n_threads);
}

/* Check the file of tokens. True: clients need a token, so apspd is allowed to
   listen on any address. */
static bool tokens_check(
	const struct apsp_settings *settings, struct apsp_check_report *report)
{
	APSP_AUTO(apsp_token_file_done) struct apsp_token_file file = {0};
	struct apsp_err err;
	size_t n;

	if (apsp_token_file_load(settings, &file, &err) < 0) {
		apsp_check_wrong(report, "tokens", &err);
		/* the user has asked for tokens, so apsp_check_address() need
		   not report addresses that other machines can reach */
		return true;
	}
	if (!file.tokens) {
		apsp_check_ok(report, "tokens",
			"none are asked for, so only this machine is served");
		return false;
	}
	n = apsp_tokens_count(file.tokens);
	apsp_check_ok(report, "tokens", "%s has %zu token%s", file.path, n,
		n == 1 ? "" : "s");
	return true;
}

/* Check the URL of --follow, the file of --follow-token and the program
   apspd-follow. */
static void follow_check(
	const struct apsp_settings *settings, struct apsp_check_report *report)
{
	char program[PATH_MAX];
	struct apsp_err err;
	int r;

	if (!settings->follow)
		return;
	r = apsp_follower_check_url(settings->follow, &err);
	if (r == 0)
		r = apsp_process_find_follow(program, &err);
	if (r == 0 && settings->follow_token &&
		access(settings->follow_token, R_OK) < 0)
		r = apsp_fail_errno(&err, errno, "%s", settings->follow_token);
	if (r < 0)
		apsp_check_wrong(report, "follow", &err);
	else
		apsp_check_ok(report, "follow", "%s", settings->follow);
}

/*
 * Whether an apspd has locked a directory. This function tries to take a shared
 * lock on the directory, and releases the lock at once. flock(2) cannot test a
 * lock without taking it. If an apspd starts while this function holds the
 * lock, that apspd fails to lock the directory, and tries again
 * (storage/store.c).
 */
static bool is_locked(const char *path)
{
	APSP_AUTO(apsp_close) int fd = -1;

	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 &&
	       errno == EWOULDBLOCK;
}

/* Return the nearest directory above `path` that exists. NULL: the path is too
   long. */
static const char *existing_parent(const char *path, char out[PATH_MAX])
{
	struct stat st;

	if (strlen(path) >= PATH_MAX)
		return NULL;
	strcpy(out, path);
	do {
		char *slash = strrchr(out, '/');

		if (!slash || slash == out)
			return strcpy(out, "/");
		*slash = '\0';
	} while (stat(out, &st) < 0);
	return out;
}

enum {
	SHM_BYTES = 32768, /* size of a new file apspd.sqlite-shm in bytes */
};

/* Check that the state directory's disk has the space that uploads must leave
   free (daemon/base/budget.h). To start, apspd needs only 32 KiB: the file
   apspd.sqlite-shm (SQLite's index of the log), which a clean stop removes. */
static int space_check(const char *path, struct apsp_err *err)
{
	char free_text[APSP_SIZE_TEXT_SIZE], spare_text[APSP_SIZE_TEXT_SIZE];
	uint64_t free_bytes, spare;
	struct statvfs fs;

	if (statvfs(path, &fs) < 0)
		return apsp_fail_errno(
			err, errno, "measure the free space of '%s'", path);
	free_bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
	spare = apsp_budget_spare(&fs, APSP_SPARE_DISK_BYTES);
	if (free_bytes >= spare)
		return 0;
	apsp_sizes_format(spare, free_bytes, spare_text, free_text);
	return apsp_fail(err, APSP_ESTATEFULL,
		"the disk of '%s' has %s free, and uploads are refused below "
		"%s: make room there, or choose another --state-dir%s",
		path, free_text, spare_text,
		free_bytes < SHM_BYTES
			? "; apspd cannot start if it has to make "
			  "apspd.sqlite-shm (33 kB)"
			: "");
}

static int writable_check(
	const char *path, const char *purpose, struct apsp_err *err)
{
	if (access(path, R_OK | W_OK | X_OK) == 0)
		return 0;
	return apsp_fail(err, APSP_EIO,
		"'%s' cannot be written by user %u%s: %s; let apspd run as its "
		"owner, or choose another directory",
		path, (unsigned int)geteuid(), purpose, strerror(errno));
}

/* Check the state directory or the cache directory. True: the directory exists,
   and this user can read and write it. */
static bool directory_check(const char *what, const char *path,
	const char *other, bool *out_marked, struct apsp_check_report *report)
{
	char parent[PATH_MAX], free_text[APSP_SIZE_TEXT_SIZE];
	bool usable = false, exists = false;
	struct statvfs fs = {0};
	struct apsp_err err;
	struct stat st;
	int r = apsp_own_directory_check(path, other, out_marked, &err);

	if (r == 0) {
		exists = stat(path, &st) == 0;
		if (exists)
			r = writable_check(path, "", &err);
		else if (existing_parent(path, parent))
			r = writable_check(parent,
				", so no directory can be made in it", &err);
		else
			r = apsp_fail(&err, APSP_EIO,
				"the directory's name is too long");
		usable = exists && r == 0;
	}
	if (usable && report->in_use && !report->serves && is_locked(path))
		r = apsp_fail(&err, APSP_EIO,
			"another apspd is using '%s'; stop it or choose other "
			"directories",
			path);
	if (r < 0) {
		apsp_check_wrong(report, what, &err);
		return usable;
	}
	statvfs(exists ? path : parent, &fs);
	apsp_size_format((uint64_t)fs.f_bavail * fs.f_frsize, free_text);
	apsp_check_ok(report, what, "%s %s, %s are free", path,
		!exists		 ? "is not there yet and can be made"
		: !*out_marked	 ? "can be taken"
		: report->in_use ? "is used by the apspd that runs"
				 : "is apspd's",
		free_text);
	return usable;
}

/* Check the database. If `marked` is true, apspd has used the state directory
   before, so an empty database file is an error. */
static void database_check(
	const char *state_dir, bool marked, struct apsp_check_report *report)
{
	static const char what[] = "database";
	APSP_AUTO(apsp_free) char *path = NULL;
	struct apsp_database_look look;
	char graphs[40] = "";
	struct apsp_err err;
	struct stat st;

	if (asprintf(&path, "%s/" APSP_DIRECTORY_DATABASE, state_dir) < 0) {
		path = NULL;
		return;
	}
	if (stat(path, &st) < 0) {
		if (errno == ENOENT) {
			apsp_check_ok(
				report, what, "%s is not there yet", path);
			return;
		}
		apsp_fail_errno(&err, errno, "look at '%s'", path);
		apsp_check_wrong(report, what, &err);
		return;
	}
	if (report->in_use) {
		apsp_check_ok(report, what, "%s is used by the apspd that runs",
			path);
		return;
	}
	if (st.st_size == 0 && marked)
		apsp_fail(&err, APSP_EUNUSABLE,
			"'%s' is empty: put a copy in its place, or remove it "
			"to begin anew",
			path);
	else if (access(path, R_OK | W_OK) < 0)
		apsp_fail(&err, APSP_EUNUSABLE,
			"'%s' cannot be written; let the user that apspd runs "
			"as write to it",
			path);
	else if (apsp_database_look(path, &look, &err) == 0) {
		if (look.graphs >= 0)
			snprintf(graphs, sizeof(graphs),
				", %" PRId64 " graph%s", look.graphs,
				look.graphs == 1 ? "" : "s");
		apsp_check_ok(report, what,
			"%s has format %" PRId64 " of %d%s%s", path,
			look.version, apsp_n_migrations, graphs,
			look.has_log ? ", and a log that the start takes in"
				     : "");
		return;
	}
	apsp_check_wrong(report, what, &err);
}

static int conclude(const struct apsp_check_report *report)
{
	if (report->n_wrong == 0)
		fputs("All is right.\n", report->stream);
	else
		fprintf(report->stream, "%u %s wrong.\n", report->n_wrong,
			report->n_wrong == 1 ? "thing is" : "things are");
	fflush(report->stream);
	return report->n_wrong == 0 ? EXIT_SUCCESS
	       : report->refused    ? EX_CONFIG
				    : EXIT_FAILURE;
}

int apsp_check_run(const struct apsp_command_line *line,
	const struct apsp_err *refused, FILE *stream)
{
	const struct apsp_settings *settings = &line->settings;
	struct apsp_check_report report = {.stream = stream};
	struct apsp_err repeated, space;
	bool any_address, has_state, marked, cache_marked;

	if (refused) {
		apsp_check_wrong(&report, "options", refused);
		return conclude(&report);
	}
	/* log only warnings and errors, so that the output of --check has only
	   the results of the checks */
	apsp_log_start(APSP_LOG_WARNING);
	options_check(line, &report);
	any_address = tokens_check(settings, &report);
	follow_check(settings, &report);
	report.in_use = is_locked(settings->state_dir) ||
			is_locked(settings->cache_dir);
	if (apsp_listen_repeats_check(&settings->listen, &repeated) < 0)
		apsp_check_wrong(&report, "address", &repeated);
	for (size_t i = 0; i < settings->listen.n; i++)
		apsp_check_address(settings->listen.items[i],
			settings->socket_group, any_address, &report);
	has_state = directory_check("state", settings->state_dir,
		settings->cache_dir, &marked, &report);
	directory_check("cache", settings->cache_dir, settings->state_dir,
		&cache_marked, &report);
	if (has_state && space_check(settings->state_dir, &space) < 0)
		apsp_check_wrong(&report, "state", &space);
	if (has_state)
		database_check(settings->state_dir, marked, &report);
	apsp_check_device(settings, &report);
	return conclude(&report);
}
