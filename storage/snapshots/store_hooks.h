/*
 * Functions that the store calls to report events to other parts of the daemon.
 */
#ifndef APSP_STORAGE_SNAPSHOTS_STORE_HOOKS_H
#define APSP_STORAGE_SNAPSHOTS_STORE_HOOKS_H

#include <stdint.h>

struct apsp_profile;

/* The size of a job's graph, which is known before the job runs. */
struct apsp_job_size {
	uint64_t n_vertices;
	uint64_t n_arcs;      /* number of arcs as uploaded */
	unsigned int weights; /* facts about the weights: a set of enum
				 apsp_arc_fact */
};

/*
 * The writer thread calls these functions. The thread that opens the store also
 * calls trouble() and graphs_changed(), and any thread may call rows_changed().
 * The functions must not block. Each function may be NULL.
 */
struct apsp_store_hooks {
	void *ctx;
	/* Wakes the worker that runs jobs. */
	void (*jobs_queued)(void *ctx);
	/* Wakes the worker that computes rows on demand (storage/rows). */
	void (*rows_changed)(void *ctx);
	/* Resumes requests that wait for a change of the list of graphs. Also
	   called while the store opens. */
	void (*graphs_changed)(void *ctx);
	/* Resumes requests that wait for the job. */
	void (*job_changed)(void *ctx, uint64_t id);
	/* Cancels the job if the job is running. */
	void (*job_unwanted)(void *ctx, uint64_t id);
	/* Estimates how many seconds a job will take; 0: unknown. The jobs of
	   one upload are queued in order of this estimate. */
	double (*job_seconds)(void *ctx, const struct apsp_job_size *size,
		const struct apsp_profile *rule);
	/* Reports that a stored graph, a profile or a table file cannot be used
	   or was lost. Also reports that a directory of the store cannot be
	   used. `sentence` is for the daemon's log. */
	void (*trouble)(void *ctx, const char *sentence);
};

#endif
