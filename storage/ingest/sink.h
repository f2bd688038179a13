/*
 * Where parsers put what they find: vertices go to the labels, arcs to the
 * spool, and every rule that holds for all formats is applied on the way.
 */
#ifndef APSP_STORAGE_INGEST_SINK_H
#define APSP_STORAGE_INGEST_SINK_H

#include "storage/ingest/place.h"
#include "storage/ingest/spool.h"
#include "storage/upload.h"

struct apsp_sink {
	struct apsp_upload_options options;
	struct apsp_labels *labels;
	struct apsp_spool spool;
	unsigned int weights; /* enum apsp_weights, of arcs but loops */
};

/* The index of a label. APSP_EDATA: see apsp_labels_intern(). */
int apsp_sink_vertex(struct apsp_sink *sink, const char *text, size_t size,
	struct apsp_place place, uint32_t *out_index, struct apsp_err *err);

/*
 * The vertices "first" … "first + n - 1", for formats that number them.
 * APSP_EDATA: n is 0 or above APSP_VERTICES_MAX.
 */
int apsp_sink_numbered(struct apsp_sink *sink, uint64_t first, uint64_t n,
	struct apsp_place place, struct apsp_err *err);

/*
 * One arc. APSP_EDATA: the weight is not finite, or outside the profile's
 * domain and not to be dropped. APSP_ETOOLARGE: one arc too many.
 */
int apsp_sink_arc(struct apsp_sink *sink, uint32_t from, uint32_t to,
	double weight, struct apsp_place place, struct apsp_err *err);

/*
 * One cell of a dense matrix: 0 (or the chosen value) and infinity are no arc.
 * APSP_EDATA: NaN; and as apsp_sink_arc().
 */
int apsp_sink_cell(struct apsp_sink *sink, uint32_t from, uint32_t to,
	double value, struct apsp_place place, struct apsp_err *err);

/* The same for text; blank is no arc. APSP_EDATA: not a number. */
int apsp_sink_cell_text(struct apsp_sink *sink, uint32_t from, uint32_t to,
	const char *text, size_t size, struct apsp_place place,
	struct apsp_err *err);

/*
 * The weight of an arc in sparse data. APSP_EDATA: blank, no number, NaN,
 * infinite, or out of a double's range.
 */
int apsp_weight_parse(const char *text, size_t size, struct apsp_place place,
	double *out, struct apsp_err *err);

#endif
