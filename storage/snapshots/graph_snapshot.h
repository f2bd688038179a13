/*
 * One graph at one moment: its live generations, their profiles and the tables
 * that are served (storage/jobs/README.md, Life of a table set). A snapshot is
 * immutable and counted, and any thread may hold one. When rows of the database
 * change, a new snapshot is built from them.
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
	struct apsp_profile rule;   /* the newest definition */
	struct apsp_err unreadable; /* why rule could not be read; .code 0: it
				       was read */
	char hash[APSP_HASH_SIZE];  /* hash of the newest definition */
	struct apsp_tables *tables; /* tables that are served; NULL: none yet */
	struct apsp_err tables_trouble;	 /* why their file is not open; .code 0:
					    no trouble */
	struct apsp_profile tables_rule; /* definition of `tables` … */
	/* … the name of its transform; NULL if the definition cannot be read */
	const char *tables_transform;
	bool tables_newest; /* `tables` belong to the newest definition */
	uint64_t job;	    /* job of the newest definition; 0: none */
	enum apsp_job_state job_state;
	struct apsp_err job_error; /* error of a failed or cancelled job */
};

/* One upload. */
struct apsp_generation {
	uint64_t id;
	char revision[APSP_HASH_SIZE];
	uint32_t n_vertices;
	uint64_t n_arcs;      /* as uploaded */
	unsigned int weights; /* facts about the weights: a set of enum
				 apsp_arc_fact */
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
	/* Why the graph's rows cannot be read; there is no generation then.
	   .code 0: they were read. */
	struct apsp_err unreadable;
};

/* Count one more reference. */
const struct apsp_graph_snapshot *apsp_graph_snapshot_ref(
	const struct apsp_graph_snapshot *snapshot);
void apsp_graph_snapshot_unref(
	const struct apsp_graph_snapshot *snapshot); /* accepts NULL */
APSP_AUTO_DEFINE(apsp_graph_snapshot_end, const struct apsp_graph_snapshot,
	apsp_graph_snapshot_unref);

/*
 * The newest upload: the pending generation if there is one, else the current
 * one. Preconditions are compared with it. Borrowed.
 */
const struct apsp_generation *apsp_graph_snapshot_newest(
	const struct apsp_graph_snapshot *snapshot);

/*
 * The pending generation if it may still become the current one. NULL: there is
 * none, or the job of its `default` has failed or was cancelled. Borrowed.
 */
const struct apsp_generation *apsp_graph_snapshot_coming(
	const struct apsp_graph_snapshot *snapshot);

/*
 * The generation that answers: the current one, or the pending one if the graph
 * has no tables yet. Borrowed.
 */
const struct apsp_generation *apsp_graph_snapshot_shown(
	const struct apsp_graph_snapshot *snapshot);

/* Find a profile of a generation by name; NULL: there is none. */
const struct apsp_profile_snapshot *apsp_generation_profile(
	const struct apsp_generation *generation, const char *name);

/* Labels and attributes that are in memory already, so that they need not be
   read from rows. Each may be NULL. */
struct apsp_graph_snapshot_sources {
	const struct apsp_graph_snapshot
		*old;		    /* the snapshot that will be replaced */
	struct apsp_labels *fresh;  /* of an upload … */
	const char *fresh_revision; /* … with this revision */
};

/*
 * Reads the snapshots of several graphs from rows, in one transaction. Each
 * statement is prepared once, when it is first needed, which matters at a start
 * with hundreds of graphs. apsp_graph_reader_done() frees the statements.
 */
struct apsp_graph_reader {
	struct sqlite3 *db;
	const struct apsp_open_tables *open_tables;
	struct sqlite3_stmt *generations, *labels, *n_profiles, *profiles;
};

void apsp_graph_reader_done(struct apsp_graph_reader *reader);

/*
 * Build the snapshot of a graph from the database's current rows. *out is NULL
 * if no generation of that graph is live; else the caller ends it with
 * apsp_graph_snapshot_unref(). On the writer thread. APSP_EDB, APSP_ENOMEM.
 */
int apsp_graph_snapshot_load(struct apsp_graph_reader *reader,
	const char name[APSP_NAME_SIZE],
	const struct apsp_graph_snapshot_sources *sources,
	const struct apsp_graph_snapshot **out, struct apsp_err *err);

#endif
