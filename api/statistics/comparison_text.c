/* Writes the answer of a comparison; see comparison_text.h. */
#include "api/statistics/comparison_text.h"

#include <math.h>
#include <string.h>

#include "api/encode/cells.h"
#include "api/encode/json.h"
#include "api/http/rows.h"
#include "api/label_text.h"
#include "api/rule_json.h"
#include "api/statistics/histograms.h"

enum {
	/* upper bound, in bytes, of the memory that jansson needs for one row
	   of the list of pairs of groups, not counting the names of the two
	   groups */
	GROUP_BYTES = 2048,
	HEAD_BYTES = 65536,
	N_COUNTS = 7, /* an answer has this many counts of pairs, such as the
			 number of lost pairs */
};

/* The kinds of change for which the answer has a list of pairs, in the order of
   the answer. */
static const enum apsp_pair_change lists[] = {
	APSP_PAIR_LOST,
	APSP_PAIR_GAINED,
	APSP_PAIR_LONGER,
	APSP_PAIR_SHORTER,
};

enum {
	N_LISTS = sizeof(lists) / sizeof(*lists),
};

/* The names that an answer uses: one set for distances, and one for widths. */
static const struct words {
	const char *counts[N_COUNTS];
	const char *lists[N_LISTS];
	const char *values[3];
} of_distances =
	{
		{"pairs", "lost", "gained", "unreachable", "longer", "shorter",
			"equal"},
		{"lost", "gained", "longer", "shorter"},
		{"distance", "with_distance", "difference"},
},
  of_widths = {
	  {"pairs", "lost", "gained", "unreachable", "wider", "narrower",
		  "equal"},
	  {"lost", "gained", "wider", "narrower"},
	  {"width", "with_width", "difference"},
};

static const struct words *words_of(const struct apsp_comparison_question *q)
{
	return q->widths ? &of_widths : &of_distances;
}

uint64_t apsp_comparison_head_bytes(const struct apsp_comparison_question *q)
{
	return HEAD_BYTES +
	       (q->has_groups ? (uint64_t)q->top * N_LISTS *
					(GROUP_BYTES + 2 * APSP_LABEL_MAX)
			      : 0);
}

/* Store in `out` the counts of pairs, in the order of counts[] in struct words.
   If lengths cannot be compared, the counts that depend on lengths are -1. */
static void counts_get(const struct apsp_comparison_question *q,
	const uint64_t n[APSP_N_PAIR_CHANGES], int64_t out[N_COUNTS])
{
	const int64_t all[N_COUNTS] = {(int64_t)apsp_pair_change_pairs(n),
		(int64_t)n[APSP_PAIR_LOST], (int64_t)n[APSP_PAIR_GAINED],
		(int64_t)n[APSP_PAIR_NOWHERE],
		q->lengths ? (int64_t)n[APSP_PAIR_LONGER] : -1,
		q->lengths ? (int64_t)n[APSP_PAIR_SHORTER] : -1,
		q->lengths ? (int64_t)n[APSP_PAIR_EQUAL] : -1};

	memcpy(out, all, sizeof(all));
}

static json_t *counts_json(const struct apsp_comparison_question *q,
	const uint64_t n[APSP_N_PAIR_CHANGES])
{
	int64_t counts[N_COUNTS];
	json_t *out = json_object();

	counts_get(q, n, counts);
	for (int i = 0; i < N_COUNTS; i++)
		if (json_object_set_new(out, words_of(q)->counts[i],
			    counts[i] < 0 ? json_null()
					  : json_integer(counts[i])) < 0) {
			json_decref(out);
			return NULL;
		}
	return out;
}

/* Returns the mean difference between the two sides for a pair of groups: the
   mean over the pairs of vertices that have a path on both sides. NaN: there is
   no such pair, or lengths cannot be compared. */
static double mean_of(const struct apsp_comparison_question *q,
	const struct apsp_group_change *group)
{
	uint64_t both = apsp_pair_change_both(group->n);

	return q->lengths && both > 0 ? group->difference / (double)both
				      : (double)NAN;
}

static const struct apsp_group_change *group_of(
	const struct apsp_comparison_text *text,
	const struct apsp_top_pair *pair)
{
	return &text->comparison->found
			->groups[(size_t)pair->from * text->keys->n_groups +
				 pair->to];
}

static json_t *label_json(const struct apsp_labels *labels, uint32_t i)
{
	size_t size;
	const char *label = apsp_labels_get(labels, i, &size);

	return json_stringn(label, size);
}

static json_t *group_json(const struct apsp_comparison_text *text,
	const char *change, const struct apsp_top_pair *pair)
{
	const struct apsp_labels *labels = text->keys->group_labels;
	const struct apsp_group_change *group = group_of(text, pair);
	json_t *out = json_pack("{s:s, s:o, s:o}", "change", change, "from",
		label_json(labels, pair->from), "to",
		label_json(labels, pair->to));

	if (json_object_update_new(out, counts_json(text->question, group->n)) <
			0 ||
		json_object_set_new(out, "mean_difference",
			apsp_json_number(mean_of(text->question, group))) < 0) {
		json_decref(out);
		return NULL;
	}
	return out;
}

/* Returns a list that has, for each kind of change, the pairs of groups that
   change most. Returns null if the question has no groups. */
static json_t *groups_json(const struct apsp_comparison_text *text)
{
	json_t *out;

	if (!text->question->has_groups)
		return json_null();
	out = json_array();
	for (int i = 0; i < N_LISTS; i++) {
		const struct apsp_top_pairs *top =
			&text->comparison->top_groups[lists[i]];

		for (uint32_t k = 0; out && k < top->n; k++)
			if (json_array_append_new(out,
				    group_json(text,
					    words_of(text->question)->lists[i],
					    &top->pairs[k])) < 0) {
				json_decref(out);
				out = NULL;
			}
	}
	return out;
}

static json_t *rule_json(const struct apsp_reading *reading)
{
	return apsp_profile_rule_json(
		reading->transform ? &reading->profile->tables_rule : NULL);
}

static json_t *with_json(const struct apsp_reading *with)
{
	return json_pack("{s:s, s:s, s:s, s:s?, s:o}", "graph",
		with->snapshot->name, "revision", with->generation->revision,
		"profile", with->profile->name, "transform", with->transform,
		"rule", rule_json(with));
}

static json_t *matched_json(const struct apsp_comparison_keys *keys)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I}", "keys",
		(json_int_t)keys->n_keys, "only_here",
		(json_int_t)keys->only_here, "only_with",
		(json_int_t)keys->only_with, "without_here",
		(json_int_t)keys->without_here, "without_with",
		(json_int_t)keys->without_with);
}

/* Returns sums and means over the pairs that have a path on both sides; null if
   lengths cannot be compared. */
static json_t *difference_json(const struct apsp_comparison_text *text)
{
	const struct apsp_changes *c = text->comparison->found;
	double both = (double)apsp_pair_change_both(c->n);

	if (!text->question->lengths)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o}", "sum",
		apsp_json_number(c->difference), "mean",
		apsp_json_number(c->difference / both), "mean_here",
		apsp_json_number(c->sum_here / both), "mean_with",
		apsp_json_number(c->sum_with / both));
}

json_t *apsp_comparison_head(const struct apsp_comparison_text *text)
{
	const struct apsp_comparison_question *q = text->question;
	const struct apsp_changes *c = text->comparison->found;
	const char *key =
		q->has_key ? apsp_comparison_column(&q->here, q->key_here)
			   : NULL;
	const char *by =
		q->has_groups ? apsp_comparison_column(&q->here, q->by) : NULL;
	json_t *members;

	members = json_pack("{s:o, s:o, s:s?, s:s?, s:b, s:s?, s:o, s:o, s:o, "
			    "s:o, s:o, s:o}",
		"rule", rule_json(&q->here), "with", with_json(&q->with), "key",
		key, "by", by, "comparable", q->lengths, "why_not",
		q->lengths ? NULL : q->why_not, "tolerance",
		apsp_json_number(q->lengths ? q->tolerance : (double)NAN),
		"matched", matched_json(text->keys), "counts",
		counts_json(q, c->n), "left_out", counts_json(q, c->left_out),
		"difference", difference_json(text), "histogram",
		q->lengths && c->bins.histogram.width > 0
			? apsp_histogram_json(&c->bins.histogram, q->bins)
			: json_null());
	if (text->both &&
		json_object_set_new(members, "groups", groups_json(text)) < 0) {
		json_decref(members);
		members = NULL;
	}
	return apsp_reading_answer(&q->here, members);
}

/* Append the cells about a pair of groups, except the names of the two
   groups. */
static void group_cells_write(const struct apsp_comparison_text *text,
	const struct apsp_group_change *group, struct apsp_cells *cells)
{
	const struct words *words = words_of(text->question);
	int64_t counts[N_COUNTS];

	counts_get(text->question, group->n, counts);
	for (int i = 0; i < N_COUNTS; i++)
		if (counts[i] < 0)
			apsp_cell_real(cells, words->counts[i], (double)NAN);
		else
			apsp_cell_integer(cells, words->counts[i], counts[i]);
	apsp_cell_real(
		cells, "mean_difference", mean_of(text->question, group));
}

/* Append the cells about a pair of vertices, except the names of the two
   vertices. */
static void pair_cells_write(const struct apsp_comparison_text *text,
	const struct apsp_top_pair *pair, struct apsp_cells *cells)
{
	const struct words *words = words_of(text->question);
	/* the value of a side that has no path: infinity, which becomes null in
	   JSON. But a width is 0 in CSV, as in tables */
	double none = text->question->widths && cells->form == APSP_CELLS_CSV
			      ? 0
			      : (double)INFINITY;
	double here = pair->here < INFINITY ? pair->here : none;
	double with = pair->with < INFINITY ? pair->with : none;

	apsp_cell_real(cells, words->values[0], here);
	apsp_cell_real(cells, words->values[1], with);
	apsp_cell_real(cells, words->values[2], here - with);
}

static void cells_write(const struct apsp_comparison_text *text,
	const char *change, const struct apsp_top_pair *pair,
	struct apsp_cells *cells)
{
	static const struct apsp_group_change no_group;
	const struct apsp_comparison_keys *keys = text->keys;
	bool names = cells->form == APSP_CELLS_NAMES, groups = text->of_groups;
	const struct apsp_labels *labels =
		groups ? keys->group_labels : keys->labels;
	uint32_t from = groups ? pair->from : keys->names[pair->from];
	uint32_t to = groups ? pair->to : keys->names[pair->to];

	apsp_cells_begin(cells);
	apsp_cell_text(cells, "change", change);
	apsp_label_cell(cells, "from", labels, from);
	apsp_label_cell(cells, "to", labels, to);
	if (groups)
		group_cells_write(
			text, names ? &no_group : group_of(text, pair), cells);
	else
		pair_cells_write(text, pair, cells);
	apsp_cells_end(cells);
}

/* Returns the list from which the next row is written. */
static const struct apsp_top_pairs *list_get(
	const struct apsp_comparison_text *text)
{
	enum apsp_pair_change change = lists[text->list];

	return text->of_groups ? &text->comparison->top_groups[change]
			       : &text->comparison->found->top[change];
}

/* Append the row of the next pair that changed. */
static int changed_write(struct apsp_comparison_text *text,
	struct apsp_cells *cells, struct apsp_err *err)
{
	struct apsp_changed_pair pair;
	int list = 0, r = apsp_changed_pairs_next(text->all, &pair, err);

	if (r != 1)
		return r == 2 ? APSP_ROWS_LATER : r;
	while (lists[list] != pair.change)
		list++;
	cells_write(text, words_of(text->question)->lists[list],
		&(struct apsp_top_pair){.from = pair.from,
			.to = pair.to,
			.here = pair.here,
			.with = pair.with},
		cells);
	return 1;
}

int apsp_comparison_row(struct apsp_comparison_text *text,
	struct apsp_cells *cells, struct apsp_err *err)
{
	if (cells->form == APSP_CELLS_NAMES) {
		cells_write(text, "", &(struct apsp_top_pair){0}, cells);
		return 1;
	}
	if (text->all)
		return changed_write(text, cells, err);
	while (text->list < N_LISTS && text->next == list_get(text)->n) {
		text->list++;
		text->next = 0;
	}
	if (text->list == N_LISTS)
		return 0;
	cells_write(text, words_of(text->question)->lists[text->list],
		&list_get(text)->pairs[text->next++], cells);
	return 1;
}
