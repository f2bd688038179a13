/*
 * The command that stores attributes of a graph's vertices.
 */
#ifndef APSP_STORAGE_ATTRIBUTES_PUT_H
#define APSP_STORAGE_ATTRIBUTES_PUT_H

#include "storage/attributes/attributes.h"
#include "storage/database/wait.h"
#include "storage/snapshots/precondition.h"

struct apsp_store;

/*
 * From its commit on, text (taken over) is what is known of the vertices of the
 * graph: of its live generations, and of later uploads until it is replaced.
 * text NULL: nothing is known of them.
 *
 * *out, if it is filled, is what the newest generation shows; the caller ends
 * it with apsp_attributes_unref(). out and precondition must live until done is
 * called.
 *
 * Through done: APSP_ENOGRAPH, APSP_EPRECONDITION, APSP_EDATA (no row is of a
 * vertex of the newest generation), APSP_ETOOLARGE (vertices times columns are
 * more than APSP_ATTRIBUTE_CELLS_MAX), APSP_ENOSPACE, APSP_EDB, APSP_ENOMEM,
 * APSP_ESTOPPING.
 */
void apsp_attributes_put(struct apsp_store *store, const char *graph,
	struct apsp_attribute_text *text,
	const struct apsp_precondition *precondition,
	struct apsp_attributes **out, struct apsp_done done);

#endif
