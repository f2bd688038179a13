/*
 * Rows of an answer about groups; see group_rows.h.
 */
#include "api/statistics/group_rows.h"

#include <string.h>

#include "api/encode/csv_writer.h"
#include "api/encode/json.h"
#include "api/label_text.h"
#include "daemon/base/auto.h"
#include "storage/tables/lookup.h"

void apsp_group_rows_done(struct apsp_group_rows *rows)
{
	apsp_group_distances_done(&rows->distances);
	apsp_reading_done(&rows->reading);
}

const struct apsp_labels *apsp_group_rows_values(
	const struct apsp_group_rows *rows, int end)
{
	return rows->reading.generation->attributes->columns[rows->columns[end]]
		.values;
}

/*
 * Append the members about distances. `min` is the exact length of the nearest
 * pair's path, as in GET …/path, because the distance in the table may be
 * rounded to float32.
 */
static void json_distances_write(const struct apsp_group_rows *rows,
	const struct apsp_group_pair *pair, double min,
	struct apsp_json_writer *w)
{
	const struct apsp_labels *labels = rows->reading.generation->labels;

	if (!pair->n_reachable) {
		apsp_json_null_member(w, "min");
		apsp_json_null_member(w, "mean");
		apsp_json_null_member(w, "nearest");
		return;
	}
	apsp_json_real_member(w, "min", min);
	apsp_json_real_member(w, "mean", pair->sum / (double)pair->n_reachable);
	apsp_json_key(w, "nearest");
	apsp_json_array(w);
	apsp_label_json(w, labels, pair->from);
	apsp_label_json(w, labels, pair->to);
	apsp_json_array_end(w);
}

static void json_write(const struct apsp_group_rows *rows, const uint32_t of[2],
	const struct apsp_group_pair *pair, double min,
	struct apsp_json_writer *w)
{
	apsp_json_object(w);
	apsp_label_member(w, "from", apsp_group_rows_values(rows, 0), of[0]);
	apsp_label_member(w, "to", apsp_group_rows_values(rows, 1), of[1]);
	apsp_json_integer_member(w, "pairs", (int64_t)pair->n_pairs);
	apsp_json_integer_member(w, "reachable", (int64_t)pair->n_reachable);
	apsp_json_key(w, "share");
	apsp_json_tree(w, pair->n_pairs ? json_real((double)pair->n_reachable /
						    (double)pair->n_pairs)
					: json_null());
	json_distances_write(rows, pair, min, w);
	apsp_json_object_end(w);
}

static void csv_label(struct apsp_csv_writer *csv,
	const struct apsp_labels *labels, uint32_t i)
{
	size_t size;
	const char *text = apsp_labels_get(labels, i, &size);

	apsp_csv_string(csv, text, size);
}

static void csv_write(const struct apsp_group_rows *rows, const uint32_t of[2],
	const struct apsp_group_pair *pair, double min,
	struct apsp_csv_writer *csv)
{
	const struct apsp_labels *labels = rows->reading.generation->labels;

	csv_label(csv, apsp_group_rows_values(rows, 0), of[0]);
	csv_label(csv, apsp_group_rows_values(rows, 1), of[1]);
	apsp_csv_integer(csv, (int64_t)pair->n_pairs);
	apsp_csv_integer(csv, (int64_t)pair->n_reachable);
	if (pair->n_pairs)
		apsp_csv_real(
			csv, (double)pair->n_reachable / (double)pair->n_pairs);
	else
		apsp_csv_blank(csv);
	if (pair->n_reachable) {
		apsp_csv_real(csv, min);
		apsp_csv_real(csv, pair->sum / (double)pair->n_reachable);
		csv_label(csv, labels, pair->from);
		csv_label(csv, labels, pair->to);
	} else {
		for (int i = 0; i < 4; i++)
			apsp_csv_blank(csv);
	}
	apsp_csv_row_end(csv);
}

static void csv_header_write(struct apsp_csv_writer *csv)
{
	static const char *const names[] = {"from", "to", "pairs", "reachable",
		"share", "min", "mean", "nearest_from", "nearest_to"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		apsp_csv_string(csv, names[i], strlen(names[i]));
	apsp_csv_row_end(csv);
}

int apsp_group_rows_write(struct apsp_group_rows *rows,
	struct apsp_json_writer *w, struct apsp_err *err)
{
	APSP_AUTO(apsp_path_done) struct apsp_path path = {0};
	const struct apsp_group_distances *distances = &rows->distances;
	struct apsp_csv_writer csv = {.text = w->text};
	uint32_t n = distances->n_targets, of[2];
	const struct apsp_group_pair *pair;
	int r;

	if (rows->is_csv && !rows->begun) {
		rows->begun = true;
		csv_header_write(&csv);
		return 1;
	}
	if (n == 0 || rows->next == (size_t)distances->n_sources * n)
		return 0;
	of[0] = (uint32_t)(rows->next / n);
	of[1] = (uint32_t)(rows->next % n);
	pair = &distances->pairs[rows->next++];
	if (pair->n_reachable) {
		r = apsp_lookup_path(
			rows->reading.tables, pair->from, pair->to, &path, err);
		if (r < 0)
			return r;
	}
	if (rows->is_csv)
		csv_write(rows, of, pair, path.distance, &csv);
	else
		json_write(rows, of, pair, path.distance, w);
	return 1;
}
