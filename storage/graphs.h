/*
 * The commands that change a stored graph: delete it, set the unit of its
 * weights, define or delete a profile, and replace its attributes; and the
 * command that names a lost graph. The command that stores an upload is in
 * graph_put.h.
 */
#ifndef APSP_STORAGE_GRAPHS_H
#define APSP_STORAGE_GRAPHS_H

#include "daemon/base/err.h"
#include "daemon/job/profile.h"
#include "daemon/job/unit.h"
#include "storage/attributes/attributes.h"
#include "storage/database/writer.h"
#include "storage/jobs/job_queue.h"
#include "storage/snapshots/graph_snapshot.h"
#include "storage/snapshots/precondition.h"

struct apsp_store;

/* Check a precondition before a request's body is read. The command that
   changes the graph checks it again. Fails as apsp_precondition_check() does.
 */
int apsp_graphs_precondition(struct apsp_store *store, const char *name,
	const struct apsp_precondition *precondition, struct apsp_err *err);

/*
 * Name a lost graph in the list of graphs. A lost graph exists at the daemon
 * that this one follows, but that daemon cannot read the graph's rows, and
 * there is no copy here. Without the name, a third daemon that follows this one
 * would take the graph for deleted, and would delete its own copy. Nothing is
 * stored. The name stays in the list until the graph is uploaded or deleted. If
 * the list has the name already, nothing happens. Waits for the writer thread.
 * APSP_EMALFORMED: `name` is not a valid name. APSP_ENOMEM, APSP_ESTOPPING.
 */
int apsp_graphs_name_lost(
	struct apsp_store *store, const char *name, struct apsp_err *err);

/* Delete a graph, or remove the name of a lost graph
   (apsp_graphs_name_lost()) from the list of graphs. The command reports
   through `done`: APSP_ENOGRAPH, APSP_EPRECONDITION, APSP_EREVISION,
   APSP_EROW (the graph's rows cannot be read, so the precondition cannot be
   checked), APSP_EDB. */
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

/*
 * Define a profile of the newest generation, and also of the current generation
 * if the newest generation is pending. Queue the profile's job. If the profile
 * already has this rule, *out refers to the profile's job; if this job failed,
 * it is queued again. `precondition` (NULL: none) and `out` must live until
 * done.fn() is called. The caller ends *out with apsp_put_result_done(). The
 * command reports through `done`: APSP_ENOGRAPH, APSP_EMALFORMED (`profile` is
 * not a valid name), APSP_EDATA (the graph has as many profiles as the queue
 * has places), APSP_ETABLES (the graph's only upload has failed),
 * APSP_EPRECONDITION, APSP_EREVISION, APSP_EROW (the graph's rows cannot be
 * read), APSP_ERULE (default_rule.h), APSP_EQUEUEFULL, APSP_ENOSPACE,
 * APSP_ESTATEFULL, APSP_EDB.
 */
void apsp_profiles_put(struct apsp_store *store, const char *graph,
	const char *profile, const struct apsp_profile *rule,
	const struct apsp_precondition *precondition,
	struct apsp_put_result *out, struct apsp_done done);

/*
 * Delete a profile. The command reports through `done`: APSP_EDATA (`default`
 * cannot be deleted), APSP_ENOGRAPH, APSP_ENOPROFILE, APSP_EPRECONDITION,
 * APSP_EREVISION, APSP_EROW (the graph's rows cannot be read), APSP_EDB.
 */
void apsp_profiles_delete(struct apsp_store *store, const char *graph,
	const char *profile, const struct apsp_precondition *precondition,
	struct apsp_done done);

/*
 * Replace the attributes of a graph's vertices by the attributes in `text`. The
 * new attributes apply to all stored uploads of the graph and to later uploads.
 * The command takes over the bytes of `text`. If `text` is NULL, the attributes
 * are deleted.
 *
 * *out is filled with the attributes of the upload that the change is about
 * (apsp_graph_snapshot_changed()), if it has any; the caller ends it with
 * apsp_attributes_unref(). `out` may be NULL. `out` and `precondition` must
 * live until done.fn() is called.
 *
 * The command reports through `done`: APSP_ENOGRAPH, APSP_EPRECONDITION,
 * APSP_EREVISION, APSP_EROW (the graph's rows cannot be read), APSP_EDATA (no
 * row belongs to a vertex of this upload), APSP_ETOOLARGE (vertices times
 * columns are more than APSP_ATTRIBUTE_CELLS_MAX), APSP_ENOSPACE,
 * APSP_ESTATEFULL, APSP_EDB, APSP_ENOMEM, APSP_ESTOPPING.
 */
void apsp_attributes_put(struct apsp_store *store, const char *graph,
	struct apsp_attribute_text *text,
	const struct apsp_precondition *precondition,
	struct apsp_attributes **out, struct apsp_done done);

#endif
