/*
 * Building a graph's view from its rows. The rows are the truth: a view is
 * never changed, only built anew (design.md, decision 5).
 */
#ifndef APSP_STORAGE_VIEW_H
#define APSP_STORAGE_VIEW_H

#include <stdatomic.h>

#include <sqlite3.h>

#include "storage/graphs.h"
#include "storage/shelf.h"

/* Labels shared by the views that show their generation. */
struct apsp_label_box {
	atomic_uint refs;
	struct apsp_labels *labels; /* owned */
};

/* Takes labels over on success; one reference is the caller's. */
int apsp_label_box_new(struct apsp_labels *labels, struct apsp_label_box **out,
	struct apsp_err *err);
struct apsp_label_box *apsp_label_box_ref(struct apsp_label_box *box);
void apsp_label_box_unref(struct apsp_label_box *box); /* accepts NULL */

/* Where labels are found without reading them; any of them may be NULL. */
struct apsp_view_sources {
	const struct apsp_graph_view *old; /* the view that is replaced */
	struct apsp_label_box *fresh;	   /* of an upload … */
	const char *fresh_revision;	   /* … with this revision */
};

/*
 * Build the view of graph name from db's rows as they are now. *out is NULL
 * where it has no live generation; else one reference is the caller's.
 */
int apsp_view_load(sqlite3 *db, const struct apsp_shelf *shelf,
	const char *name, const struct apsp_view_sources *sources,
	const struct apsp_graph_view **out, struct apsp_err *err);

/* One reference more. */
const struct apsp_graph_view *apsp_graph_view_ref(
	const struct apsp_graph_view *view);

#endif
