/*
 * A path as JSON: labels for people, weights and lengths arc by arc.
 */
#include "api/path_json.h"

#include "api/http/json.h"

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

	apsp_json_text_member(w, "revision", reading->generation->revision);
	apsp_json_text_member(w, "profile", reading->profile->name);
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
	static const char *const names[] = {"distance", "hops", "path", "arcs"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		apsp_json_key(w, names[i]);
		apsp_json_nothing(w);
	}
}

void apsp_path_write(struct apsp_json_writer *w,
	const struct apsp_reading *reading, uint32_t from, uint32_t to,
	const struct apsp_path *path)
{
	apsp_json_object(w);
	apsp_path_write_pair(w, reading, from, to);
	apsp_json_key(w, "reachable");
	apsp_json_boolean(w, path->reachable);
	if (path->reachable) {
		apsp_json_key(w, "distance");
		apsp_json_real(w, path->distance);
		apsp_json_key(w, "hops");
		apsp_json_integer(w, path->hops);
		write_vertices(w, reading->generation->labels, path);
		write_arcs(w, path);
	} else {
		write_nothing(w);
	}
	apsp_json_object_end(w);
}

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

json_t *apsp_path_json(const struct apsp_reading *reading, uint32_t from,
	uint32_t to, const struct apsp_path *path)
{
	const struct apsp_labels *labels = reading->generation->labels;
	const char *from_label = apsp_labels_get(labels, from, NULL);
	const char *to_label = apsp_labels_get(labels, to, NULL);

	if (!path->reachable)
		return json_pack(
			"{s:s, s:s, s:s, s:s, s:b, s:n, s:n, s:n, s:n}",
			"revision", reading->generation->revision, "profile",
			reading->profile->name, "from", from_label, "to",
			to_label, "reachable", 0, "distance", "hops", "path",
			"arcs");
	return json_pack("{s:s, s:s, s:s, s:s, s:b, s:o, s:I, s:o, s:o}",
		"revision", reading->generation->revision, "profile",
		reading->profile->name, "from", from_label, "to", to_label,
		"reachable", 1, "distance", apsp_json_number(path->distance),
		"hops", (json_int_t)path->hops, "path",
		vertices_json(labels, path), "arcs", arcs_json(path));
}
