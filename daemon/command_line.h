/*
 * Reading the settings, which daemon/base/settings.h lists. A setting comes
 * from the command line, otherwise from the environment, otherwise from its
 * initial value.
 *
 * An option --some-name may also be given as the variable APSPD_SOME_NAME. The
 * variable of an option that may be repeated holds several values with blanks
 * between them. An empty variable counts as not set.
 */
#ifndef APSP_DAEMON_COMMAND_LINE_H
#define APSP_DAEMON_COMMAND_LINE_H

#include <stdbool.h>
#include <stdio.h>

#include "daemon/base/err.h"
#include "daemon/base/settings.h"

struct apsp_command_line {
	struct apsp_settings settings;
	bool listens; /* --listen or its variable was given */
	bool help;    /* --help was given; nothing else was parsed */
	bool version; /* --version was given; nothing else was parsed */
	bool check;   /* --check was given: check whether a start would succeed,
			 and exit */
	/* argument of --new-token, borrowed from argv; NULL: not given */
	const char *new_token;
};

/*
 * Parse the settings. A directory that is not given is the first path in
 * STATE_DIRECTORY or CACHE_DIRECTORY (systemd.exec(5)); without these variables
 * it is /var/lib/apspd or /var/cache/apspd for root, $XDG_STATE_HOME/apspd or
 * $XDG_CACHE_HOME/apspd for other users.
 *
 * The caller ends *out with apsp_command_line_done(). APSP_EMALFORMED: the
 * message is a whole sentence for the user. APSP_ENOMEM. Not thread-safe
 * (getopt_long).
 */
int apsp_command_line_parse(int argc, char **argv, bool is_root,
	struct apsp_command_line *out, struct apsp_err *err);
void apsp_command_line_done(struct apsp_command_line *options);

/*
 * Find the next variable, from environment[*at] on, whose name begins with
 * APSPD_ but is unknown to apspd. Such a name is probably mistyped. Store the
 * name at `out`, cut to `size` bytes, and move *at past the variable. False: no
 * such variable is left.
 */
bool apsp_command_line_unknown_variable(
	char *const *environment, size_t *at, char *out, size_t size);

/* The text of --help. */
void apsp_command_line_help(FILE *stream);

#endif
