/*
 * Where the settings come from (daemon/base/settings.h has the list of them):
 * the command line, else the environment, else the initial value.
 *
 * Every option --some-name is also the variable APSPD_SOME_NAME. The variable
 * of an option that may be repeated holds a list with blanks between the
 * values. An empty variable counts as not set.
 */
#ifndef APSP_DAEMON_OPTIONS_H
#define APSP_DAEMON_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "daemon/base/err.h"
#include "daemon/base/settings.h"

struct apsp_options {
	struct apsp_settings settings;
	bool listens; /* --listen or its variable was given */
	bool help;    /* nothing else was looked at */
	bool version; /* nothing else was looked at */
	bool check;   /* look whether a start would succeed, and end */
	/* what --new-token says, borrowed from argv; NULL: none is wanted */
	const char *new_token;
};

/*
 * A directory that is not given is the first path in STATE_DIRECTORY or
 * CACHE_DIRECTORY (systemd.exec(5)); without these variables it is
 * /var/lib/apspd or /var/cache/apspd for root, $XDG_STATE_HOME/apspd or
 * $XDG_CACHE_HOME/apspd for others.
 *
 * The caller ends *out with apsp_options_done(). APSP_EMALFORMED: the message
 * is a whole sentence for the user. APSP_ENOMEM. Not thread-safe (getopt_long).
 */
int apsp_options_parse(int argc, char **argv, bool is_root,
	struct apsp_options *out, struct apsp_err *err);
void apsp_options_done(struct apsp_options *options);

/*
 * The next variable, from environment[*at] on, whose name begins as an option's
 * does and is none that apspd reads: a mistyped one. Its name is stored at out,
 * cut to its size, and *at is moved past it. False: there are no more.
 */
bool apsp_options_unknown_variable(
	char *const *environment, size_t *at, char *out, size_t size);

/* The text of --help. */
void apsp_options_help(FILE *stream);

#endif
