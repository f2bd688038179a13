/*
 * The attributes of a vertex in an answer, as cells of CSV or as an object of
 * JSON. The cells are in the order in which the attributes were uploaded. A
 * cell is empty if the vertex lacks the attribute. Some answers consist of rows
 * that have a vertex and its attributes: the first cell is the vertex's label,
 * and the other cells are its attributes. If the graph has no attributes, such
 * a row has only the label.
 */
#ifndef APSP_API_ATTRIBUTE_ROW_H
#define APSP_API_ATTRIBUTE_ROW_H

#include <stdint.h>

#include "api/encode/cells.h"
#include "api/encode/json_writer.h"
#include "api/encode/text.h"
#include "storage/snapshots/graph_snapshot.h"

/* Append a row of CSV: the label of the vertex v and its attributes. If
   cells->form is APSP_CELLS_NAMES, append the header row instead: `label_name`,
   and the names of the attributes. For `own`, see apsp_attribute_name(). */
void apsp_attribute_row(const struct apsp_generation *generation, uint32_t v,
	const char *label_name, const char *const *own,
	struct apsp_cells *cells);

/*
 * Append the name under which an answer shows an attribute. `own` lists the
 * names of the answer's other values, none of which begins with `attribute_`;
 * the list ends with NULL. An attribute whose name is in the list gets the
 * prefix `attribute_`. So does an attribute whose name consists of such
 * prefixes and a name in the list. Thus different attributes have different
 * names. All other names stay as they are; if `own` is NULL, every name does.
 */
void apsp_attribute_name(
	const char *name, const char *const *own, struct apsp_text *out);

/*
 * Append cells to a row of CSV: the attributes of the vertex v or, if
 * cells->form is APSP_CELLS_NAMES, the names of the attributes. `prefix` is
 * written before each name, and may be "". `own` lists the names of the other
 * columns (see apsp_attribute_name()). In JSON, append nothing.
 */
void apsp_attribute_cells(const struct apsp_generation *generation, uint32_t v,
	const char *prefix, const char *const *own, struct apsp_cells *cells);

/* Append the member `attributes`: an object with the attributes that the vertex
   v has. */
void apsp_attribute_object_write(const struct apsp_generation *generation,
	uint32_t v, struct apsp_json_writer *w);

#endif
