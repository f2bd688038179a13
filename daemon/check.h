/*
 * apspd --check: find out whether apspd could start here and compute tables. If
 * it could not, print what the user should do. The check changes nothing, so it
 * may run while an apspd runs.
 */
#ifndef APSP_DAEMON_CHECK_H
#define APSP_DAEMON_CHECK_H

#include <stdio.h>

#include "daemon/command_line.h"

/*
 * Check options, tokens, addresses, directories, the database and the device.
 * Solve a small graph on the device. Print a line about each of these checks to
 * `stream`. Blocks for some seconds, because kernels are compiled. If the
 * command line was refused, `refused` is the error and `line` is ignored;
 * otherwise `refused` is NULL.
 *
 * Returns the exit status of the process: 0 if all is well, EX_CONFIG if apspd
 * would refuse to start, else 1.
 */
int apsp_check_run(const struct apsp_command_line *line,
	const struct apsp_err *refused, FILE *stream);

#endif
