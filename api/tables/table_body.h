/*
 * The body of a table's request, {"sources":[…],"targets":[…],"values":[…]},
 * parsed as it arrives: memory holds 4 bytes for each label. Every member may
 * be missing; an empty body is an empty object.
 */
#ifndef APSP_API_TABLES_TABLE_BODY_H
#define APSP_API_TABLES_TABLE_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/ingest/labels.h"
#include "daemon/base/budget.h"

/* Vertices in the order of the request. */
struct apsp_vertex_list {
	bool all; /* every vertex, in index order; then vertices is NULL */
	uint32_t *vertices; /* owned */
	size_t n;	    /* of all, too */
};

static inline uint32_t apsp_vertex_list_at(
	const struct apsp_vertex_list *list, size_t i)
{
	return list->all ? (uint32_t)i : list->vertices[i];
}

struct apsp_table_body;

/*
 * labels and share are borrowed. Memory is reserved in share. A list of more
 * than max labels is refused. The caller ends *out with apsp_table_body_free(),
 * which accepts NULL. APSP_ENOMEM.
 */
int apsp_table_body_new(const struct apsp_labels *labels, uint32_t max,
	struct apsp_share *share, struct apsp_table_body **out,
	struct apsp_err *err);
void apsp_table_body_free(struct apsp_table_body *body);

/*
 * Parse the next bytes. APSP_EMALFORMED: not JSON, or not such an object;
 * APSP_EBADVERTEX: a label that the graph does not have; APSP_ETOOLARGE: too
 * many labels; APSP_EBUSY, APSP_ENOMEM.
 */
int apsp_table_body_feed(struct apsp_table_body *body, const char *data,
	size_t size, struct apsp_err *err);

/*
 * The body is complete. Store the lists, which the caller frees, and the set of
 * enum apsp_row_value, which is 0 if the body has no values. APSP_EMALFORMED.
 */
int apsp_table_body_end(struct apsp_table_body *body,
	struct apsp_vertex_list *out_sources,
	struct apsp_vertex_list *out_targets, unsigned int *out_values,
	struct apsp_err *err);

/* JSON pointer to the last error in the body, or "". */
const char *apsp_table_body_pointer(const struct apsp_table_body *body);

/* The unknown label of an APSP_EBADVERTEX, cut to 200 bytes; "" otherwise. */
const char *apsp_table_body_unknown(const struct apsp_table_body *body);

#endif
