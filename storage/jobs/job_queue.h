/*
 * The queue of jobs, which is the table of jobs in the database: a row in state
 * `queued` waits, in order of id (storage/jobs/README.md, Life of a table set).
 */
#ifndef APSP_STORAGE_JOBS_JOB_QUEUE_H
#define APSP_STORAGE_JOBS_JOB_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/job.h"

enum {
	APSP_JOB_QUEUE_MAX = 256, /* jobs that may wait, in the daemon */
};

struct apsp_generation;
struct apsp_graph_snapshot;
struct apsp_store;
struct apsp_transaction;

/*
 * What a command that asks for a profile's tables did. A graph's profile is
 * `default`.
 */
struct apsp_put_result {
	uint64_t job; /* the profile's; 0: its tables are there */
	enum apsp_job_state job_state;
	bool created;	     /* the graph's or profile's first */
	uint64_t generation; /* the upload whose profile it is */
	/* the graph right after the commit; owned */
	const struct apsp_graph_snapshot *snapshot;
};

void apsp_put_result_done(struct apsp_put_result *result);

/* The generation, borrowed from the snapshot; NULL: it cannot be read. */
const struct apsp_generation *apsp_put_result_generation(
	const struct apsp_put_result *result);

/* A profile of one live generation, to which a job belongs. Borrowed texts. */
struct apsp_profile_place {
	uint64_t generation;
	const char *revision;
	const char *graph;
	const char *name;
};

/* Whether one more job may be queued; any thread. APSP_EQUEUEFULL. */
int apsp_job_queue_admit(struct apsp_store *store, struct apsp_err *err);

/*
 * Keep n places of the queue for a command that comes later, until
 * apsp_job_queue_release(): what was let in when its upload began is not
 * refused when that ends. Any thread. APSP_EQUEUEFULL: there are not as many.
 */
int apsp_job_queue_reserve(
	struct apsp_store *store, unsigned int n, struct apsp_err *err);
void apsp_job_queue_release(struct apsp_store *store, unsigned int n);

/*
 * At the end of a transaction that queued new jobs: whether as many may wait.
 * APSP_EQUEUEFULL, APSP_EDB.
 */
int apsp_job_queue_check(struct apsp_transaction *tx, struct apsp_err *err);

/*
 * Find a job of the same graph that is under way for the same tables, else
 * queue a new one. rule and hash are the canonical text and its hash. APSP_EDB.
 */
int apsp_job_queue_add(struct apsp_transaction *tx,
	const struct apsp_profile_place *place, const char *rule,
	const char *hash, uint64_t *out_job, struct apsp_err *err);

#endif
