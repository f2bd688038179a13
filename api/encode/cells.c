/* Cells; see cells.h. */
#include "api/encode/cells.h"

#include <string.h>

void apsp_cells_begin(struct apsp_cells *cells)
{
	if (cells->form == APSP_CELLS_JSON)
		apsp_json_object(cells->json);
}

void apsp_cells_end(struct apsp_cells *cells)
{
	if (cells->form == APSP_CELLS_JSON)
		apsp_json_object_end(cells->json);
	else
		apsp_csv_row_end(&cells->csv);
}

/* Append the name of a cell, unless the form is CSV. Returns false in the form
   APSP_CELLS_NAMES. Otherwise returns true: the caller must then append the
   cell's value. */
static bool name_append(struct apsp_cells *cells, const char *name)
{
	if (cells->form == APSP_CELLS_JSON)
		apsp_json_key(cells->json, name);
	else if (cells->form == APSP_CELLS_NAMES)
		apsp_csv_text(&cells->csv, name);
	return cells->form != APSP_CELLS_NAMES;
}

void apsp_cell_string(struct apsp_cells *cells, const char *name,
	const char *text, size_t size)
{
	if (!name_append(cells, name))
		return;
	if (cells->form == APSP_CELLS_JSON)
		apsp_json_string(cells->json, text, size);
	else
		apsp_csv_string(&cells->csv, text, size);
}

void apsp_cell_text(
	struct apsp_cells *cells, const char *name, const char *text)
{
	apsp_cell_string(cells, name, text, strlen(text));
}

void apsp_cell_integer(
	struct apsp_cells *cells, const char *name, int64_t value)
{
	if (!name_append(cells, name))
		return;
	if (cells->form == APSP_CELLS_JSON)
		apsp_json_integer(cells->json, value);
	else
		apsp_csv_integer(&cells->csv, value);
}

void apsp_cell_real(struct apsp_cells *cells, const char *name, double value)
{
	if (!name_append(cells, name))
		return;
	if (cells->form == APSP_CELLS_JSON)
		apsp_json_real(cells->json, value);
	else
		apsp_csv_real(&cells->csv, value);
}
