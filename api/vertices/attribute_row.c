/* Rows of vertices with their attributes; see attribute_row.h. */
#include "api/vertices/attribute_row.h"

#include <string.h>

#include "api/encode/csv_writer.h"
#include "api/label_text.h"
#include "storage/attributes/attributes.h"

static uint32_t columns_count(const struct apsp_generation *generation)
{
	return generation->attributes ? generation->attributes->n_columns : 0;
}

void apsp_attribute_row_names(const struct apsp_generation *generation,
	const char *label_name, struct apsp_text *out)
{
	struct apsp_csv_writer w = {.text = out};
	uint32_t n = columns_count(generation);

	apsp_csv_text(&w, label_name);
	for (uint32_t c = 0; c < n; c++) {
		const char *name = generation->attributes->columns[c].name;

		apsp_csv_text(&w, name);
	}
	apsp_csv_row_end(&w);
}

void apsp_attribute_row_write(const struct apsp_generation *generation,
	uint32_t v, struct apsp_text *out)
{
	struct apsp_csv_writer w = {.text = out};
	uint32_t n = columns_count(generation);

	apsp_label_csv(&w, generation->labels, v);
	for (uint32_t c = 0; c < n; c++) {
		const char *text =
			apsp_attributes_text(generation->attributes, c, v);

		apsp_csv_text(&w, text);
	}
	apsp_csv_row_end(&w);
}
