/*
 * Receipts of uploads; see receipt_json.h.
 */
#include "api/graphs/receipt_json.h"

static json_t *name_json(const char *name)
{
	return *name ? json_string(name) : json_null();
}

/* The columns' names; null where the file has none. */
static json_t *columns_json(const struct apsp_findings *found)
{
	if (!*found->columns[APSP_ROLE_FROM])
		return json_null();
	return json_pack("{s:o, s:o, s:o}", "from",
		name_json(found->columns[APSP_ROLE_FROM]), "to",
		name_json(found->columns[APSP_ROLE_TO]), "weight",
		name_json(found->columns[APSP_ROLE_WEIGHT]));
}

static json_t *warnings_json(const struct apsp_findings *found)
{
	char text[APSP_WARNING_SIZE];
	json_t *out = json_array();

	for (size_t i = 0; apsp_findings_warning(found, i, text); i++)
		if (*text)
			json_array_append_new(out, json_string(text));
	return out;
}

/* A number that is known while merged arcs are counted. */
static json_t *merged_json(const struct apsp_findings *found, uint64_t number)
{
	return found->merged_known ? json_integer((json_int_t)number)
				   : json_null();
}

json_t *apsp_receipt_json(const struct apsp_upload *upload)
{
	const struct apsp_findings *found = apsp_upload_findings(upload);

	return json_pack("{s:s, s:o, s:b, s:I, s:o, s:o, s:I, s:o, s:o}",
		"format", apsp_format_name(apsp_upload_format(upload)),
		"columns", columns_json(found), "rows_counted",
		(int)found->rows_counted, "rows", (json_int_t)found->n_rows,
		"merged", merged_json(found, found->n_merged), "distinct_arcs",
		merged_json(
			found, apsp_upload_n_arcs(upload) - found->n_merged),
		"loops", (json_int_t)found->n_loops, "index_base",
		found->has_index_base
			? json_integer((json_int_t)found->index_base)
			: json_null(),
		"warnings", warnings_json(found));
}
