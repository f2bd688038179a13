/*
 * What is stored and cannot be used at present: graphs and profiles whose rows
 * cannot be read, tables whose file cannot be opened. Each is one sentence, for
 * readyz and the log; all else is served (storage/snapshots/README.md, One bad
 * row).
 */
#ifndef APSP_STORAGE_SNAPSHOTS_TROUBLES_H
#define APSP_STORAGE_SNAPSHOTS_TROUBLES_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/base/err.h"
#include "daemon/base/name.h"

struct apsp_graph_snapshot;

/* One trouble of a graph, in a list. */
struct apsp_trouble {
	struct apsp_trouble *next; /* owned */
	char graph[APSP_NAME_SIZE];
	bool whole; /* nothing of the graph can be read */
	struct apsp_err err;
};

void apsp_trouble_free(struct apsp_trouble *list); /* accepts NULL */

/* Put before *list that, and why, the graph cannot be read. APSP_ENOMEM. */
int apsp_trouble_add_graph(struct apsp_trouble **list, const char *graph,
	const struct apsp_err *why, struct apsp_err *err);

/* Put before *list what the snapshot tells of its profiles. APSP_ENOMEM. */
int apsp_trouble_add_profiles(struct apsp_trouble **list,
	const struct apsp_graph_snapshot *snapshot, struct apsp_err *err);

/* All troubles; any thread. */
struct apsp_troubles;

/* The caller ends *out with apsp_troubles_free(). APSP_ENOMEM. */
int apsp_troubles_new(struct apsp_troubles **out, struct apsp_err *err);
void apsp_troubles_free(struct apsp_troubles *troubles); /* accepts NULL */

/*
 * The graph's troubles are those of list (taken over, may be NULL) from now on.
 * tell (may be NULL) is called with each sentence that was not there before.
 * Never fails.
 */
void apsp_troubles_set(struct apsp_troubles *troubles, const char *graph,
	struct apsp_trouble *list,
	void (*tell)(void *ctx, const char *sentence), void *ctx);

/* Whether the graph as a whole is in trouble; then that is the error. */
int apsp_troubles_check(struct apsp_troubles *troubles, const char *graph,
	struct apsp_err *err);

/* Copy at most max troubles. Returns how many there are. */
size_t apsp_troubles_list(
	struct apsp_troubles *troubles, struct apsp_err *out, size_t max);

#endif
