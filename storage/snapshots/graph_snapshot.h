/*
 * One graph at one moment: its live generations, their profiles and the tables
 * that are served (storage/jobs/README.md, Life of a table set). Immutable and
 * counted; any thread may hold one. The rows of the database are the truth: a
 * snapshot is never changed, only built anew.
 */
#ifndef APSP_STORAGE_SNAPSHOTS_GRAPH_SNAPSHOT_H
#define APSP_STORAGE_SNAPSHOTS_GRAPH_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/auto.h"
#include "daemon/base/err.h"
#include "daemon/base/job.h"
#include "daemon/base/profile.h"
#include "storage/attributes/attributes.h"
#include "storage/ingest/formats/format.h"
#include "storage/ingest/labels.h"
#include "storage/tables/tables.h"

struct apsp_open_tables;
struct sqlite3;

/* A profile of one generation. */
struct apsp_profile_snapshot {
	char name[APSP_NAME_SIZE];
	struct apsp_profile rule;	 /* the newest definition */
	struct apsp_err unreadable;	 /* .code: why rule could not be read */
	char hash[APSP_HASH_SIZE];	 /* of the newest definition */
	struct apsp_tables *tables;	 /* served; NULL: none yet */
	struct apsp_err tables_trouble;	 /* .code: why their file is not open */
	struct apsp_profile tables_rule; /* the definition of `tables` … */
	bool tables_rule_known;		 /* … if it could be read */
	bool tables_newest;		 /* it is the newest one */
	uint64_t job;			 /* of the newest definition; 0: none */
	enum apsp_job_state job_state;
	struct apsp_err job_error; /* of a failed or cancelled job */
};

/* One upload. */
struct apsp_generation {
	uint64_t id;
	char revision[APSP_HASH_SIZE];
	uint32_t n_vertices;
	uint64_t n_arcs;      /* as uploaded */
	unsigned int weights; /* of the arcs: a set of enum apsp_weights */
	enum apsp_format format;
	int64_t uploaded_at_ms; /* since 1970, UTC */
	const struct apsp_labels *labels;
	const struct apsp_attributes *attributes; /* NULL: none */
	/* by name, `default` first */
	const struct apsp_profile_snapshot *profiles;
	size_t n_profiles;
};

struct apsp_graph_snapshot {
	char name[APSP_NAME_SIZE];
	const struct apsp_generation *current; /* NULL: no tables yet */
	const struct apsp_generation *pending; /* NULL: none */
};

/* One more reference. */
const struct apsp_graph_snapshot *apsp_graph_snapshot_ref(
	const struct apsp_graph_snapshot *snapshot);
void apsp_graph_snapshot_unref(
	const struct apsp_graph_snapshot *snapshot); /* accepts NULL */
APSP_AUTO_DEFINE(apsp_graph_snapshot_end, const struct apsp_graph_snapshot,
	apsp_graph_snapshot_unref);

/*
 * The newest upload, which preconditions speak of: the pending generation if
 * there is one, else the current one. Borrowed.
 */
const struct apsp_generation *apsp_graph_snapshot_newest(
	const struct apsp_graph_snapshot *snapshot);

/*
 * The pending generation if it may still become the current one; NULL: there is
 * none, or the job of its `default` has failed or was cancelled. Borrowed.
 */
const struct apsp_generation *apsp_graph_snapshot_coming(
	const struct apsp_graph_snapshot *snapshot);

/*
 * The generation that answers; before the graph's first tables are there, the
 * one that will. Borrowed.
 */
const struct apsp_generation *apsp_graph_snapshot_shown(
	const struct apsp_graph_snapshot *snapshot);

/* APSP_EREVISION: the generation is of another revision. */
int apsp_generation_check_revision(const struct apsp_generation *generation,
	const char *revision, struct apsp_err *err);

/* A profile of a generation by name, or NULL. */
const struct apsp_profile_snapshot *apsp_generation_profile(
	const struct apsp_generation *generation, const char *name);

/*
 * The profile whose tables answer questions, and its generation; both borrowed.
 * APSP_ENOPROFILE. APSP_ENOTREADY: the tables are being computed, and *out_job
 * is the job that they wait for; or their file cannot be opened at present, and
 * *out_job is as it was. APSP_ETABLES: they failed or were cancelled, and
 * *out_job is their job. APSP_EROW: the profile has no tables, and its rule
 * cannot be read.
 */
int apsp_graph_snapshot_tables(const struct apsp_graph_snapshot *snapshot,
	const char *profile, const struct apsp_generation **out_generation,
	const struct apsp_profile_snapshot **out_profile, uint64_t *out_job,
	struct apsp_err *err);

/*
 * Whether questions to a profile are answered from this revision, and by its
 * newest rule. Returns 0; or APSP_EREVISION: the graph's uploads are of other
 * revisions. APSP_ENOTREADY: not yet, as above. APSP_ETABLES: the job has
 * failed or was cancelled that this waited for. Otherwise as above.
 */
int apsp_graph_snapshot_serves(const struct apsp_graph_snapshot *snapshot,
	const char *revision, const char *profile, uint64_t *out_job,
	struct apsp_err *err);

/* Where labels and attributes are without reading them; each may be NULL. */
struct apsp_graph_snapshot_sources {
	const struct apsp_graph_snapshot *old; /* the one to be replaced */
	struct apsp_labels *fresh;	       /* of an upload … */
	const char *fresh_revision;	       /* … with this revision */
};

/*
 * What snapshots are read from, one after the other in one transaction. The
 * statements are made when they are first wanted, so that a start with hundreds
 * of graphs makes each once; apsp_graph_reader_done() ends them.
 */
struct apsp_graph_reader {
	struct sqlite3 *db;
	const struct apsp_open_tables *open_tables;
	struct sqlite3_stmt *generations, *labels, *n_profiles, *profiles;
};

void apsp_graph_reader_done(struct apsp_graph_reader *reader);

/*
 * Build the snapshot of graph name from the database's rows as they are now.
 * *out is NULL if no generation of that graph is live; else the caller ends it
 * with apsp_graph_snapshot_unref(). On the writer thread. APSP_EROW: rows of
 * the graph cannot be read. APSP_EDB, APSP_ENOMEM.
 */
int apsp_graph_snapshot_load(struct apsp_graph_reader *reader, const char *name,
	const struct apsp_graph_snapshot_sources *sources,
	const struct apsp_graph_snapshot **out, struct apsp_err *err);

#endif
