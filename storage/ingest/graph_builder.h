/*
 * Builds a graph from the vertices and arcs that a parser finds: vertices
 * become labels, and arcs go to a temporary file (arc_spool.h). The builder
 * applies the rules that all formats share.
 */
#ifndef APSP_STORAGE_INGEST_GRAPH_BUILDER_H
#define APSP_STORAGE_INGEST_GRAPH_BUILDER_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/number.h"
#include "daemon/job/profile.h"
#include "storage/ingest/arc_counts.h"
#include "storage/ingest/arc_spool.h"
#include "storage/ingest/bundled.h"
#include "storage/ingest/file_options.h"
#include "storage/ingest/findings.h"
#include "storage/ingest/labels.h"
#include "storage/ingest/text_position.h"
#include "storage/ingest/vertex_marks.h"

struct apsp_graph_builder {
	/* the rule that decides which weights are valid */
	struct apsp_profile profile;
	/*
	 * The request has no transform, and no weight so far requires one; see
	 * apsp_graph_builder_weighted().
	 */
	bool transform_unsaid;
	/* The arcs were stored before: they come from a bundle, or this graph
	   is a part of a stored graph. Their weights are not compared with the
	   transform's domain while they are read. The job compares the weights
	   after it has merged them. */
	bool stored_before;
	struct apsp_file_options file;
	uint64_t max_arcs;
	/* the place where the table files of a bundle are stored */
	struct apsp_received_place received;
	/* the upload's share of the budget, which counts the upload's memory
	   and disk space; borrowed, may be NULL */
	struct apsp_share *share;
	struct apsp_labels *labels;
	struct apsp_arc_spool spool;
	/*
	 * Facts about the arcs and their weights: a set of enum apsp_arc_fact.
	 * Self-loops contribute only the facts about signs and sums.
	 * apsp_graph_builder_end() adds the facts about the vertices' degrees,
	 * such as APSP_ARC_HUBS.
	 */
	unsigned int weights;
	struct apsp_findings findings;
	struct apsp_bundled bundled;
	struct apsp_arc_counts counts;
	/* the vertices that have an arc from or to another vertex */
	struct apsp_vertex_marks touched;
};

/*
 * Open a builder. Before this call, the caller sets the members from `profile`
 * to `share`, and sets all members after `share` to 0. `spool_dir` is the
 * directory of the temporary file; borrowed. The caller ends the builder with
 * apsp_graph_builder_done(), which also accepts a builder that was never
 * opened. APSP_ENOMEM; errors of apsp_share_grow().
 */
int apsp_graph_builder_open(struct apsp_graph_builder *builder,
	const char *spool_dir, struct apsp_err *err);
void apsp_graph_builder_done(struct apsp_graph_builder *builder);

/* Call this when the body is complete. Adds the findings that depend on all
   arcs, such as isolated vertices. */
void apsp_graph_builder_end(struct apsp_graph_builder *builder);

/* Store the index of a label. If the label is new, add it first. APSP_EDATA:
   the label is not valid, or there are too many labels (apsp_labels_intern()).
 */
int apsp_graph_builder_vertex(struct apsp_graph_builder *builder,
	const char *text, size_t size, struct apsp_text_position place,
	uint32_t *out_index, struct apsp_err *err);

/*
 * Add n labels, the numbers from `first` to `first` + n - 1, for formats that
 * number vertices. APSP_EDATA: n is 0 or above APSP_VERTICES_MAX.
 */
int apsp_graph_builder_numbered(struct apsp_graph_builder *builder,
	uint64_t first, uint64_t n, struct apsp_text_position place,
	struct apsp_err *err);

/* The meaning of a file's weights, according to the format or to the name of
   the column of weights. */
enum apsp_meaning {
	APSP_MEANING_LENGTHS,
	APSP_MEANING_UNSAID, /* the weights may be lengths or strengths */
};

/*
 * Announce weights. A parser calls this as soon as it knows that the file has
 * weights. `name` is the name of the column of weights, for messages, or NULL.
 * APSP_ETRANSFORM: the weights may be lengths or strengths, and the request
 * does not say which.
 */
int apsp_graph_builder_weighted(struct apsp_graph_builder *builder,
	enum apsp_meaning meaning, const char *name,
	struct apsp_text_position place, struct apsp_err *err);

/*
 * Add one arc, and the reverse arc if the file is undirected. APSP_ETRANSFORM:
 * the weight is not 1 and its meaning is unknown
 * (apsp_graph_builder_weighted()). APSP_EDATA: the weight is not finite. If the
 * profile refuses invalid weights, and the arcs were not stored before,
 * APSP_EDATA has two more causes. First, the weight is outside the transform's
 * domain. Second, with duplicates=sum, the transform `log` and no
 * normalisation, this arc brings the sum of the weights from its tail to its
 * head above 1 by more than rounding explains; the job makes this check again.
 * Neither is an error if the profile may replace the weight or drop the arc
 * first (apsp_profile_may_spare()). APSP_ETOOLARGE: there are too many arcs.
 * Also fails as apsp_arc_spool_add() does.
 */
int apsp_graph_builder_arc(struct apsp_graph_builder *builder, uint32_t from,
	uint32_t to, double weight, struct apsp_text_position place,
	struct apsp_err *err);

/*
 * Add one cell of a dense matrix. The cell means no arc if its value is
 * INFINITY or equals the option nonedge, which is 0 by default. NaN is a
 * missing weight. APSP_EDATA: the cell is -INFINITY, or it is NaN, and the
 * profile refuses missing weights. Also fails as apsp_graph_builder_arc() does.
 */
int apsp_graph_builder_cell(struct apsp_graph_builder *builder, uint32_t from,
	uint32_t to, double value, struct apsp_text_position place,
	struct apsp_err *err);

/* Parse a number as apsp_number_parse() does. If file->decimal_comma is set,
   the decimal sign is a comma. */
enum apsp_number apsp_file_number(const struct apsp_file_options *file,
	const char *text, size_t size, double *out);

/* Whether a field is text: neither a number nor a missing value (blank, NA). */
bool apsp_file_text(
	const struct apsp_file_options *file, const char *text, size_t size);

/* Record whether a weight is a whole number that was rounded: `text` has only
   digits, perhaps after a sign, and they differ from the digits of `value`. A
   cell of a dense matrix that means no arc (nonedge) is no weight. */
void apsp_graph_builder_whole(struct apsp_graph_builder *builder,
	const char *text, size_t size, double value);

/*
 * Parse a weight according to the file's options. Returns 1 if the weight is
 * missing (blank, NA, NaN, null), and the profile leaves out rows without a
 * weight. APSP_EDATA: the text is not a finite number.
 */
int apsp_graph_builder_weight(struct apsp_graph_builder *builder,
	const char *text, size_t size, struct apsp_text_position place,
	double *out, struct apsp_err *err);

#endif
