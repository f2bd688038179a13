/*
 * Suggestions; see suggestions.h.
 */
#include "api/suggestions.h"

enum {
	N_SUGGESTIONS = 5,
};

json_t *apsp_suggestions_json(
	const struct apsp_labels *labels, const char *label)
{
	uint32_t near[N_SUGGESTIONS];
	size_t n = apsp_labels_suggest(labels, label, near, N_SUGGESTIONS);
	json_t *out = json_array();

	for (size_t i = 0; out && i < n; i++)
		json_array_append_new(out,
			json_string(apsp_labels_get(labels, near[i], NULL)));
	return out;
}
