/*
 * One transaction on the writer's connection, and the steps after its commit.
 * Before the commit, a new snapshot is built for each graph that was passed to
 * apsp_transaction_touch(). After the commit, the new snapshots are shown to
 * requests, one graph after the other. Then the hooks about jobs are called,
 * and the files of dropped tables are removed.
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
#include "storage/snapshots/store_core.h"

struct apsp_touched {
	char name[APSP_NAME_SIZE];
	const struct apsp_graph_snapshot
		*snapshot; /* owned until the commit shows it to requests */
};

struct apsp_transaction {
	struct apsp_store *store;
	sqlite3 *db;
	bool open;
	/*
	 * True: the commit does not wait for the disk, so a power cut can undo
	 * it, until a commit that is not lazy follows. Set this for changes
	 * that can be repeated, and for changes that have no effect before a
	 * later commit that is not lazy.
	 */
	bool lazy;
	bool quiet; /* call no hooks about jobs, because the store is just being
		       opened */
	bool jobs_queued; /* a job was queued, for the first time or again */
	bool sweep; /* after the commit, housekeeping looks for rows to remove:
		       rows of deleted generations, and attributes to which no
		       generation refers */
	unsigned int n_reserved; /* number of places in the queue that the
				    caller has reserved */
	size_t n_new_jobs;	 /* number of jobs queued for the first time */
	double since_s; /* monotonic time in seconds at which the stage `store`
			   of new jobs begins (daemon/job/job_stages.h); 0:
			   now */
	struct apsp_touched *touched; /* owned */
	size_t n_touched;
	size_t touched_capacity;
	struct apsp_ids queued, running; /* ids of the jobs that are queued or
					    running after the commit */
	struct apsp_ids changed_jobs; /* jobs whose rows change, and active jobs
					 to which a profile no longer refers */
	struct apsp_ids unwanted_jobs;
	struct apsp_ids dropped_tables;
	unsigned int n_damaged; /* number of dropped tables that were damaged or
				   absent */
	/* Labels that the new snapshots can share; see struct
	   apsp_graph_reader. Borrowed; may be NULL. */
	struct apsp_labels *fresh;
	const char *fresh_revision;
};

/* Begin a transaction. APSP_EUNUSABLE: the database's file was removed.
   APSP_EDB. */
int apsp_transaction_begin(struct apsp_transaction *tx,
	struct apsp_store *store, struct apsp_err *err);

/*
 * Make the commit rebuild the graph's snapshot. The call may be repeated for
 * the same graph. If the graph's rows cannot be read, the transaction
 * continues. After the commit, the snapshot map reports a trouble of the graph
 * (snapshot_map.h). APSP_ENOMEM.
 */
int apsp_transaction_touch(
	struct apsp_transaction *tx, const char *graph, struct apsp_err *err);

/* Run the statement `sql`, and call apsp_transaction_touch() for each graph
   whose name it returns in its first column. Also fails as apsp_sql_fail()
   does. */
int apsp_transaction_touch_each(struct apsp_transaction *tx, const char *sql,
	const struct apsp_bind *values, struct apsp_err *err);

/* Call this when the transaction changes the row of a job of the graph `graph`.
   After the commit, requests see the change, and requests that wait for the job
   are resumed. APSP_ENOMEM. */
int apsp_transaction_touch_job(struct apsp_transaction *tx, uint64_t job,
	const char *graph, struct apsp_err *err);

/* Run a statement that returns ids in its first column, and add these ids to
   `ids`. APSP_ENOMEM, and fails as apsp_sql_fail() does. */
int apsp_transaction_collect(struct apsp_transaction *tx, const char *sql,
	const struct apsp_bind *values, struct apsp_ids *ids,
	struct apsp_err *err);

/* Commit, and show the changes to requests. After a failure,
   apsp_transaction_done() undoes all changes. */
int apsp_transaction_commit(struct apsp_transaction *tx, struct apsp_err *err);

void apsp_transaction_done(struct apsp_transaction *tx);

#endif
