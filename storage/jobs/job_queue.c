/*
 * The queue of jobs; see job_queue.h.
 */
#include "storage/jobs/job_queue.h"

#include "daemon/base/clock.h"
#include "storage/database/sql.h"
#include "storage/jobs/job_part.h"
#include "storage/snapshots/graph_snapshot.h"
#include "storage/snapshots/transaction.h"

void apsp_put_result_done(struct apsp_put_result *result)
{
	apsp_graph_snapshot_unref(result->snapshot);
	result->snapshot = NULL;
}

const struct apsp_generation *apsp_put_result_generation(
	const struct apsp_put_result *result)
{
	return apsp_graph_snapshot_live(result->snapshot, result->generation);
}

static int queue_refuse(const struct apsp_store *store, unsigned int waiting,
	unsigned int n, struct apsp_err *err)
{
	if (n > 1)
		return apsp_fail(err, APSP_EQUEUEFULL,
			"%u jobs are waiting, and with the %u of these "
			"profiles they would be more than the %u that may; try "
			"again, or delete profiles",
			waiting, n, store->jobs->max_queued);
	return apsp_fail(err, APSP_EQUEUEFULL,
		"%u jobs are waiting, and no more may", waiting);
}

int apsp_job_queue_reserve(
	struct apsp_store *store, unsigned int n, struct apsp_err *err)
{
	struct apsp_active_jobs *jobs = &store->active;
	unsigned int waiting;
	bool full;

	pthread_mutex_lock(&jobs->lock);
	waiting = (unsigned int)jobs->queued.n + jobs->n_reserved;
	full = (uint64_t)waiting + n > store->jobs->max_queued;
	if (!full)
		jobs->n_reserved += n;
	pthread_mutex_unlock(&jobs->lock);
	return full ? queue_refuse(store, waiting, n, err) : 0;
}

void apsp_job_queue_release(struct apsp_store *store, unsigned int n)
{
	pthread_mutex_lock(&store->active.lock);
	store->active.n_reserved -= n;
	pthread_mutex_unlock(&store->active.lock);
}

int apsp_job_queue_check(struct apsp_transaction *tx, struct apsp_err *err)
{
	struct apsp_store *store = tx->store;
	unsigned int n = (unsigned int)tx->n_new_jobs, others;
	int64_t queued = 0;
	int r;

	r = apsp_sql_int(tx->db,
		"SELECT count(*) FROM jobs WHERE state = 'queued'", NULL,
		&queued, err);
	if (r < 0)
		return r;
	/*
	 * count the queued jobs, and the places that other uploads have
	 * reserved. Do not count the places that the upload in this transaction
	 * has reserved: they are for its new jobs, which are in `queued`
	 * already
	 */
	pthread_mutex_lock(&store->active.lock);
	others = store->active.n_reserved - tx->n_reserved;
	pthread_mutex_unlock(&store->active.lock);
	if ((uint64_t)queued + others <= store->jobs->max_queued)
		return 0;
	return queue_refuse(store, (unsigned int)queued + others - n, n, err);
}

/*
 * Find a queued or running job for the graph place->graph, for an upload with
 * the revision place->revision, and for the rule with the hash `hash`. Jobs
 * that are about to end are ignored: a job to which no profile refers, and a
 * running job that a client has cancelled. Returns 1; or 0 if there is no such
 * job.
 */
static int job_share(struct apsp_transaction *tx,
	const struct apsp_profile_place *place, const char *hash, uint64_t *out,
	struct apsp_err *err)
{
	int64_t id;
	int r;

	r = apsp_sql_int(tx->db,
		"SELECT j.id FROM jobs j WHERE j.state IN"
		" ('queued', 'running') AND j.graph = ?1 AND j.revision = ?2"
		" AND j.hash = ?3 AND j.error_code IS NULL AND EXISTS"
		" (SELECT 1 FROM profiles p WHERE p.job = j.id)",
		APSP_BIND(apsp_bind_text(place->graph),
			apsp_bind_text(place->revision), apsp_bind_text(hash)),
		&id, err);
	if (r > 0)
		*out = (uint64_t)id;
	return r;
}

static int job_insert(struct apsp_transaction *tx,
	const struct apsp_profile_place *place, const char *rule,
	const char *hash, uint64_t *out_job, struct apsp_err *err)
{
	struct apsp_job_stages stages = {.since_s = tx->since_s};
	char stages_text[APSP_JOB_STAGES_TEXT_SIZE];
	int r;

	apsp_job_stages_end(&stages, APSP_STAGE_STORE);
	apsp_job_stages_format(&stages, stages_text);
	r = apsp_sql_run(tx->db,
		"INSERT INTO jobs (generation, graph, profile, revision, rule,"
		" hash, state, queued_at_ms, stages)"
		" VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'queued', ?7, ?8)",
		APSP_BIND(apsp_bind_id(place->generation),
			apsp_bind_text(place->graph),
			apsp_bind_text(place->name),
			apsp_bind_text(place->revision), apsp_bind_text(rule),
			apsp_bind_text(hash),
			apsp_bind_int(apsp_clock_utc_ms()),
			apsp_bind_text(stages_text)),
		err);
	if (r < 0)
		return r;
	*out_job = (uint64_t)sqlite3_last_insert_rowid(tx->db);
	tx->n_new_jobs++;
	tx->jobs_queued = true;
	return 0;
}

int apsp_job_queue_add(struct apsp_transaction *tx,
	const struct apsp_profile_place *place, const char *rule,
	const char *hash, uint64_t *out_job, struct apsp_err *err)
{
	int r;

	r = job_share(tx, place, hash, out_job, err);
	/* the job becomes a job of this upload, because this upload may replace
	   the earlier upload of the job before the job is claimed */
	if (r > 0)
		r = apsp_sql_run(tx->db,
			"UPDATE jobs SET generation = ?2 WHERE id = ?1",
			APSP_BIND(apsp_bind_id(*out_job),
				apsp_bind_id(place->generation)),
			err);
	else if (r == 0)
		r = job_insert(tx, place, rule, hash, out_job, err);
	return r;
}
