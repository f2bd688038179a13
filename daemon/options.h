/*
 * What apspd is told to do: the command line, then the environment, then the
 * defaults. Every option --some-name is also the variable APSPD_SOME_NAME; an
 * option that may be repeated takes a list with blanks between there. An empty
 * variable is one that is not set.
 */
#ifndef APSP_DAEMON_OPTIONS_H
#define APSP_DAEMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "api/listen.h"
#include "daemon/base/err.h"
#include "daemon/base/log.h"

enum {
	APSP_ALLOWED_HOSTS_MAX = 64,
	APSP_THREADS_MAX = 256,
};

/* All texts are owned. */
struct apsp_options {
	char *listen[APSP_LISTENERS_MAX]; /* at least one */
	size_t n_listen;
	char *allowed_hosts[APSP_ALLOWED_HOSTS_MAX];
	size_t n_allowed_hosts;
	char *state_dir; /* absolute */
	char *cache_dir; /* absolute */
	char *device;
	uint64_t device_memory; /* bytes; 0: no cap */
	unsigned int n_threads;
	enum apsp_log_level log_level;
	bool help;    /* nothing else was looked at */
	bool version; /* nothing else was looked at */
};

/*
 * Not given, the directories are the first of STATE_DIRECTORY and
 * CACHE_DIRECTORY (systemd.exec(5)), else /var/lib/apspd and /var/cache/apspd
 * for root and $XDG_STATE_HOME/apspd and $XDG_CACHE_HOME/apspd for others.
 *
 * The caller ends *out with apsp_options_done(). APSP_EMALFORMED: the message
 * is a whole sentence for the user. APSP_ENOMEM. Not thread-safe: getopt_long.
 */
int apsp_options_parse(int argc, char **argv, bool is_root,
	struct apsp_options *out, struct apsp_err *err);
void apsp_options_done(struct apsp_options *options);

/* The text of --help. */
void apsp_options_help(FILE *stream);

#endif
