/*
 * Graphs, their generations and profiles: the counted snapshots that requests
 * read, and the commands that change them (design.md, decision 5).
 *
 * An upload makes a generation that is `pending` until the job of each of its
 * profiles has ended; then, if `default` succeeded, it becomes the current one
 * at once. A profile that is defined anew keeps its old tables until the new
 * ones are there. A newer upload cancels a pending one.
 */
#ifndef APSP_STORAGE_GRAPHS_H
#define APSP_STORAGE_GRAPHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/job.h"
#include "daemon/base/profile.h"
#include "storage/labels.h"
#include "storage/store.h"
#include "storage/tables.h"
#include "storage/upload.h"

/* A profile of one generation, as of the snapshot. */
struct apsp_profile_view {
	char name[APSP_NAME_SIZE];
	struct apsp_profile rule;	 /* the newest definition */
	char hash[APSP_HASH_SIZE];	 /* of the newest definition */
	struct apsp_tables *tables;	 /* what is served; NULL: none yet */
	struct apsp_profile tables_rule; /* the definition of `tables` */
	uint64_t job;			 /* of the newest definition; 0: none */
	enum apsp_job_state job_state;
	struct apsp_err job_error; /* of a failed or cancelled job */
};

/* One upload. Immutable. */
struct apsp_generation {
	uint64_t id;
	char revision[APSP_HASH_SIZE];
	uint32_t n_vertices;
	uint64_t n_arcs;      /* as uploaded */
	unsigned int weights; /* enum apsp_weights, of them */
	enum apsp_format format;
	int64_t uploaded_at_ms; /* since 1970, UTC */
	const struct apsp_labels *labels;
	const struct apsp_profile_view *profiles; /* by name, `default` first */
	size_t n_profiles;
};

/* One graph at one moment. Immutable, counted. */
struct apsp_graph_view {
	char name[APSP_NAME_SIZE];
	const struct apsp_generation
		*current; /* NULL before the first tables */
	const struct apsp_generation *pending; /* NULL if there is none */
};

/* APSP_ENOGRAPH. The caller ends it with apsp_graph_view_unref(). */
int apsp_graphs_view(struct apsp_store *store, const char *name,
	const struct apsp_graph_view **out, struct apsp_err *err);
void apsp_graph_view_unref(const struct apsp_graph_view *view);

/*
 * The newest upload, which preconditions speak of: the pending generation if
 * there is one, else the current one. Borrowed.
 */
const struct apsp_generation *apsp_graph_view_newest(
	const struct apsp_graph_view *view);

/* A profile of a generation by name, or NULL. */
const struct apsp_profile_view *apsp_generation_profile(
	const struct apsp_generation *generation, const char *name);

/*
 * The tables that a read of (view, profile) uses and the generation they belong
 * to, both borrowed from the view. APSP_ENOPROFILE; APSP_ENOTREADY: the first
 * tables are queued or running, and *out_job is the job that they wait for;
 * APSP_ETABLES: they failed or were cancelled, and *out_job says by which job.
 */
int apsp_graph_view_tables(const struct apsp_graph_view *view,
	const char *profile, const struct apsp_generation **out_generation,
	const struct apsp_profile_view **out_profile, uint64_t *out_job,
	struct apsp_err *err);

/* What If-Match and If-None-Match ask of the graph; revisions are borrowed. */
struct apsp_precondition {
	bool must_not_exist;  /* If-None-Match: * */
	bool must_exist;      /* If-Match: * */
	const char *if_match; /* revision that must be the newest; NULL */
};

/* Check early; the command checks again. APSP_EPRECONDITION. */
int apsp_graphs_precondition(struct apsp_store *store, const char *name,
	const struct apsp_precondition *precondition, struct apsp_err *err);

/* Whether a job more would be let in. APSP_EQUEUEFULL. Before a body is read.
 */
int apsp_graphs_admit(struct apsp_store *store, struct apsp_err *err);

struct apsp_put_result {
	uint64_t job; /* 0: the tables are there, nothing to do */
	bool created; /* the graph's or profile's first */
	enum apsp_job_state job_state;
	uint64_t generation;
};

/*
 * Store a complete upload as graph name. Same revision and `default` profile as
 * the newest generation: its job if that runs, a new one if it failed. The
 * upload is the command's from now on and freed by it. *out is filled before
 * done.fn is called with 0; it and precondition must live until then.
 * Errors, through done: APSP_EPRECONDITION, APSP_EQUEUEFULL, APSP_ENOSPACE (its
 * tables too: storage/room.h), APSP_EDB, APSP_ENOMEM, APSP_ESTOPPING.
 */
void apsp_graphs_put(struct apsp_store *store, const char *name,
	struct apsp_upload *upload,
	const struct apsp_precondition *precondition,
	struct apsp_put_result *out, struct apsp_done done);

/* Through done: APSP_ENOGRAPH, APSP_EPRECONDITION, APSP_EDB. */
void apsp_graphs_delete(struct apsp_store *store, const char *name,
	const struct apsp_precondition *precondition, struct apsp_done done);

/*
 * Define a profile of the newest generation (and of the current one if another
 * is pending) and queue its job. The same rule as before: as apsp_graphs_put().
 * Through done: APSP_ENOGRAPH, APSP_EQUEUEFULL, APSP_ENOSPACE, APSP_EDB.
 */
void apsp_profiles_put(struct apsp_store *store, const char *graph,
	const char *profile, const struct apsp_profile *rule,
	struct apsp_put_result *out, struct apsp_done done);

/* `default` cannot be deleted: APSP_EDATA. APSP_ENOGRAPH, APSP_ENOPROFILE. */
void apsp_profiles_delete(struct apsp_store *store, const char *graph,
	const char *profile, struct apsp_done done);

/*
 * The graphs in order of name from the first past `after` ("" for all), at most
 * max views, each to be unreferenced. Returns how many.
 */
size_t apsp_graphs_list(struct apsp_store *store, const char *after,
	const struct apsp_graph_view **out, size_t max);

#endif
