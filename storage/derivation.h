/*
 * Makes a graph from a stored graph, its origin. The caller asks one of two
 * questions:
 *
 *	values of an attribute	the new vertices are the values of a column, in
 *				the order of their first vertices. All arcs
 *				from vertices of one value to vertices of
 *				another become one arc, whose weight is the
 *				exact sum of their weights. Arcs between
 *				vertices of the same value become a self-loop.
 *				Vertices without a value are left out.
 *	chosen vertices		the new graph has these vertices and all arcs
 *				between them, in the order of the origin, and it
 *				refers to the origin's attributes.
 *
 * The result is an upload without a body, which apsp_graph_put() stores. The
 * arcs of the origin are read from the database in short steps. The origin's
 * snapshot keeps labels and attributes in memory, but not arcs. So the work
 * fails if the origin's upload is removed meanwhile.
 */
#ifndef APSP_STORAGE_DERIVATION_H
#define APSP_STORAGE_DERIVATION_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/ingest/pair_sums.h"
#include "storage/ingest/upload/upload.h"
#include "storage/snapshots/graph_snapshot.h"
#include "storage/stored_arcs.h"

struct apsp_store;

struct apsp_derivation_question {
	const struct apsp_graph_snapshot *snapshot; /* the origin */
	const struct apsp_generation *generation;   /* the origin's upload */
	bool by_column;	 /* the new vertices are the values of `column` */
	uint32_t column; /* a column of the origin's attributes */
	/* if by_column is not set: bit v is set if vertex v of the origin is
	   chosen. On success, apsp_derivation_new() takes over this array */
	uint64_t *chosen;
	const char *text; /* the question as a JSON object; it is stored with
			     the new graph */
};

struct apsp_derivation {
	/* complete when apsp_derivation_step() has returned 0; owned, until the
	   caller takes ownership */
	struct apsp_upload *upload;
	/* for the reply to the PUT request: numbers of the origin's vertices
	   and arcs that were left out */
	uint32_t n_left_out;
	uint64_t n_arcs_left_out;
	uint64_t n_arcs_used; /* number of arcs of the origin that are in the
				 new graph, or whose weights were added to
				 weights of the new graph */

	/* The following members are private to derivation.c. */
	struct apsp_store *store;
	const struct apsp_graph_snapshot *snapshot; /* owned */
	const struct apsp_generation *generation;
	bool by_column;
	uint32_t column;
	uint64_t *chosen;    /* the chosen vertices of the origin, as in the
				question; owned; NULL if by_column is set */
	int32_t *new_vertex; /* for each vertex of the origin: the index of its
				vertex in the new graph, or LEFT_OUT; owned,
				counted in the upload's share */
	size_t n_new;	     /* number of elements of new_vertex */
	uint32_t n_mapped;   /* number of the origin's vertices whose new_vertex
				is set */
	uint64_t next;	     /* number of the origin's arcs that were read */
	struct apsp_arcs_digest digest; /* digest of these arcs */
	/* for each pair of values: the sum of the weights of the arcs from one
	   value to the other */
	struct apsp_pair_sums sums;
	size_t next_sum;
	struct apsp_arc arcs[APSP_STORED_ARCS_MAX];
};

/*
 * Begin a derivation. `options` has the rule, the budget and the limits of the
 * upload; its other members are ignored. The caller ends *out with
 * apsp_derivation_free(). Fails as apsp_upload_open() and apsp_share_grow() do.
 */
int apsp_derivation_new(struct apsp_store *store,
	struct apsp_derivation_question *question,
	const struct apsp_upload_options *options, struct apsp_derivation **out,
	struct apsp_err *err);
void apsp_derivation_free(struct apsp_derivation *derivation);

/*
 * Do a step of about a millisecond. Returns 1 if more steps are needed, or 0
 * when the upload is complete. APSP_ECANCELLED: the origin's upload was
 * removed, so the caller must begin a new derivation. APSP_EDATA: the new graph
 * has no vertex, or the rule refuses a weight. Fails as
 * apsp_graph_builder_vertex(), apsp_stored_arcs_read(),
 * apsp_graph_builder_arc(), apsp_pair_sums_add() and apsp_upload_end() do.
 */
int apsp_derivation_step(
	struct apsp_derivation *derivation, struct apsp_err *err);

#endif
