/*
 * A change: one transaction on the writer's connection and what follows from
 * it. The views of the graphs that it touched are built inside the transaction;
 * after the commit they are shown at once, then files go and others are told.
 *
 *	APSP_AUTO(apsp_change_done) struct apsp_change change = {0};
 *	r = apsp_change_begin(&change, store, err);
 *	… rows; apsp_change_touch(&change, graph, err) …
 *	r = apsp_change_commit(&change, err);
 */
#ifndef APSP_STORAGE_CHANGE_H
#define APSP_STORAGE_CHANGE_H

#include "storage/sql.h"
#include "storage/store_parts.h"
#include "storage/view.h"

struct apsp_ids {
	uint64_t *ids; /* owned */
	size_t n;
	size_t capacity;
};

struct apsp_touched {
	char name[APSP_NAME_SIZE];
	const struct apsp_graph_view *view; /* owned until it is shown */
};

struct apsp_change {
	struct apsp_store *store;
	sqlite3 *db;
	bool open;
	bool quiet;	  /* call no hooks: nobody is there yet */
	bool jobs_queued; /* a job more is waiting */
	bool sweep;	  /* a generation was given up */
	bool unbounded;	  /* jobs are queued whatever the bound says */
	size_t n_new_jobs;
	struct apsp_touched *touched; /* owned */
	size_t n_touched;
	size_t touched_capacity;
	struct apsp_ids changed_jobs;
	struct apsp_ids unwanted_jobs;
	struct apsp_ids dropped_tables;
	struct apsp_label_box
		*fresh; /* borrowed; see struct apsp_view_sources */
	const char *fresh_revision;
};

int apsp_change_begin(struct apsp_change *change, struct apsp_store *store,
	struct apsp_err *err);

/* The view of this graph must be built anew. Any number of times. */
int apsp_change_touch(
	struct apsp_change *change, const char *graph, struct apsp_err *err);

/* The same for each graph that sql selects, in its first column. */
int apsp_change_touch_each(struct apsp_change *change, const char *sql,
	const struct apsp_bind *values, struct apsp_err *err);

int apsp_ids_add(struct apsp_ids *ids, uint64_t id, struct apsp_err *err);

/* On failure nothing has happened, and apsp_change_done() undoes the rows. */
int apsp_change_commit(struct apsp_change *change, struct apsp_err *err);

void apsp_change_done(struct apsp_change *change);

#endif
