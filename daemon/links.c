/*
 * Implements the store's hooks and the worker's ops (operations); see links.h.
 */
#include "daemon/links.h"

#include "compute/plan/graph_guess.h"
#include "daemon/base/log.h"
#include "storage/jobs/job_graph.h"
#include "storage/jobs/job_publish.h"
#include "storage/jobs/job_claim.h"
#include "storage/jobs/job_tries.h"

static void jobs_queued(void *ctx)
{
	struct apsp_links *links = ctx;

	pthread_mutex_lock(&links->mutex);
	if (links->worker)
		apsp_worker_wake(links->worker);
	pthread_mutex_unlock(&links->mutex);
}

static void rows_changed(void *ctx)
{
	struct apsp_links *links = ctx;

	pthread_mutex_lock(&links->mutex);
	if (links->rows)
		apsp_row_worker_wake(links->rows);
	pthread_mutex_unlock(&links->mutex);
}

static void job_changed(void *ctx, uint64_t id)
{
	struct apsp_links *links = ctx;

	pthread_mutex_lock(&links->mutex);
	if (links->server)
		apsp_server_job_changed(links->server, id);
	pthread_mutex_unlock(&links->mutex);
}

static void graphs_changed(void *ctx)
{
	struct apsp_links *links = ctx;

	pthread_mutex_lock(&links->mutex);
	if (links->server)
		apsp_server_graphs_changed(links->server);
	pthread_mutex_unlock(&links->mutex);
}

static void job_progressed(void *ctx, uint64_t id, double progress)
{
	struct apsp_links *links = ctx;

	pthread_mutex_lock(&links->mutex);
	if (links->server)
		apsp_server_job_progressed(links->server, id, progress);
	pthread_mutex_unlock(&links->mutex);
}

static void job_unwanted(void *ctx, uint64_t id)
{
	struct apsp_links *links = ctx;

	pthread_mutex_lock(&links->mutex);
	if (links->worker)
		apsp_worker_cancel(links->worker, id);
	pthread_mutex_unlock(&links->mutex);
}

static double job_seconds(void *ctx, const struct apsp_job_size *size,
	const struct apsp_profile *rule)
{
	const struct apsp_estimate *chosen = NULL;
	struct apsp_worker_estimate estimate;
	struct apsp_links *links = ctx;
	struct apsp_workload work;

	apsp_graph_guess_workload(
		size->n_vertices, size->n_arcs, size->weights, rule, &work);
	pthread_mutex_lock(&links->mutex);
	if (links->worker &&
		apsp_worker_estimate(links->worker, &work, APSP_PLAN_UNKNOWN,
			rule->algorithm, &estimate, NULL) >= 0)
		chosen = apsp_plan_choice(&estimate.plan);
	pthread_mutex_unlock(&links->mutex);
	return chosen ? chosen->seconds : 0;
}

static void trouble(void *ctx, const char *sentence)
{
	(void)ctx;
	apsp_log(APSP_LOG_WARNING, "%s", sentence);
}

struct apsp_store_hooks apsp_links_hooks(struct apsp_links *links)
{
	return (struct apsp_store_hooks){
		.ctx = links,
		.jobs_queued = jobs_queued,
		.rows_changed = rows_changed,
		.graphs_changed = graphs_changed,
		.job_changed = job_changed,
		.job_unwanted = job_unwanted,
		.job_seconds = job_seconds,
		.trouble = trouble,
	};
}

struct apsp_worker_ops apsp_links_ops(struct apsp_links *links)
{
	return (struct apsp_worker_ops){
		.store = links->store,
		.claim = apsp_job_claim,
		.load = apsp_job_graph_write,
		.publish = apsp_job_publish,
		.fail = apsp_job_tries_fail,
		.put_back = apsp_job_tries_put_back,
		.progressed = job_progressed,
		.ctx = links,
	};
}

void apsp_links_set(struct apsp_links *links, struct apsp_worker *worker,
	struct apsp_row_worker *rows, struct apsp_server *server)
{
	pthread_mutex_lock(&links->mutex);
	links->worker = worker;
	links->rows = rows;
	links->server = server;
	pthread_mutex_unlock(&links->mutex);
}
