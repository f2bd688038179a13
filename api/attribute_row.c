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

void apsp_attribute_cells_names(const struct apsp_generation *generation,
	const char *prefix, const char *const *own, struct apsp_csv_writer *w)
{
	uint32_t n = columns_count(generation);

	for (uint32_t c = 0; c < n; c++) {
		const char *name = generation->attributes->columns[c].name;
		APSP_AUTO(apsp_text_done) struct apsp_text text = {0};

		apsp_text_string(&text, prefix);
		apsp_attribute_name(name, own, &text);
		w->text->failed |= text.failed;
		apsp_csv_string(w, text.data, text.size);
	}
}

void apsp_attribute_cells_write(const struct apsp_generation *generation,
	uint32_t v, struct apsp_csv_writer *w)
{
	uint32_t n = columns_count(generation);

	for (uint32_t c = 0; c < n; c++)
		apsp_csv_text(
			w, apsp_attributes_text(generation->attributes, c, v));
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

void apsp_attribute_row_names(const struct apsp_generation *generation,
	const char *label_name, struct apsp_text *out)
{
	struct apsp_csv_writer w = {.text = out};

	apsp_csv_text(&w, label_name);
	apsp_attribute_cells_names(generation, "", NULL, &w);
	apsp_csv_row_end(&w);
}

void apsp_attribute_row_write(const struct apsp_generation *generation,
	uint32_t v, struct apsp_text *out)
{
	struct apsp_csv_writer w = {.text = out};

	apsp_label_csv(&w, generation->labels, v);
	apsp_attribute_cells_write(generation, v, &w);
	apsp_csv_row_end(&w);
}
