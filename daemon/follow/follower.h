/*
 * Following another daemon, the writer (daemon/follow/README.md). A thread runs
 * the program apspd-follow as a child, passes the child's connections to the
 * server, and keeps what the child reports. If the child ends, the thread
 * starts another one after a pause that doubles.
 */
#ifndef APSP_DAEMON_FOLLOW_FOLLOWER_H
#define APSP_DAEMON_FOLLOW_FOLLOWER_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"

struct apsp_follower;

/* How far the replica is behind the writer. */
struct apsp_follower_status {
	bool ready; /* the daemon has had all graphs of a complete list, or had
		       graphs when it started */
	bool reachable; /* the writer answered the last request */
	/* seconds since the last complete list of the writer's graphs came, or,
	   if none has come, since the start */
	double seconds_behind;
	bool listed;		/* a complete list has come since the start */
	uint64_t graphs_behind; /* graphs that differ from the writer's */
	/* bundles since the start whose tables failed their proof here */
	uint64_t tables_refused;
	struct apsp_err why; /* the last error; .code is 0: none */
};

struct apsp_follower_config {
	const char *program;	/* path of apspd-follow; copied */
	const char *writer;	/* URL; borrowed */
	const char *token_file; /* NULL: no token; borrowed */
	bool has_graphs;	/* the daemon has graphs already */
};

/* Passes a connected socket to the server, which then owns it. */
typedef void apsp_follower_adopt(void *ctx, int fd);

/* Check that a writer's URL is one that can be followed. APSP_EMALFORMED. */
int apsp_follower_check_url(const char *url, struct apsp_err *err);

/*
 * Make a follower that does not run yet. The caller ends *out with
 * apsp_follower_stop(). APSP_EMALFORMED: as apsp_follower_check_url().
 * APSP_ENOMEM; APSP_EIO: no descriptor.
 */
int apsp_follower_new(const struct apsp_follower_config *config,
	struct apsp_follower **out, struct apsp_err *err);

/* Start the thread. adopt() is called on this thread. APSP_EIO. */
int apsp_follower_start(struct apsp_follower *follower,
	apsp_follower_adopt *adopt, void *ctx, struct apsp_err *err);

/* End the child and the thread, if they run, and free the follower once nobody
   asks for its status any more. Both accept NULL. */
void apsp_follower_stop(struct apsp_follower *follower);
void apsp_follower_free(struct apsp_follower *follower);

/* Any thread. */
void apsp_follower_get(
	struct apsp_follower *follower, struct apsp_follower_status *out);

/* The URL of the writer. Borrowed. */
const char *apsp_follower_writer(const struct apsp_follower *follower);

#endif
