/*
 * The loop of apspd-follow, which is a child process of apspd. It makes the
 * graphs of its parent ("our daemon") the same as the graphs of another daemon,
 * the writer.
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
 *	listed		1: the writer has just sent its whole list of graphs, or
 *			has said that its list is unchanged
 *	behind		number of graphs that are to be copied or deleted, or
 *			whose copies do not yet answer as the writer's graphs
 *			do; absent until a whole list has arrived
 *	complete	1: the writer's list says that it has all graphs, and
 *			`default` of each graph from which the writer answers,
 *			answers here as at the writer
 *	refused		1: since the previous line, tables of the writer have
 *			failed their proof; our daemon computes them itself
 *	why		the last error; empty if there is none
 *
 * Before each of these lines that follows a request for the list, prints a line
 * "lost" with the name of each graph that the writer cannot read. If our daemon
 * has no copy of such a graph, it lists the graph as the writer does.
 *
 * While a bundle is transferred, prints a line "alive" each minute, so that our
 * daemon does not end the child as hanging.
 *
 * Returns only if libcurl cannot start: then the result is the exit status
 * EXIT_FAILURE.
 */
int apsp_fetch_main(const char *url, const char *token_file);

#endif
