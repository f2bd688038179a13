/*
 * Appends the labels of vertices to JSON, to CSV and to rows of cells.
 */
#ifndef APSP_API_LABEL_TEXT_H
#define APSP_API_LABEL_TEXT_H

#include "api/encode/cells.h"
#include "api/encode/csv_writer.h"
#include "api/encode/json_writer.h"
#include "storage/ingest/labels.h"

static inline void apsp_label_json(struct apsp_json_writer *w,
	const struct apsp_labels *labels, uint32_t v)
{
	size_t size;
	const char *text = apsp_labels_get(labels, v, &size);

	apsp_json_string(w, text, size);
}

/* Append the label of v as the member `name` of an object. */
static inline void apsp_label_member(struct apsp_json_writer *w,
	const char *name, const struct apsp_labels *labels, uint32_t v)
{
	apsp_json_key(w, name);
	apsp_label_json(w, labels, v);
}

static inline void apsp_label_csv(
	struct apsp_csv_writer *w, const struct apsp_labels *labels, uint32_t v)
{
	size_t size;
	const char *text = apsp_labels_get(labels, v, &size);

	apsp_csv_string(w, text, size);
}

static inline void apsp_label_cell(struct apsp_cells *cells, const char *name,
	const struct apsp_labels *labels, uint32_t v)
{
	const char *text = NULL;
	size_t size = 0;

	/* a row of names has no values, and `v` need not be a vertex */
	if (cells->form != APSP_CELLS_NAMES)
		text = apsp_labels_get(labels, v, &size);
	apsp_cell_string(cells, name, text, size);
}

#endif
