/*
 * The calls between parts that must not include each other's headers:
 *
 *	store → worker, server    hooks: jobs queued, job changed, job unwanted,
 *	                          how long a job will take
 *	worker → store            ops: claim, load, publish, fail, put back
 *
 * A hook reaches a part only between the part's start and apsp_links_cut(). Ops
 * need no such guard, because the store outlives the worker.
 */
#ifndef APSP_DAEMON_LINKS_H
#define APSP_DAEMON_LINKS_H

#include <pthread.h>

#include "api/http/server.h"
#include "compute/worker/worker.h"
#include "storage/store.h"

struct apsp_links {
	struct apsp_store *store; /* set before the worker starts */
	pthread_mutex_t mutex;	  /* of what follows */
	struct apsp_worker *worker;
	struct apsp_server *server;
};

void apsp_links_init(struct apsp_links *links);
void apsp_links_done(struct apsp_links *links);

/* What to give the store and the worker when they start; links is borrowed. */
struct apsp_store_hooks apsp_links_hooks(struct apsp_links *links);
struct apsp_worker_ops apsp_links_ops(struct apsp_links *links);

/* The part has started: the other parts may call it from now on. */
void apsp_links_set_worker(
	struct apsp_links *links, struct apsp_worker *worker);
void apsp_links_set_server(
	struct apsp_links *links, struct apsp_server *server);

/* From the return on, no hook calls the worker or the server. */
void apsp_links_cut(struct apsp_links *links);

#endif
