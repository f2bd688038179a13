/*
 * A path as JSON without a tree: labels for people, weights and lengths arc by
 * arc.
 */
#include "api/paths/path_text.h"

static void write_label(struct apsp_json_writer *w,
	const struct apsp_labels *labels, uint32_t v)
{
	size_t size;
	const char *label = apsp_labels_get(labels, v, &size);

	apsp_json_string(w, label, size);
}

void apsp_path_write_pair(struct apsp_json_writer *w,
	const struct apsp_reading *reading, uint32_t from, uint32_t to)
{
	const struct apsp_labels *labels = reading->generation->labels;
	const char *transform = apsp_reading_transform(reading);

	apsp_json_text_member(w, "revision", reading->generation->revision);
	apsp_json_text_member(w, "profile", reading->profile->name);
	if (transform)
		apsp_json_text_member(w, "transform", transform);
	else {
		apsp_json_key(w, "transform");
		apsp_json_nothing(w);
	}
	apsp_json_key(w, "from");
	write_label(w, labels, from);
	apsp_json_key(w, "to");
	write_label(w, labels, to);
}

static void write_vertices(struct apsp_json_writer *w,
	const struct apsp_labels *labels, const struct apsp_path *path)
{
	apsp_json_key(w, "path");
	apsp_json_array(w);
	for (uint32_t i = 0; i <= path->hops; i++)
		write_label(w, labels, path->vertices[i]);
	apsp_json_array_end(w);
}

static void write_arcs(struct apsp_json_writer *w, const struct apsp_path *path)
{
	apsp_json_key(w, "arcs");
	apsp_json_array(w);
	for (uint32_t i = 0; i < path->hops; i++) {
		apsp_json_object(w);
		apsp_json_key(w, "weight");
		apsp_json_real(w, path->weights[i]);
		apsp_json_key(w, "length");
		apsp_json_real(w, path->lengths[i]);
		apsp_json_object_end(w);
	}
	apsp_json_array_end(w);
}

/* The members that are null where there is no path. */
static void write_nothing(struct apsp_json_writer *w)
{
	static const char *const names[] = {
		"distance", "hops", "weight", "path", "arcs"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		apsp_json_key(w, names[i]);
		apsp_json_nothing(w);
	}
}

void apsp_path_write_members(struct apsp_json_writer *w,
	const struct apsp_labels *labels, const struct apsp_path *path)
{
	double weight = 0;

	for (uint32_t i = 0; i < path->hops; i++)
		weight += path->weights[i];
	apsp_json_key(w, "reachable");
	apsp_json_boolean(w, path->reachable);
	if (path->reachable) {
		apsp_json_key(w, "distance");
		apsp_json_real(w, path->distance);
		apsp_json_key(w, "hops");
		apsp_json_integer(w, path->hops);
		apsp_json_key(w, "weight");
		apsp_json_real(w, weight);
		write_vertices(w, labels, path);
		write_arcs(w, path);
	} else {
		write_nothing(w);
	}
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
