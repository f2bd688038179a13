/*
 * What the store tells other parts of the daemon.
 */
#ifndef APSP_STORAGE_SNAPSHOTS_STORE_HOOKS_H
#define APSP_STORAGE_SNAPSHOTS_STORE_HOOKS_H

#include <stdint.h>

struct apsp_profile;

/* What is known of a job before it runs. */
struct apsp_job_size {
	uint64_t n_vertices;
	uint64_t n_arcs;      /* as uploaded */
	unsigned int weights; /* a set of enum apsp_weights */
};

/*
 * Called on the writer thread, trouble() also while the store opens; must not
 * block. Each may be NULL.
 */
struct apsp_store_hooks {
	void *ctx;
	void (*jobs_queued)(void *ctx);		      /* wakes the worker */
	void (*job_changed)(void *ctx, uint64_t id);  /* wakes its waiters */
	void (*job_unwanted)(void *ctx, uint64_t id); /* cancel it if it runs */
	/* How long a job will take, for the order of those of one upload; 0:
	   nobody knows. */
	double (*job_seconds)(void *ctx, const struct apsp_job_size *size,
		const struct apsp_profile *rule);
	/* Something stored cannot be used, or was lost; for the log. */
	void (*trouble)(void *ctx, const char *sentence);
	/* Served tables were found damaged; they are computed again. */
	void (*tables_lost)(
		void *ctx, const char *revision, const char *profile_hash);
};

#endif
