/*
 * The queue of jobs. It consists of the rows of the database table `jobs` in
 * the state `queued`, in order of id (storage/jobs/README.md, Life of a table
 * set).
 */
#ifndef APSP_STORAGE_JOBS_JOB_QUEUE_H
#define APSP_STORAGE_JOBS_JOB_QUEUE_H

#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/job/job.h"

struct apsp_generation;
struct apsp_graph_snapshot;
struct apsp_store;
struct apsp_transaction;

/*
 * The result of a command that defines a profile. For an upload, it is the
 * result for the upload's profile `default`.
 */
struct apsp_put_result {
	uint64_t job; /* id of the profile's job; 0: no job is needed, because
			 the tables already exist */
	enum apsp_job_state job_state;
	uint64_t generation; /* id of the profile's generation */
	/* snapshot of the graph right after the commit; owned */
	const struct apsp_graph_snapshot *snapshot;
};

void apsp_put_result_done(struct apsp_put_result *result);

/* Return the generation whose id is result->generation, borrowed from the
   snapshot; NULL: the generation cannot be read. */
const struct apsp_generation *apsp_put_result_generation(
	const struct apsp_put_result *result);

/* A profile for which a job is to be queued. The profile's generation is live
   (current or pending). All strings are borrowed. */
struct apsp_profile_place {
	uint64_t generation;
	const char *revision;
	const char *graph;
	const char *name;
};

/*
 * Reserve n places of the queue for a later command. The places stay reserved
 * until apsp_job_queue_release(). An upload reserves places when it begins, so
 * that the queue has room when it ends. Any thread may call this.
 * APSP_EQUEUEFULL: fewer places are free.
 */
int apsp_job_queue_reserve(
	struct apsp_store *store, unsigned int n, struct apsp_err *err);
void apsp_job_queue_release(struct apsp_store *store, unsigned int n);

/*
 * At the end of a transaction that queued new jobs, check that the queue has
 * places for them. APSP_EQUEUEFULL, APSP_EDB.
 */
int apsp_job_queue_check(struct apsp_transaction *tx, struct apsp_err *err);

/*
 * Find or queue a job for the tables of a profile. A queued or running job is
 * used if it is for the graph place->graph, for an upload with the revision
 * place->revision, and for the rule `rule`. It becomes a job of the generation
 * place->generation, which may be a newer upload of the same graph. If there is
 * no such job, a new job is queued. `rule` is the profile's rule as canonical
 * text, and `hash` is the hash of this text. APSP_EDB.
 */
int apsp_job_queue_add(struct apsp_transaction *tx,
	const struct apsp_profile_place *place, const char *rule,
	const char *hash, uint64_t *out_job, struct apsp_err *err);

#endif
