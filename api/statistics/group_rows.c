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

/* The names of an answer's members and columns. */
struct names {
	const char *best; /* the distance or the width of the best pair */
	const char *pair; /* the two vertices of the best pair */
	const char *columns[9];
};

static const struct names of_distances = {
	"min",
	"nearest",
	{"from", "to", "pairs", "reachable", "share", "min", "mean",
		"nearest_from", "nearest_to"},
};

static const struct names of_widths = {
	"max",
	"widest",
	{"from", "to", "pairs", "reachable", "share", "max", "mean",
		"widest_from", "widest_to"},
};

static const struct names *names_of(const struct apsp_group_rows *rows)
{
	return apsp_reading_is_widest(&rows->reading) ? &of_widths
						      : &of_distances;
}

/*
 * Append the members about distances or widths. `best` is the width of the
 * widest pair, or the exact length of the nearest pair's path. The length comes
 * from the path, because the table may have rounded the distance to float32.
 */
static void json_distances_write(const struct apsp_group_rows *rows,
	const struct apsp_group_pair *pair, double best,
	struct apsp_json_writer *w)
{
	const struct apsp_labels *labels = rows->reading.generation->labels;
	const struct names *names = names_of(rows);

	if (!pair->n_reachable) {
		apsp_json_null_member(w, names->best);
		apsp_json_null_member(w, "mean");
		apsp_json_null_member(w, names->pair);
		return;
	}
	apsp_json_real_member(w, names->best, best);
	apsp_json_real_member(w, "mean", pair->sum / (double)pair->n_reachable);
	apsp_json_key(w, names->pair);
	apsp_json_array(w);
	apsp_label_json(w, labels, pair->from);
	apsp_label_json(w, labels, pair->to);
	apsp_json_array_end(w);
}

static void json_write(const struct apsp_group_rows *rows, const uint32_t of[2],
	const struct apsp_group_pair *pair, double best,
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
	json_distances_write(rows, pair, best, w);
	apsp_json_object_end(w);
}

static void csv_write(const struct apsp_group_rows *rows, const uint32_t of[2],
	const struct apsp_group_pair *pair, double best,
	struct apsp_csv_writer *csv)
{
	const struct apsp_labels *labels = rows->reading.generation->labels;

	apsp_label_csv(csv, apsp_group_rows_values(rows, 0), of[0]);
	apsp_label_csv(csv, apsp_group_rows_values(rows, 1), of[1]);
	apsp_csv_integer(csv, (int64_t)pair->n_pairs);
	apsp_csv_integer(csv, (int64_t)pair->n_reachable);
	if (pair->n_pairs)
		apsp_csv_real(
			csv, (double)pair->n_reachable / (double)pair->n_pairs);
	else
		apsp_csv_text(csv, "");
	if (pair->n_reachable) {
		apsp_csv_real(csv, best);
		apsp_csv_real(csv, pair->sum / (double)pair->n_reachable);
		apsp_label_csv(csv, labels, pair->from);
		apsp_label_csv(csv, labels, pair->to);
	} else {
		for (int i = 0; i < 4; i++)
			apsp_csv_text(csv, "");
	}
	apsp_csv_row_end(csv);
}

void apsp_group_rows_names(
	const struct apsp_group_rows *rows, struct apsp_text *out)
{
	const struct names *names = names_of(rows);
	struct apsp_csv_writer csv = {.text = out};

	for (size_t i = 0; i < sizeof(names->columns) / sizeof(*names->columns);
		i++)
		apsp_csv_text(&csv, names->columns[i]);
	apsp_csv_row_end(&csv);
}

/* Find the distance or the width of the best pair. The best pair has a path. */
static int best_find(const struct apsp_group_rows *rows,
	const struct apsp_group_pair *pair, double *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_path_done) struct apsp_path path = {0};
	int r;

	if (apsp_reading_is_widest(&rows->reading)) {
		*out = pair->best;
		return 0;
	}
	r = apsp_lookup_path(
		rows->reading.tables, pair->from, pair->to, &path, err);
	*out = path.distance;
	return r;
}

int apsp_group_rows_write(struct apsp_group_rows *rows,
	struct apsp_json_writer *w, struct apsp_err *err)
{
	const struct apsp_group_distances *distances = &rows->distances;
	struct apsp_csv_writer csv = {.text = w->text};
	uint32_t n = distances->n_targets, of[2];
	const struct apsp_group_pair *pair;
	double best = 0;
	int r = 0;

	if (n == 0 || rows->next == (size_t)distances->n_sources * n)
		return 0;
	of[0] = (uint32_t)(rows->next / n);
	of[1] = (uint32_t)(rows->next % n);
	pair = &distances->pairs[rows->next++];
	if (pair->n_reachable)
		r = best_find(rows, pair, &best, err);
	if (r < 0)
		return r;
	if (rows->is_csv)
		csv_write(rows, of, pair, best, &csv);
	else
		json_write(rows, of, pair, best, w);
	return 1;
}
