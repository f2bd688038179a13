/*
 * Reads the snapshots of graphs from rows of the database.
 */
#ifndef APSP_STORAGE_SNAPSHOTS_GRAPH_READER_H
#define APSP_STORAGE_SNAPSHOTS_GRAPH_READER_H

#include "daemon/base/err.h"
#include "storage/snapshots/graph_snapshot.h"

struct apsp_open_tables;
struct sqlite3;

/*
 * Reads the snapshots of several graphs from rows, in one transaction. Each
 * statement is prepared only once, when it is first needed. So a daemon with
 * hundreds of graphs starts faster. apsp_graph_reader_done() frees the
 * statements.
 */
struct apsp_graph_reader {
	struct sqlite3 *db;
	/* only apsp_graph_reader_load() uses the open tables; borrowed */
	const struct apsp_open_tables *open_tables;
	/* Labels and attributes that are already in memory and need not be read
	   from rows. Borrowed; each of these members may be NULL. */
	const struct apsp_graph_snapshot
		*old; /* the snapshot that will be replaced */
	struct apsp_labels
		*fresh; /* labels of the upload that is being stored */
	const char *fresh_revision; /* revision of the upload that is being
				       stored */
	struct sqlite3_stmt *generations, *labels, *profiles;
};

void apsp_graph_reader_done(struct apsp_graph_reader *reader);

/*
 * Build the snapshot of a graph from the database's current rows. *out is NULL
 * if the graph has no live generation; otherwise the caller ends *out with
 * apsp_graph_snapshot_unref(). Call this on the writer thread. APSP_EDB,
 * APSP_ENOMEM.
 */
int apsp_graph_reader_load(struct apsp_graph_reader *reader,
	const char name[APSP_NAME_SIZE], const struct apsp_graph_snapshot **out,
	struct apsp_err *err);

/* Build the snapshot of a graph that requests cannot use: its member
   `unreadable` is *why, and it has no generation. The caller ends *out with
   apsp_graph_snapshot_unref(). APSP_ENOMEM. */
int apsp_graph_reader_unusable(const char name[APSP_NAME_SIZE],
	const struct apsp_err *why, const struct apsp_graph_snapshot **out,
	struct apsp_err *err);

/* The labels and attributes of one upload; both are owned references. */
struct apsp_graph_vertices {
	struct apsp_labels *labels;
	struct apsp_attributes *attributes; /* NULL: the upload has no
					       attributes */
};

/*
 * Get the labels and attributes of a generation from memory, or otherwise from
 * the database's current rows. The caller ends *out with
 * apsp_graph_vertices_done(). Call this on the writer thread. APSP_EROW: the
 * rows are damaged. APSP_EDB, APSP_ENOMEM.
 */
int apsp_graph_reader_vertices(struct apsp_graph_reader *reader,
	uint64_t generation, struct apsp_graph_vertices *out,
	struct apsp_err *err);
void apsp_graph_vertices_done(struct apsp_graph_vertices *vertices);

#endif
