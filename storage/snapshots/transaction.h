/*
 * One transaction on the writer's connection, and what follows from its commit.
 * The snapshots of the graphs that it touched are built inside it. After the
 * commit they are shown all at once, then the hooks are called, and the files
 * of dropped tables are removed.
 *
 *	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
 *	r = apsp_transaction_begin(&tx, store, err);
 *	… rows; apsp_transaction_touch(&tx, graph, err) …
 *	r = apsp_transaction_commit(&tx, err);
 */
#ifndef APSP_STORAGE_SNAPSHOTS_TRANSACTION_H
#define APSP_STORAGE_SNAPSHOTS_TRANSACTION_H

#include "storage/database/sql.h"
#include "storage/snapshots/graph_snapshot.h"
#include "storage/snapshots/store_internal.h"
#include "storage/snapshots/troubles.h"

struct apsp_ids {
	uint64_t *ids; /* owned */
	size_t n;
	size_t capacity;
};

struct apsp_touched {
	char name[APSP_NAME_SIZE];
	/* owned, until it is shown and they are told: */
	const struct apsp_graph_snapshot *snapshot;
	struct apsp_trouble *troubles;
};

struct apsp_transaction {
	struct apsp_store *store;
	sqlite3 *db;
	bool open;
	/* A power cut may undo it, until the next one that is not lazy: for
	   what can be done again, or has no meaning before that one. */
	bool lazy;
	bool quiet;		      /* call no hooks: nobody is there yet */
	bool jobs_queued;	      /* a job was queued, or queued again */
	bool sweep;		      /* a generation was given up */
	unsigned int n_reserved;      /* of the places that are kept, our own */
	size_t n_new_jobs;	      /* queued for the first time */
	double since_s;		      /* of new jobs' stages; 0: from now on */
	struct apsp_touched *touched; /* owned */
	size_t n_touched;
	size_t touched_capacity;
	struct apsp_ids changed_jobs;
	struct apsp_ids unwanted_jobs;
	struct apsp_ids dropped_tables;
	unsigned int n_damaged; /* of them, because damaged or absent */
	/* borrowed, or NULL: see struct apsp_graph_snapshot_sources */
	struct apsp_labels *fresh;
	const char *fresh_revision;
};

/* APSP_EUNUSABLE: the database's file was removed. APSP_EDB. */
int apsp_transaction_begin(struct apsp_transaction *tx,
	struct apsp_store *store, struct apsp_err *err);

/*
 * Have the graph's snapshot built anew. Any number of times. Where the graph's
 * rows cannot be read, the transaction goes on, and the graph is in trouble
 * (troubles.h) from its commit on. APSP_ENOMEM.
 */
int apsp_transaction_touch(
	struct apsp_transaction *tx, const char *graph, struct apsp_err *err);

/* The same for each graph that sql selects, in its first column; fails as
   apsp_sql_fail() does, too. */
int apsp_transaction_touch_each(struct apsp_transaction *tx, const char *sql,
	const struct apsp_bind *values, struct apsp_err *err);

/* Run a statement that returns ids in its first column, and add them to ids.
   Errors as above. */
int apsp_transaction_collect(struct apsp_transaction *tx, const char *sql,
	const struct apsp_bind *values, struct apsp_ids *ids,
	struct apsp_err *err);

/* APSP_ENOMEM. */
int apsp_ids_add(struct apsp_ids *ids, uint64_t id, struct apsp_err *err);

/* If it fails, nothing has happened once apsp_transaction_done() was called. */
int apsp_transaction_commit(struct apsp_transaction *tx, struct apsp_err *err);

void apsp_transaction_done(struct apsp_transaction *tx);

#endif
