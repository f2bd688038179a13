/*
 * One graph at one moment: its live generations (stored uploads), their
 * profiles and the tables in use (storage/jobs/README.md, Life of a table set).
 * A snapshot is immutable and reference-counted, and any thread may hold a
 * reference. graph_reader.h builds a new snapshot when rows of the database
 * change.
 */
#ifndef APSP_STORAGE_SNAPSHOTS_GRAPH_SNAPSHOT_H
#define APSP_STORAGE_SNAPSHOTS_GRAPH_SNAPSHOT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/auto.h"
#include "daemon/base/err.h"
#include "daemon/job/job.h"
#include "daemon/job/profile.h"
#include "daemon/job/unit.h"
#include "storage/attributes/attributes.h"
#include "storage/attributes/rule_choice.h"
#include "storage/ingest/formats/format.h"
#include "storage/ingest/labels.h"
#include "storage/ingest/origin.h"
#include "storage/ingest/revision.h"
#include "storage/tables/tables.h"

/* One profile of one generation (an upload). */
struct apsp_profile_snapshot {
	char name[APSP_NAME_SIZE];
	struct apsp_profile rule;   /* the profile's newest rule */
	struct apsp_err unreadable; /* the error if `rule` could not be read;
				       .code is 0 if it was read */
	char hash[APSP_HASH_SIZE];  /* hash of the profile's newest rule */
	struct apsp_tables *tables; /* tables in use; NULL: there are no tables
				       yet */
	struct apsp_err
		tables_trouble; /* why tables that were computed cannot be used
				   now; .code is 0 if there is no trouble */
	/* the rule of `tables`. If `tables` is NULL, it is the rule of tables
	   whose file is not open, or the profile's earlier rule
	   (storage/jobs/README.md, Life of a table set), or it is not set */
	struct apsp_profile tables_rule;
	/* name of the transform in tables_rule; NULL if tables_rule is not set,
	   or if the stored rule cannot be read */
	const char *tables_transform;
	/* the choice of tables_rule: the vertices that this rule leaves out,
	   and the totals by which it divides weights */
	struct apsp_rule_choice choice;
	bool tables_newest; /* tables_rule is the newest rule */
	uint64_t job; /* id of the job that computes tables by the newest rule;
			 0: there is no job */
	enum apsp_job_state job_state;
	struct apsp_err job_error; /* error of a failed or cancelled job */
};

/* A generation: one upload of a graph. */
struct apsp_generation {
	uint64_t id;
	const char *graph; /* name of the graph; borrowed from the snapshot */
	char revision[APSP_HASH_SIZE];
	uint32_t n_vertices;
	uint64_t n_arcs;      /* number of arcs as uploaded */
	unsigned int weights; /* facts about the weights: a set of enum
				 apsp_arc_fact */
	enum apsp_format format;
	int64_t uploaded_at_ms;		    /* milliseconds since 1970, UTC */
	struct apsp_labels *labels;	    /* an owned reference */
	struct apsp_attributes *attributes; /* an owned reference; NULL: none */
	struct apsp_origin origin;	    /* owned */
	char weight_unit[APSP_UNIT_SIZE];   /* unit of the weights; "": not
					       known */
	/* ordered by name, but with `default` first; owned */
	struct apsp_profile_snapshot *profiles;
	size_t n_profiles;
};

struct apsp_graph_snapshot {
	char name[APSP_NAME_SIZE];
	/* the upload from which requests are answered; NULL: no upload has
	   tables yet */
	const struct apsp_generation *current;
	/* an upload that waits for its tables; NULL: there is none */
	const struct apsp_generation *pending;
	/* .code is 0 if the graph's rows in the database were read. Otherwise,
	   this says why requests cannot use the graph, and the snapshot has no
	   generation. APSP_EROW: the rows cannot be read. APSP_ENOGRAPH: the
	   graph is lost: this database has no rows of it, and the daemon that
	   this one follows cannot read its own rows (apsp_graphs_name_lost())
	 */
	struct apsp_err unreadable;
	/* The number that the snapshot map had when it got this snapshot
	   (apsp_snapshot_map_stamp()). */
	uint64_t stamp;

	/* Only graph_snapshot.c and graph_reader.c change the following
	   members. */
	atomic_uint n_refs;
	struct apsp_generation live[2]; /* the memory for `current` and
					   `pending` */
	size_t n_live;
};

/* Count one more reference. */
const struct apsp_graph_snapshot *apsp_graph_snapshot_ref(
	const struct apsp_graph_snapshot *snapshot);
void apsp_graph_snapshot_unref(
	const struct apsp_graph_snapshot *snapshot); /* accepts NULL */
APSP_AUTO_DEFINE(apsp_graph_snapshot_end, const struct apsp_graph_snapshot,
	apsp_graph_snapshot_unref);

/* Find a generation by its id; NULL: there is none, or `snapshot` is NULL.
   Borrowed. */
const struct apsp_generation *apsp_graph_snapshot_live(
	const struct apsp_graph_snapshot *snapshot, uint64_t id);

/* Return the newest upload: the pending generation if there is one, else the
   current generation. Borrowed. */
const struct apsp_generation *apsp_graph_snapshot_newest(
	const struct apsp_graph_snapshot *snapshot);

/*
 * Return the pending generation if it can still become the current one. NULL:
 * there is no pending generation, or the job of its profile `default` has
 * failed or was cancelled. Borrowed.
 */
const struct apsp_generation *apsp_graph_snapshot_coming(
	const struct apsp_graph_snapshot *snapshot);

/* Return the generation that requests see: the current one, or the pending one
   if the graph has no tables yet. Borrowed. */
const struct apsp_generation *apsp_graph_snapshot_shown(
	const struct apsp_graph_snapshot *snapshot);

/*
 * Return the upload that a change is about; borrowed. It is the newest upload,
 * with one exception: if the newest upload can no longer become current, and
 * another upload is current, it is the current upload. The exception does not
 * hold for a change of the profile `default`, because the tables of a failed
 * upload are then computed again by the new rule. `profile` is the name of the
 * profile that changes; NULL: the change is not about a profile.
 */
const struct apsp_generation *apsp_graph_snapshot_changed(
	const struct apsp_graph_snapshot *snapshot, const char *profile);

/* Find a profile of a generation by name; NULL: there is none. */
const struct apsp_profile_snapshot *apsp_generation_profile(
	const struct apsp_generation *generation, const char *name);

/*
 * Return the standing rule of a profile, by which its tables were or will be
 * computed. Usually this is the newest rule. If the newest rule cannot be read,
 * or its job failed or was cancelled, it is `tables_rule`, the rule of the
 * tables in use; then NULL means that there are no tables, or that their rule
 * cannot be read. Borrowed.
 */
const struct apsp_profile *apsp_profile_standing_rule(
	const struct apsp_profile_snapshot *profile);

/* Return the rule that a later upload keeps for a profile: its standing rule
   or, if it has none, its newest rule. Borrowed. */
const struct apsp_profile *apsp_profile_kept_rule(
	const struct apsp_profile_snapshot *profile);

/* Check that a generation has this revision. APSP_EREVISION: the generation has
   another revision. */
int apsp_generation_check_revision(const struct apsp_generation *generation,
	const char *revision, struct apsp_err *err);

/* Fail with APSP_EROW: the stored labels or arcs have changed. */
int apsp_generation_changed(
	const struct apsp_generation *generation, struct apsp_err *err);

/*
 * Check the labels in memory and the arcs that were read from rows: together
 * they must have the generation's revision. `digest` has all arcs, and cannot
 * be used afterwards. APSP_EROW: rows have changed since they were written.
 */
int apsp_generation_check_content(const struct apsp_generation *generation,
	struct apsp_arcs_digest *digest, struct apsp_err *err);

/*
 * Find a profile by its name, and the generation from which it answers. Both
 * results are borrowed. *out_job changes only if a job is the reason of the
 * failure. APSP_ENOPROFILE: there is no such profile. APSP_ENOTREADY: the job
 * *out_job must compute the tables first, or the file of the tables cannot be
 * opened at present. APSP_ETABLES: the job *out_job, which should have made the
 * tables, failed or was cancelled; or the tables do not fit the attributes, so
 * that the profile must be defined again. APSP_EROW: the profile has no tables,
 * and its rule cannot be read.
 */
int apsp_graph_snapshot_tables(const struct apsp_graph_snapshot *snapshot,
	const char *profile, const struct apsp_generation **out_generation,
	const struct apsp_profile_snapshot **out_profile, uint64_t *out_job,
	struct apsp_err *err);

/* Report APSP_ENOPROFILE: the graph with this name has no such profile. */
int apsp_graph_snapshot_no_profile(
	const char *graph, const char *profile, struct apsp_err *err);

/*
 * Check that requests can use a profile's tables, and that these tables were
 * computed from this revision by the profile's newest rule. If two uploads have
 * this revision, the newest rule is the rule of the newest upload.
 * APSP_EREVISION: no upload of the graph has this revision. Also fails as
 * apsp_graph_snapshot_tables() does.
 */
int apsp_graph_snapshot_serves(const struct apsp_graph_snapshot *snapshot,
	const char *revision, const char *profile, uint64_t *out_job,
	struct apsp_err *err);

#endif
