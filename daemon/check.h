/*
 * apspd --check: would apspd start here and compute, and if not, what is to be
 * done? Nothing is changed, so it can be asked beside an apspd that runs, too.
 */
#ifndef APSP_DAEMON_CHECK_H
#define APSP_DAEMON_CHECK_H

#include <stdbool.h>
#include <stdio.h>

#include "daemon/options.h"

/*
 * Look at options, tokens, addresses, directories, the database and the device,
 * solve a small graph on it, and print a line for each to stream. Blocks for
 * some seconds: kernels are compiled. Returns the status that the process ends
 * with: 0, or EX_CONFIG where the start would be refused, else 1.
 */
int apsp_check_run(const struct apsp_options *options, FILE *stream);

/* The same where the options cannot be read, for the reason in err. */
int apsp_check_options_wrong(const struct apsp_err *err, FILE *stream);

#endif
