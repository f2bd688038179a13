/*
 * The command that stores attributes of a graph's vertices.
 */
#ifndef APSP_STORAGE_ATTRIBUTES_PUT_H
#define APSP_STORAGE_ATTRIBUTES_PUT_H

#include "storage/attributes/attributes.h"
#include "storage/database/writer.h"
#include "storage/snapshots/precondition.h"

struct apsp_store;

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
 * APSP_EREVISION, APSP_EDATA (no row belongs to a vertex of this
 * upload), APSP_ETOOLARGE (vertices times columns are more than
 * APSP_ATTRIBUTE_CELLS_MAX), APSP_ENOSPACE, APSP_ESTATEFULL, APSP_EDB,
 * APSP_ENOMEM, APSP_ESTOPPING.
 */
void apsp_attributes_put(struct apsp_store *store, const char *graph,
	struct apsp_attribute_text *text,
	const struct apsp_precondition *precondition,
	struct apsp_attributes **out, struct apsp_done done);

#endif
