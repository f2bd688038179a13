/*
 * Makes our daemon's graph the same as the writer's: fetches its bundle, and
 * removes the profiles and attributes that the writer does not have.
 */
#ifndef APSP_DAEMON_FOLLOW_FETCH_GRAPH_COPY_H
#define APSP_DAEMON_FOLLOW_FETCH_GRAPH_COPY_H

#include "daemon/base/err.h"
#include "daemon/follow/fetch/graph_list.h"
#include "daemon/follow/fetch/writer.h"

/*
 * Copy a graph that the writer lists as ready. `tag` is the ETag of the bundle
 * that was copied last, "" if there was none, and is set to that of this one.
 * If our daemon's bundle has the same ETag, no bundle is fetched.
 * APSP_EDATA: our daemon refuses the bundle; the message has its reason.
 * Other codes: as apsp_writer_bundle() and apsp_local_ask().
 */
int apsp_graph_copy(struct apsp_writer *writer,
	const struct apsp_listed_graph *graph, char tag[APSP_WRITER_TAG_SIZE],
	struct apsp_err *err);

/* Delete a graph that the writer does not have. It is no error if our daemon
   does not have the graph either. APSP_EDATA: our daemon refuses; APSP_EIO. */
int apsp_graph_drop(const char *name, struct apsp_err *err);

/*
 * Returns 1 if our daemon answers from this revision or never will, because
 * the job of the tables has failed; 0 if the tables are still being computed.
 * APSP_EIO.
 */
int apsp_graph_served(
	const struct apsp_listed_graph *graph, struct apsp_err *err);

/* Add the graphs of our daemon to the list. APSP_EIO, APSP_EDATA. */
int apsp_graphs_local(struct apsp_graph_list *out, struct apsp_err *err);

#endif
