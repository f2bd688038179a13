/*
 * Parts of an answer about paths as JSON: labels for people, weights and
 * lengths arc by arc.
 */
#include "api/paths/path_json.h"

#include "api/encode/json.h"
#include "api/reading.h"

static json_t *vertices_json(
	const struct apsp_labels *labels, const struct apsp_path *path)
{
	json_t *out = json_array();

	for (uint32_t i = 0; out && i <= path->hops; i++) {
		const char *label =
			apsp_labels_get(labels, path->vertices[i], NULL);

		if (json_array_append_new(out, json_string(label)) < 0) {
			json_decref(out);
			return NULL;
		}
	}
	return out;
}

static json_t *arcs_json(const struct apsp_path *path)
{
	json_t *out = json_array();

	for (uint32_t i = 0; out && i < path->hops; i++) {
		json_t *arc = json_pack("{s:o, s:o}", "weight",
			apsp_json_number(path->weights[i]), "length",
			apsp_json_number(path->lengths[i]));

		if (json_array_append_new(out, arc) < 0) {
			json_decref(out);
			return NULL;
		}
	}
	return out;
}

json_t *apsp_path_head_json(
	const struct apsp_reading *reading, uint32_t from, uint32_t to)
{
	const struct apsp_labels *labels = reading->generation->labels;

	return json_pack("{s:s, s:s, s:s?, s:s, s:s}", "revision",
		reading->generation->revision, "profile",
		reading->profile->name, "transform",
		apsp_reading_transform(reading), "from",
		apsp_labels_get(labels, from, NULL), "to",
		apsp_labels_get(labels, to, NULL));
}

json_t *apsp_path_members_json(
	const struct apsp_reading *reading, const struct apsp_path *path)
{
	const struct apsp_labels *labels = reading->generation->labels;
	double weight = 0;

	if (!path->reachable)
		return json_pack("{s:b, s:n, s:n, s:n, s:n, s:n}", "reachable",
			0, "distance", "hops", "weight", "path", "arcs");
	for (uint32_t i = 0; i < path->hops; i++)
		weight += path->weights[i];
	return json_pack("{s:b, s:o, s:I, s:o, s:o, s:o}", "reachable", 1,
		"distance", apsp_json_number(path->distance), "hops",
		(json_int_t)path->hops, "weight", apsp_json_number(weight),
		"path", vertices_json(labels, path), "arcs", arcs_json(path));
}
