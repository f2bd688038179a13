/*
 * Makes our daemon's graph the same as the writer's: fetches its bundle, and
 * removes the profiles and attributes that the writer does not have.
 */
#ifndef APSP_DAEMON_FOLLOW_FETCH_GRAPH_COPY_H
#define APSP_DAEMON_FOLLOW_FETCH_GRAPH_COPY_H

#include "daemon/base/err.h"
#include "daemon/follow/fetch/graph_list.h"
#include "daemon/follow/fetch/writer.h"

/* The last copy of one graph. All members are "" at first. */
struct apsp_copied {
	char tag[APSP_WRITER_TAG_SIZE]; /* ETag of its bundle */
	/* our daemon's job for the tables of `default`; "": there was none */
	char job[24];
	/* the upload whose tables have failed their proof here; they are not
	   fetched again */
	char refused[APSP_HASH_SIZE];
};

enum apsp_copy_state {
	APSP_COPY_WAITS,   /* the tables of `default` are being made */
	APSP_COPY_ANSWERS, /* our daemon answers from the copy; jobs of other
			      profiles have not ended */
	APSP_COPY_ENDED,   /* all jobs have ended */
};

/*
 * Copy a graph that the writer lists as ready. If our daemon's bundle has the
 * ETag of the writer's, or the writer's is the one that was copied last, no
 * bundle is fetched. If the tables of this upload have failed their proof, the
 * bundle is fetched without tables, and our daemon computes them. APSP_EDATA:
 * our daemon refuses the bundle; the message has its reason. Other codes: as
 * apsp_writer_bundle() and apsp_local_ask().
 */
int apsp_graph_copy(struct apsp_writer *writer,
	const struct apsp_listed_graph *graph, struct apsp_copied *copied,
	struct apsp_err *err);

/* Delete a graph that the writer does not have. It is no error if our daemon
   does not have the graph either. APSP_EDATA: our daemon refuses; APSP_EIO. */
int apsp_graph_drop(const char *name, struct apsp_err *err);

/*
 * Return what has become of a copy: an enum apsp_copy_state. A job that has
 * failed has ended. While the tables of `default` are being made, wait for them
 * up to wait_s seconds. APSP_EPROOF: tables of the writer have failed their
 * proof, which copied->refused records now; copy the graph again. APSP_EIO,
 * APSP_EDATA.
 */
int apsp_graph_copied(const struct apsp_listed_graph *graph, int wait_s,
	struct apsp_copied *copied, struct apsp_err *err);

/* Add the graphs of our daemon to the list. APSP_EIO, APSP_EDATA. */
int apsp_graphs_local(struct apsp_graph_list *out, struct apsp_err *err);

#endif
