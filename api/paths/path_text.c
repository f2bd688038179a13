/* A path as JSON; see path_text.h. */
#include "api/paths/path_text.h"

#include "api/label_text.h"

void apsp_path_write_pair(struct apsp_json_writer *w,
	const struct apsp_reading *reading, uint32_t from, uint32_t to)
{
	const struct apsp_labels *labels = reading->generation->labels;

	apsp_reading_head_write(reading, w);
	apsp_label_member(w, "from", labels, from);
	apsp_label_member(w, "to", labels, to);
	apsp_reading_pair_write(reading, w, from, to);
}

void apsp_path_write_vertices(struct apsp_json_writer *w,
	const struct apsp_labels *labels, const struct apsp_path *path)
{
	apsp_json_array(w);
	for (uint32_t i = 0; i <= path->hops; i++)
		apsp_label_json(w, labels, path->vertices[i]);
	apsp_json_array_end(w);
}

void apsp_path_write_members(struct apsp_json_writer *w,
	const struct apsp_labels *labels, const struct apsp_path *path)
{
	const char *const names[] = {path->is_widest ? "width" : "distance",
		"hops", "weight", "path", "arcs"};
	double weight = 0;

	for (uint32_t i = 0; i < path->hops; i++)
		weight += path->weights[i];
	apsp_json_boolean_member(w, "reachable", path->reachable);
	if (!path->reachable) {
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
			apsp_json_null_member(w, names[i]);
		return;
	}
	/* the width of a path without arcs is infinite, and is written as
	   null */
	apsp_json_real_member(
		w, names[0], path->is_widest ? path->width : path->distance);
	apsp_json_integer_member(w, "hops", path->hops);
	apsp_json_real_member(w, "weight", weight);
	apsp_json_key(w, "path");
	apsp_path_write_vertices(w, labels, path);
	apsp_json_key(w, "arcs");
	apsp_json_array(w);
	for (uint32_t i = 0; i < path->hops; i++) {
		apsp_json_object(w);
		apsp_json_real_member(w, "weight", path->weights[i]);
		apsp_json_real_member(w, path->is_widest ? "width" : "length",
			path->lengths[i]);
		apsp_json_object_end(w);
	}
	apsp_json_array_end(w);
}

void apsp_path_write(struct apsp_json_writer *w,
	const struct apsp_reading *reading, uint32_t from, uint32_t to,
	const struct apsp_path *path)
{
	apsp_json_object(w);
	apsp_path_write_pair(w, reading, from, to);
	apsp_json_text_member(w, "kind", "path");
	apsp_path_write_members(w, reading->generation->labels, path);
	apsp_json_object_end(w);
}
