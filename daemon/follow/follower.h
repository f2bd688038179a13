/*
 * Follows another daemon, the writer (daemon/follow/README.md). A thread runs
 * the program apspd-follow as a child, passes the child's connections to the
 * server, and stores the child's reports. If the child ends, the thread starts
 * another one after a pause. The pause is 250 ms at first, and doubles with
 * each child that did not reach the writer, up to a minute.
 */
#ifndef APSP_DAEMON_FOLLOW_FOLLOWER_H
#define APSP_DAEMON_FOLLOW_FOLLOWER_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"

struct apsp_follower;

/* The state of the follower: how far the replica is behind the writer. */
struct apsp_follower_status {
	const char *writer; /* URL of the writer; borrowed from the
			       configuration */
	/* at least once since the start, the writer's list said that it has all
	   graphs, and the daemon answered from each graph from which the writer
	   answered */
	bool complete;
	/* the daemon had graphs at the start, or `complete` is true */
	bool ready;
	bool reachable; /* the writer answered the last request */
	/* seconds since the writer last sent its whole list of graphs or said
	   that the list is unchanged; before the first list, seconds since the
	   start */
	double seconds_behind;
	bool listed; /* a whole list has arrived since the start */
	/* number of graphs that are to be copied or deleted, or whose copies do
	   not yet answer as the writer's graphs do */
	uint64_t graphs_behind;
	/* number of bundles since the start whose tables have failed their
	   proof in our daemon */
	uint64_t tables_refused;
	/* the last error; .code is 0 if there was no error, or if the cause of
	   the error has gone */
	struct apsp_err why;
};

struct apsp_follower_config {
	const char *program;	/* path of apspd-follow; copied */
	const char *writer;	/* URL; borrowed */
	const char *token_file; /* file with the token; NULL: requests have no
				   token; borrowed */
	bool has_graphs;	/* the daemon has a graph that can be read */
};

/* A function that passes a connected socket to the server, which then owns the
   socket. */
typedef void apsp_follower_adopt(void *ctx, int fd);

/* A function that gets the name of a graph that the writer cannot read. The
   daemon's list must name this graph when the function returns. The name comes
   from the child, and may be malformed. */
typedef void apsp_follower_lost(void *ctx, const char *name);

/* Check the URL of a writer. APSP_EMALFORMED: the text is no URL of a
   writer. */
int apsp_follower_check_url(const char *url, struct apsp_err *err);

/*
 * Make a follower that does not run yet. The caller ends *out with
 * apsp_follower_stop() and apsp_follower_free(). APSP_ENOMEM. APSP_EIO: no
 * descriptor is left. Also fails as apsp_follower_check_url() does.
 */
int apsp_follower_new(const struct apsp_follower_config *config,
	struct apsp_follower **out, struct apsp_err *err);

/* Start the thread. It calls adopt() for each connection that the child makes,
   and lost() for each name that the child prints. Fails with the codes of
   apsp_fail_errno(). */
int apsp_follower_start(struct apsp_follower *follower,
	apsp_follower_adopt *adopt, apsp_follower_lost *lost, void *ctx,
	struct apsp_err *err);

/* apsp_follower_stop() ends the child and the thread, if they run.
   apsp_follower_free() frees the follower; call it after the last call of
   apsp_follower_get(). Both functions accept NULL. */
void apsp_follower_stop(struct apsp_follower *follower);
void apsp_follower_free(struct apsp_follower *follower);

/* Copy the status. Any thread may call this. */
void apsp_follower_get(
	struct apsp_follower *follower, struct apsp_follower_status *out);

#endif
