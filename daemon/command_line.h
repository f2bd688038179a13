/*
 * Reads the settings, which daemon/base/settings.h lists. The value of a
 * setting comes from the command line. If the command line does not give the
 * setting, the value comes from the environment. If neither gives the setting,
 * the value is the initial value.
 *
 * An option --some-name may also be given as the environment variable
 * APSPD_SOME_NAME. If an option may be repeated, its variable may hold several
 * values with blanks between them. An empty variable counts as not set.
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
	/* --help was given; later options and all variables were ignored */
	bool help;
	/* --version was given; later options and all variables were ignored */
	bool version;
	bool check; /* --check was given: check whether a start would succeed,
		       and exit */
	/* argument of --new-token, borrowed from argv; NULL: the option was not
	   given */
	const char *new_token;
};

/*
 * Read the settings. If the state directory is not given, it is the first path
 * in the variable STATE_DIRECTORY (systemd.exec(5)). If this variable is not
 * set, the state directory is /var/lib/apspd for root, and
 * $XDG_STATE_HOME/apspd for other users. The cache directory is found in the
 * same way by CACHE_DIRECTORY, /var/cache/apspd and $XDG_CACHE_HOME/apspd.
 *
 * The caller ends *out with apsp_command_line_done(). APSP_EMALFORMED: the
 * message is a whole sentence for the user. APSP_ENOMEM. Not thread-safe
 * (getopt_long).
 */
int apsp_command_line_parse(int argc, char **argv, bool is_root,
	struct apsp_command_line *out, struct apsp_err *err);
void apsp_command_line_done(struct apsp_command_line *options);

/*
 * Search the environment, beginning at environment[*at], for the next variable
 * whose name begins with APSPD_ but is not known to apspd. A name of this kind
 * is probably mistyped. Copy the name to `out`, cut to `size` bytes, and move
 * *at past the variable. False: there are no more such variables.
 */
bool apsp_command_line_unknown_variable(
	char *const *environment, size_t *at, char *out, size_t size);

/* Print the text of --help to `stream`. */
void apsp_command_line_help(FILE *stream);

#endif
