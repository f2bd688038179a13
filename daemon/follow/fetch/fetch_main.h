/*
 * The loop of apspd-follow: keeps the graphs of our daemon equal to the graphs
 * of another daemon, the writer.
 */
#ifndef APSP_DAEMON_FOLLOW_FETCH_FETCH_MAIN_H
#define APSP_DAEMON_FOLLOW_FETCH_FETCH_MAIN_H

/*
 * Follow the writer until the process is killed or stdout is closed. `url` is
 * the URL of the writer, without a slash at its end. token_file is the file
 * with the token; NULL: requests have no token. Prints a line "state" with
 * fields (daemon/base/fields.h) after each step:
 *
 *	reachable	1: the writer has answered the last request
 *	listed		1: a complete list of the writer's graphs has just
 *			arrived
 *	behind		number of graphs that the writer answers from and that
 *			differ from the writer's; absent until a complete list
 *			has arrived
 *	complete	1: `default` of all these graphs answers as at the
 *			writer, whose list says that it has all graphs
 *	refused		1: since the previous line, tables of the writer have
 *			failed their proof; our daemon computes them itself
 *	why		the last error; empty if there is none
 *
 * While a bundle is transferred, prints a line "alive" each minute, so that the
 * daemon does not take a long transfer for a child that hangs.
 *
 * Returns only if libcurl cannot start: then the result is the exit status
 * EXIT_FAILURE.
 */
int apsp_fetch_main(const char *url, const char *token_file);

#endif
