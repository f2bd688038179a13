/*
 * Makes a graph of our daemon the same as the writer's graph: removes profiles
 * and attributes that the writer's graph does not have, and fetches its bundle.
 */
#ifndef APSP_DAEMON_FOLLOW_FETCH_GRAPH_COPY_H
#define APSP_DAEMON_FOLLOW_FETCH_GRAPH_COPY_H

#include "daemon/base/err.h"
#include "daemon/follow/fetch/graph_list.h"
#include "daemon/follow/fetch/writer.h"

/* The last copy of one graph. All members are "" at first. */
struct apsp_copied {
	/* ETag of the bundle that was copied last; "" if this bundle
	   must be fetched again */
	char tag[APSP_WRITER_TAG_SIZE];
	/* id of our daemon's job that computes or proves the tables of
	   `default`; "": the copy needed no such job */
	char job[24];
	/* revision of an upload whose tables our daemon has refused, because
	   they have failed their proof, or because the cache has no room for
	   them. These tables are not fetched again */
	char refused[APSP_HASH_SIZE];
};

enum apsp_copy_state {
	APSP_COPY_WAITS,   /* the tables of `default` are being made */
	APSP_COPY_DIFFERS, /* our daemon answers from the copy, but still
			      computes tables that the writer has, or keeps
			      attributes that the writer has deleted */
	APSP_COPY_ANSWERS, /* our daemon answers as the writer does, but still
			      computes tables that the writer does not have */
	APSP_COPY_ENDED,   /* all jobs have ended */
};

/*
 * Copy a graph that the writer lists as ready. The bundle is not fetched if its
 * ETag is known. The known ETags are that of the bundle that was copied last
 * and, unless a job will change it, that of our daemon's own bundle. If our
 * daemon does not have the graph or cannot read its rows, no ETag is known. If
 * our daemon has refused tables of the writer's upload, the bundle is fetched
 * without tables, and our daemon computes the tables. APSP_EDATA: our daemon
 * refuses the bundle; the message has the reason. APSP_EQUEUEFULL: our daemon's
 * queue has no place for the jobs of the bundle. APSP_ETOOLARGE: our daemon has
 * refused the bundle twice because of the graph's attributes, which are deleted
 * now. Also fails as apsp_writer_bundle() and apsp_local_ask() do.
 */
int apsp_graph_copy(struct apsp_writer *writer,
	const struct apsp_listed_graph *graph, struct apsp_copied *copied,
	struct apsp_err *err);

/* Delete a graph that the writer does not have. If our daemon does not have the
   graph either, nothing happens. APSP_EDATA: our daemon refuses the request.
   Also fails as apsp_local_ask() does. */
int apsp_graph_drop(const char *name, struct apsp_err *err);

/*
 * Return the state of a copy: an enum apsp_copy_state. While the tables of
 * `default` are being made, wait for them up to wait_s seconds. When all jobs
 * have ended, delete attributes that the writer does not have. After a failure,
 * the caller must copy the graph again. APSP_EPROOF: tables of the writer have
 * failed their proof, and copied->refused is set. APSP_EDATA: our daemon has
 * failed to make tables that the writer has, or refuses a request; the message
 * has the reason. Also fails as apsp_local_ask() does.
 */
int apsp_graph_copied(const struct apsp_listed_graph *graph, int wait_s,
	struct apsp_copied *copied, struct apsp_err *err);

/* Add the graphs of our daemon to the list. APSP_EDATA: our daemon refuses the
   request. Also fails as apsp_local_ask() and apsp_graph_list_add() do. */
int apsp_graphs_local(struct apsp_graph_list *out, struct apsp_err *err);

#endif
