/*
 * What every parser builds: vertices become labels, arcs go to the spool, and
 * the rules that hold for all formats are applied on the way.
 */
#ifndef APSP_STORAGE_INGEST_GRAPH_BUILDER_H
#define APSP_STORAGE_INGEST_GRAPH_BUILDER_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/number.h"
#include "daemon/base/profile.h"
#include "storage/ingest/arc_spool.h"
#include "storage/ingest/file_options.h"
#include "storage/ingest/findings.h"
#include "storage/ingest/labels.h"
#include "storage/ingest/out_degrees.h"
#include "storage/ingest/pair_set.h"
#include "storage/ingest/text_position.h"

struct apsp_graph_builder {
	struct apsp_profile profile; /* judges the weights */
	/*
	 * Nobody has said the transform, and no weight has come that would need
	 * one: apsp_graph_builder_weighted().
	 */
	bool transform_unsaid;
	struct apsp_file_options file;
	uint64_t max_arcs;
	struct apsp_share *share; /* of the upload; borrowed */
	struct apsp_labels *labels;
	struct apsp_arc_spool spool;
	unsigned int weights; /* set of enum apsp_weights; of self-loops only
				 signs and sums; hubs once all arcs are there */
	struct apsp_findings findings;
	struct apsp_pair_set pairs;
	struct apsp_out_degrees degrees;	/* of arcs to other vertices */
	uint8_t touched[APSP_VERTICES_MAX / 8]; /* a bit for each vertex of
						   an arc to another */
};

/*
 * Fill what is not the caller's (spool and labels are) of a builder that is 0.
 * share, which may be NULL, is borrowed. Ended with apsp_graph_builder_done().
 */
void apsp_graph_builder_init(
	struct apsp_graph_builder *builder, struct apsp_share *share);
void apsp_graph_builder_done(struct apsp_graph_builder *builder);

/* The body is complete: find what only all arcs tell. */
void apsp_graph_builder_end(struct apsp_graph_builder *builder);

/* The index of a label, new or not. APSP_EDATA: see apsp_labels_intern(). */
int apsp_graph_builder_vertex(struct apsp_graph_builder *builder,
	const char *text, size_t size, struct apsp_text_position place,
	uint32_t *out_index, struct apsp_err *err);

/*
 * Add the labels "first" … "first + n - 1", for formats that number vertices.
 * APSP_EDATA: n is 0 or above APSP_VERTICES_MAX.
 */
int apsp_graph_builder_numbered(struct apsp_graph_builder *builder,
	uint64_t first, uint64_t n, struct apsp_text_position place,
	struct apsp_err *err);

/* What a format, or the name of a column, says of its weights. */
enum apsp_meaning {
	APSP_MEANING_LENGTHS,
	APSP_MEANING_UNSAID, /* lengths or strengths */
};

/*
 * Say that weights follow; a parser does so as soon as it knows. name, the
 * column's, goes into a message; NULL: the weights have no name.
 * APSP_ETRANSFORM: they may be lengths or strengths, and nobody has said which.
 */
int apsp_graph_builder_weighted(struct apsp_graph_builder *builder,
	enum apsp_meaning meaning, const char *name,
	struct apsp_text_position place, struct apsp_err *err);

/*
 * Say that each row counts 1, so that the arcs of a pair are summed. Errors as
 * apsp_graph_builder_weighted().
 */
int apsp_graph_builder_counted(struct apsp_graph_builder *builder,
	struct apsp_text_position place, struct apsp_err *err);

/*
 * Add one arc, and the one back if the file is undirected. APSP_ETRANSFORM: its
 * weight is not 1, and nothing says what it means
 * (apsp_graph_builder_weighted()). APSP_EDATA: the weight is not finite, or
 * outside the transform's domain while invalid weights are refused.
 * APSP_ETOOLARGE: one arc too many.
 */
int apsp_graph_builder_arc(struct apsp_graph_builder *builder, uint32_t from,
	uint32_t to, double weight, struct apsp_text_position place,
	struct apsp_err *err);

/*
 * Add one cell of a dense matrix; 0 (or nonedge) and infinity are no arc.
 * APSP_EDATA: NaN; and as apsp_graph_builder_arc().
 */
int apsp_graph_builder_cell(struct apsp_graph_builder *builder, uint32_t from,
	uint32_t to, double value, struct apsp_text_position place,
	struct apsp_err *err);

/* The same for a cell as text; blank is no arc. APSP_EDATA: not a number. */
int apsp_graph_builder_cell_text(struct apsp_graph_builder *builder,
	uint32_t from, uint32_t to, const char *text, size_t size,
	struct apsp_text_position place, struct apsp_err *err);

/* apsp_number_parse(); where the file says so, a fraction follows a comma. */
enum apsp_number apsp_file_number(const struct apsp_file_options *file,
	const char *text, size_t size, double *out);

/*
 * Read a weight as the file's options say. Returns 1 if it is missing (blank,
 * NA, NaN, null) and such rows are left out. APSP_EDATA: no finite number.
 */
int apsp_graph_builder_weight(struct apsp_graph_builder *builder,
	const char *text, size_t size, struct apsp_text_position place,
	double *out, struct apsp_err *err);

/*
 * Read the weight of an arc of a format that lists arcs. APSP_EDATA: blank, no
 * number, NaN, infinite, or out of a double's range.
 */
int apsp_weight_parse(const char *text, size_t size,
	struct apsp_text_position place, double *out, struct apsp_err *err);

#endif
