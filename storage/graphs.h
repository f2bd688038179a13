/*
 * The commands that delete a graph and set the unit of its weights. This file
 * also has two checks for all commands that change a graph: a check of the
 * graph's name, and a check of a precondition. The command that stores an
 * upload is in graph_put.h; the commands on profiles are in profiles.h.
 */
#ifndef APSP_STORAGE_GRAPHS_H
#define APSP_STORAGE_GRAPHS_H

#include "daemon/base/err.h"
#include "daemon/base/name.h"
#include "daemon/job/unit.h"
#include "storage/database/writer.h"
#include "storage/snapshots/graph_snapshot.h"
#include "storage/snapshots/precondition.h"

struct apsp_store;

/*
 * Copy the name of a graph that a command will change. APSP_ENOGRAPH: `name` is
 * not a valid name, so no graph has it.
 */
int apsp_graphs_name(
	char out[APSP_NAME_SIZE], const char *name, struct apsp_err *err);

/* Check a precondition before a request's body is read. The command checks it
   again. APSP_EPRECONDITION, APSP_EREVISION. */
int apsp_graphs_precondition(struct apsp_store *store, const char *name,
	const struct apsp_precondition *precondition, struct apsp_err *err);

/* Delete a graph. The command reports through `done`: APSP_ENOGRAPH,
   APSP_EPRECONDITION, APSP_EREVISION, APSP_EROW (the graph's rows cannot be
   read, so the precondition cannot be checked), APSP_EDB. */
void apsp_graphs_delete(struct apsp_store *store, const char *name,
	const struct apsp_precondition *precondition, struct apsp_done done);

/*
 * Set the unit of the weights of a graph, in all its stored uploads
 * (generations); "" removes the unit. The revisions of the generations stay the
 * same. A later upload that replaces the graph keeps the unit, unless the
 * upload names a unit. The command reports through `done`: APSP_ENOGRAPH,
 * APSP_EPRECONDITION, APSP_EREVISION, APSP_EROW (the graph's rows cannot be
 * read), APSP_EDB.
 */
void apsp_graphs_set_unit(struct apsp_store *store, const char *name,
	const char unit[APSP_UNIT_SIZE],
	const struct apsp_precondition *precondition, struct apsp_done done);

#endif
