/* Rows of CSV with the attributes of vertices; see attribute_row.h. */
#include "api/attribute_row.h"

#include <string.h>

#include "api/label_text.h"
#include "daemon/base/auto.h"
#include "daemon/base/fixed_text.h"
#include "storage/attributes/attributes.h"

static uint32_t columns_count(const struct apsp_generation *generation)
{
	return generation->attributes ? generation->attributes->n_columns : 0;
}

void apsp_attribute_name(
	const char *name, const char *const *own, struct apsp_text *out)
{
	static const char prefix[] = "attribute_";
	const size_t size = sizeof(prefix) - 1;
	const char *bare = name;

	while (strncmp(bare, prefix, size) == 0)
		bare += size;
	if (apsp_fixed_text_is_among(own, bare))
		apsp_text_append(out, prefix, size);
	apsp_text_string(out, name);
}

/* Append the name of an attribute to a header row of CSV. */
static void name_cell(const char *name, const char *prefix,
	const char *const *own, struct apsp_csv_writer *w)
{
	APSP_AUTO(apsp_text_done) struct apsp_text text = {0};

	apsp_text_string(&text, prefix);
	apsp_attribute_name(name, own, &text);
	w->text->failed |= text.failed;
	apsp_csv_string(w, text.data, text.size);
}

void apsp_attribute_cells(const struct apsp_generation *generation, uint32_t v,
	const char *prefix, const char *const *own, struct apsp_cells *cells)
{
	const struct apsp_attributes *attributes = generation->attributes;
	uint32_t n = columns_count(generation);

	for (uint32_t c = 0; c < n; c++)
		if (cells->form == APSP_CELLS_CSV)
			apsp_csv_text(&cells->csv,
				apsp_attributes_text(attributes, c, v));
		else if (cells->form == APSP_CELLS_NAMES)
			name_cell(attributes->columns[c].name, prefix, own,
				&cells->csv);
}

void apsp_attribute_object_write(const struct apsp_generation *generation,
	uint32_t v, struct apsp_json_writer *w)
{
	uint32_t n = columns_count(generation);

	apsp_json_key(w, "attributes");
	apsp_json_object(w);
	for (uint32_t c = 0; c < n; c++) {
		const char *value =
			apsp_attributes_text(generation->attributes, c, v);

		if (*value)
			apsp_json_text_member(w,
				generation->attributes->columns[c].name, value);
	}
	apsp_json_object_end(w);
}

void apsp_attribute_row(const struct apsp_generation *generation, uint32_t v,
	const char *label_name, const char *const *own,
	struct apsp_cells *cells)
{
	apsp_cells_begin(cells);
	apsp_label_cell(cells, label_name, generation->labels, v);
	apsp_attribute_cells(generation, v, "", own, cells);
	apsp_cells_end(cells);
}
