/*
 * The calls between parts that must not include each other's headers:
 *
 *	store → worker, server    hooks: jobs queued, job changed, job unwanted,
 *	                          the expected seconds of a job
 *	store → worker of rows    hook: rows wanted
 *	worker → store            ops: claim, load, publish, fail, put back
 *
 * A hook calls a part only if this part was an argument of the latest call of
 * apsp_links_set(). An op always calls the store, because the store outlives
 * the worker.
 */
#ifndef APSP_DAEMON_LINKS_H
#define APSP_DAEMON_LINKS_H

#include <pthread.h>

#include "api/http/server.h"
#include "compute/worker/row_worker.h"
#include "compute/worker/worker.h"
#include "storage/store.h"

/* The parts of the daemon that call each other by hooks (functions that the
   store calls) and by ops (functions that the worker calls). The owner
   initialises the struct with .mutex = PTHREAD_MUTEX_INITIALIZER. */
struct apsp_links {
	struct apsp_store *store;   /* must be set before apsp_links_ops() */
	pthread_mutex_t mutex;	    /* guards the members below */
	struct apsp_worker *worker; /* NULL: hooks do not call a worker */
	/* NULL: hooks do not call a worker of rows */
	struct apsp_row_worker *rows;
	struct apsp_server *server; /* NULL: hooks do not call a server */
};

/* Return the hooks, which the store calls. They borrow `links`. */
struct apsp_store_hooks apsp_links_hooks(struct apsp_links *links);
/* Return the ops, which the worker calls. They borrow `links`. */
struct apsp_worker_ops apsp_links_ops(struct apsp_links *links);

/* Set the parts that hooks call. If an argument is NULL, hooks do not call that
   part. Waits until all running hooks have returned. */
void apsp_links_set(struct apsp_links *links, struct apsp_worker *worker,
	struct apsp_row_worker *rows, struct apsp_server *server);

#endif
