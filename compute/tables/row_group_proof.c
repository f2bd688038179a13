/*
 * Proves four rows at a time; see row_group_proof.h. Below, d(j) is the
 * distance of vertex j in one of the rows.
 *
 * No distance is too small, because each distance is the length of a path. If
 * distances are integers of 30 bits, each vertex j with a distance, except the
 * source, must have a predecessor k, and d(k) + w = d(j) must hold, where w is
 * the length of the arc k → j. Lengths are 1 or more, so d(k) is less than
 * d(j). Predecessors therefore form no cycle, and lead back to the source. If
 * distances are not integers of 30 bits, each path is walked, and the lengths
 * of its arcs are added up.
 *
 * No distance is too large, because d(j) <= d(k) + w is checked for all arcs k
 * → j. If both sides are equal, k must not be lower than the predecessor of j
 * (the tie rule).
 *
 * For widest paths, d(k) + w above means the larger one of d(k) and w, and
 * there is no tie rule. The distance of a vertex can equal the distance of its
 * predecessor, so tail_tree.h proves for each row that predecessors form no
 * cycle. A vertex needs no predecessor if its distance is the distance of the
 * path by way of the root (root_widths.h).
 */
#include "compute/tables/row_group_proof.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compute/graph/in_arcs.h"
#include "compute/graph/semiring.h"
#include "compute/wide.h"

enum {
	LANES = APSP_ROW_GROUP,
	/* the value that stands for "no path"; integer distances of 16 or 32
	   bits are always less than 2^30 */
	NOWHERE = 1 << 30,
	NONE = -1,     /* no predecessor */
	COLUMNS = 256, /* number of columns whose predecessors are decoded at a
			  time */
};

#define NO_ARC INT64_MIN
#define UNSETTLED INT64_MIN
#define UNREACHED (INT64_C(1) << 61)

typedef apsp_row_group_lanes lanes_t;
typedef struct apsp_row_group_cell cell_t;

/* The results of comparing all arcs with the rows. Each member has one number
   for each row. */
struct findings {
	lanes_t refuted; /* not 0 if some arc shows that the row is wrong */
	/* number of arcs k → j where k is the predecessor of j in the row */
	lanes_t found;
};

struct apsp_row_group_form apsp_row_group_form_make(
	const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_root_widths *root, enum apsp_element v,
	enum apsp_element distance)
{
	double per_unit = 1 / integers->unit;
	bool narrow = v != APSP_ELEMENT_F64 && !integers->potentials;

	return (struct apsp_row_group_form){.lengths = lengths,
		.arcs = lengths,
		.integers = integers,
		.root = root,
		.per_unit = isfinite(per_unit) ? per_unit : 0,
		.distance = distance,
		.narrow = narrow,
		.walks = integers->kind == APSP_DISTANCE_SUM || !narrow};
}

bool apsp_row_group_init(
	const struct apsp_row_group_form *form, struct apsp_row_group *out)
{
	size_t n = form->lengths->n_vertices, cells = (n + 1) * LANES;
	bool sums = form->integers->kind == APSP_DISTANCE_SUM;

	*out = (struct apsp_row_group){.form = form};
	out->cells =
		aligned_alloc(_Alignof(cell_t), (n + 1) * sizeof(*out->cells));
	if (!form->walks)
		return out->cells != NULL;
	out->rows = malloc(cells * sizeof(double));
	out->values = malloc(cells * sizeof(*out->values));
	out->last = malloc(cells * sizeof(*out->last));
	out->stack = malloc((n + 1) * sizeof(*out->stack));
	if (sums) {
		out->sums = malloc(cells * sizeof(*out->sums));
		out->lengths = malloc(cells * sizeof(*out->lengths));
	}
	return out->cells && out->rows && out->values && out->last &&
	       out->stack && (!sums || (out->sums && out->lengths));
}

void apsp_row_group_done(struct apsp_row_group *group)
{
	free(group->cells);
	free(group->rows);
	free(group->values);
	free(group->last);
	free(group->sums);
	free(group->lengths);
	free(group->stack);
	memset(group, 0, sizeof(*group));
}

/* Return the group's copy of the distances in one row. `lane` is the place that
   the row has in each vector. */
static char *lane_row(const struct apsp_row_group *group, size_t lane)
{
	return group->rows +
	       lane * group->form->lengths->n_vertices * sizeof(double);
}

/* If `value` equals `infinity`, return NOWHERE. If `value` is larger, return
   -1: no distance has such a value, and the -1 makes the proof fail. If `value`
   is smaller, return it unchanged. */
static int32_t value_of(int32_t value, int32_t infinity)
{
	return value < infinity ? value : value == infinity ? NOWHERE : -1;
}

/* Return the distance of vertex j in a row of the table, converted by
   value_of(). */
static int32_t distance_at(
	const struct apsp_row_group_form *form, const void *row, uint32_t j)
{
	return form->distance == APSP_ELEMENT_U16
		       ? value_of(((const uint16_t *)row)[j],
				 APSP_V_INFINITY_U16)
		       : value_of(((const int32_t *)row)[j],
				 APSP_V_INFINITY_I32);
}

/* Decode one row of predecessors, and write the tails to the row's lane in the
   group's cells. */
static void tails_load(
	const struct apsp_row_group *group, size_t lane, const void *row)
{
	const struct apsp_lengths *lengths = group->form->lengths;
	uint32_t n = lengths->n_vertices, tails[COLUMNS], end;

	for (uint32_t from = 0; from < n; from = end) {
		end = n - from < COLUMNS ? n : from + COLUMNS;
		apsp_in_arcs_tails(lengths, row, from, end, tails);
		/* if there is no predecessor, the tail is UINT32_MAX, which the
		   cast turns into NONE */
		for (uint32_t j = from; j < end; j++)
			group->cells[j].tail[lane] = (int32_t)tails[j - from];
	}
}

void apsp_row_group_load(const struct apsp_row_group *group, size_t lane,
	const struct apsp_row_strip *strip)
{
	enum apsp_element distance = group->form->distance;
	uint32_t n = group->form->lengths->n_vertices;
	size_t at = (size_t)(group->sources[lane] - strip->first) * n;
	const char *row = (const char *)strip->distances +
			  at * apsp_element_size(distance);

	tails_load(group, lane,
		(const char *)strip->predecessors +
			at * apsp_element_size(apsp_in_arcs_element(
				     group->form->lengths)));
	if (group->form->walks) {
		memcpy(lane_row(group, lane), row,
			n * apsp_element_size(distance));
		return;
	}
	for (uint32_t j = 0; j < n; j++)
		group->cells[j].value[lane] = distance_at(group->form, row, j);
}

/* Return the arc's integer length (integers.h), without potentials. The integer
   may wrap if the graph needs potentials. */
static APSP_INLINE int64_t arc_integer(
	const struct apsp_row_group_form *form, uint64_t arc)
{
	const struct apsp_integers *integers = form->integers;
	double length;
	int64_t whole;

	if (integers->kind == APSP_DISTANCE_HOPS)
		return 1;
	length = form->arcs->lengths[arc];
	if (integers->kind == APSP_DISTANCE_WIDTH)
		return (int64_t)length;
	if (integers->kind == APSP_DISTANCE_SCALED)
		return (int64_t)((uint64_t)(int64_t)length *
					 (uint64_t)integers->scale +
				 1);
	length = form->per_unit > 0 ? length * form->per_unit
				    : length / integers->unit;
	whole = (int64_t)length;
	whole -= length < (double)whole; /* round down, not towards 0 */
	return whole + 1;
}

/* Return the arc's length as an integer that can be compared with distances of
   30 bits. An integer of NOWHERE or more becomes NOWHERE - 1, which exceeds all
   distances. The lengths must have no potentials. */
static APSP_INLINE int32_t arc_narrow(
	const struct apsp_row_group_form *form, uint64_t arc)
{
	int64_t length = arc_integer(form, arc);

	return length < NOWHERE ? (int32_t)length : NOWHERE - 1;
}

static APSP_INLINE lanes_t all_of(int32_t value)
{
	return (lanes_t){value, value, value, value};
}

static APSP_INLINE lanes_t larger_of(lanes_t a, lanes_t b)
{
	lanes_t more = a > b;

	return (a & more) | (b & ~more);
}

static APSP_INLINE bool any_of(lanes_t lanes)
{
	int64_t halves[2];

	memcpy(halves, &lanes, sizeof(halves));
	return (halves[0] | halves[1]) != 0;
}

/*
 * Compare every arc with the rows. Let d be the distance of j in a row, and s
 * the length of the path to k and on over the arc k → j. The arc refutes the
 * row in three cases: s is less than d; s equals d, but k is lower than the
 * predecessor of j (the tie rule); or k is the predecessor of j, but s is more
 * than d. If there is no path to j, the predecessor of j is -1, and no tail k
 * is lower than -1.
 *
 * All values in `cells` must be at most NOWHERE.
 */
static APSP_INLINE struct findings arcs_compare(
	const struct apsp_row_group_form *form, const cell_t *cells)
{
	const struct apsp_lengths *arcs = form->arcs;
	bool widest = form->integers->kind == APSP_DISTANCE_WIDTH;
	lanes_t ties = all_of(widest ? 0 : -1);
	struct findings out = {0};

	for (uint32_t k = 0; k < arcs->n_vertices; k++) {
		lanes_t from = cells[k].value, tails = all_of((int32_t)k);

		for (uint64_t e = arcs->offsets[k]; e < arcs->offsets[k + 1];
			e++) {
			const cell_t *to = &cells[arcs->heads[e]];
			lanes_t arc = all_of(arc_narrow(form, e));
			lanes_t sum =
				widest ? larger_of(from, arc) : from + arc;
			lanes_t equal = sum == to->value;
			lanes_t own = to->tail == tails;

			out.refuted |= (sum < to->value) |
				       (ties & equal & (to->tail > tails)) |
				       (own & ~equal);
			out.found -= own;
		}
	}
	return out;
}

APSP_WIDE static bool arcs_agree(
	const struct apsp_row_group_form *form, const cell_t *cells)
{
	return !any_of(arcs_compare(form, cells).refuted);
}

/* Return the element of vertex v in `values`, converted by value_of(). `values`
   is form->root->from or form->root->to. */
static APSP_INLINE int32_t root_value(
	const struct apsp_row_group_form *form, const void *values, uint32_t v)
{
	return value_of(
		(int32_t)apsp_root_widths_at(form->root->element, values, v),
		form->distance == APSP_ELEMENT_U16 ? APSP_V_INFINITY_U16
						   : APSP_V_INFINITY_I32);
}

/* If the paths are widest paths, return the distances of the paths from the
   sources to the root. If they are shortest paths, there is no root, and the
   result is a number that is never a distance. */
static APSP_INLINE lanes_t root_lanes(
	const struct apsp_row_group_form *form, const uint32_t sources[LANES])
{
	lanes_t to = all_of(INT32_MIN);

	for (size_t l = 0; form->root && l < LANES; l++)
		to[l] = root_value(form, form->root->to, sources[l]);
	return to;
}

/* Return the distances of the paths by way of the root to vertex j. `to` is the
   result of root_lanes(). */
static APSP_INLINE lanes_t root_paths(
	const struct apsp_row_group_form *form, lanes_t to, uint32_t j)
{
	if (!form->root)
		return to;
	return larger_of(to, all_of(root_value(form, form->root->from, j)));
}

/* Prove the rows without walking paths. Returns false if a row is wrong. The
   cells may hold any values, also values that only a defect can have
   written. */
APSP_WIDE static bool rows_agree(const struct apsp_row_group_form *form,
	const cell_t *cells, const uint32_t sources[LANES])
{
	lanes_t nowhere = all_of(NOWHERE), wrong = {0}, tails = {0};
	lanes_t to = root_lanes(form, sources);
	struct findings findings;

	for (uint32_t j = 0; j < form->lengths->n_vertices; j++) {
		lanes_t none = cells[j].tail == all_of(NONE);
		lanes_t value = cells[j].value;

		/* each comparison gives 0 or -1 */
		wrong -= (none & (value != nowhere) &
				 (value != root_paths(form, to, j))) |
			 (~none & (value >= nowhere));
		tails += none + 1;
	}
	for (size_t l = 0; l < LANES; l++) {
		const cell_t *source = &cells[sources[l]];
		bool is_root = root_paths(form, to, sources[l])[l] == 0;

		/*
		 * `wrong` counts two kinds of vertices: vertices with a
		 * predecessor but no distance; and vertices with a distance but
		 * no predecessor, unless a path by way of the root has this
		 * distance. The source has a distance and no predecessor, so it
		 * is counted, unless it is the root. If any other vertex is
		 * counted, the row is wrong.
		 */
		if (source->tail[l] != NONE || source->value[l] != 0 ||
			wrong[l] != !is_root)
			return false;
	}
	findings = arcs_compare(form, cells);
	return !any_of(findings.refuted | (findings.found ^ tails));
}

/* Store the length of the last arc of each path: as an integer in group->last
   and, if the array group->lengths exists, as a real length in this array. */
static void last_find(const struct apsp_row_group *group)
{
	const struct apsp_lengths *arcs = group->form->arcs;

	for (size_t c = 0; c < (size_t)arcs->n_vertices * LANES; c++)
		group->last[c] = NO_ARC;
	for (uint32_t k = 0; k < arcs->n_vertices; k++) {
		lanes_t tails = all_of((int32_t)k);

		for (uint64_t e = arcs->offsets[k]; e < arcs->offsets[k + 1];
			e++) {
			uint32_t j = arcs->heads[e];
			lanes_t same = group->cells[j].tail == tails;
			size_t at = (size_t)j * LANES;

			if (!any_of(same))
				continue;
			for (int l = 0; l < LANES; l++) {
				if (!same[l])
					continue;
				group->last[at + l] =
					arc_integer(group->form, e);
				if (group->lengths)
					group->lengths[at + l] =
						arcs->lengths[e];
			}
		}
	}
}

/* A row of the group is in the lane `lane`. Compute the distance of vertex j in
   this row, by walking the path to j. Also compute the missing distances of
   other vertices on the path. False: following predecessors from j does not
   lead to the source. */
static bool path_walk(
	const struct apsp_row_group *group, size_t lane, uint32_t j)
{
	uint32_t n = group->form->lengths->n_vertices, depth = 0;
	int64_t value;
	double sum = 0;

	while (group->values[(size_t)j * LANES + lane] == UNSETTLED) {
		if (depth == n ||
			group->last[(size_t)j * LANES + lane] == NO_ARC)
			return false; /* the path has a cycle or lacks an arc */
		group->stack[depth++] = j;
		j = (uint32_t)group->cells[j].tail[lane];
	}
	value = group->values[(size_t)j * LANES + lane];
	if (value == UNREACHED)
		return false;
	if (group->sums)
		sum = group->sums[(size_t)j * LANES + lane];
	while (depth-- > 0) {
		size_t at = (size_t)group->stack[depth] * LANES + lane;

		value = (int64_t)((uint64_t)value + (uint64_t)group->last[at]);
		group->values[at] = value;
		if (group->sums) {
			sum += group->lengths[at];
			group->sums[at] = sum;
		}
	}
	return true;
}

/* Compute the distances of the row in one lane of the group by walking all
   paths of the row. False: the row's predecessors do not form a tree with the
   source as root. */
static bool row_walk(const struct apsp_row_group *group, size_t lane)
{
	uint32_t n = group->form->lengths->n_vertices;
	uint32_t source = group->sources[lane];

	if (group->cells[source].tail[lane] != NONE)
		return false;
	for (uint32_t j = 0; j < n; j++) {
		size_t at = (size_t)j * LANES + lane;

		group->values[at] = UNSETTLED;
		if (group->cells[j].tail[lane] != NONE)
			continue;
		group->values[at] = j == source ? 0 : UNREACHED;
		if (group->sums)
			group->sums[at] = j == source ? 0 : INFINITY;
	}
	for (uint32_t j = 0; j < n; j++)
		if (group->values[(size_t)j * LANES + lane] == UNSETTLED &&
			!path_walk(group, lane, j))
			return false;
	return true;
}

/* Whether the distance of vertex j in `row` equals the distance that was
   computed by walking the path to j. `row` is the row that is being proved. The
   computed distance has the index `at` in group->values and in group->sums. */
static bool cell_agrees(const struct apsp_row_group *group, const void *row,
	uint32_t j, size_t at)
{
	int64_t value = group->values[at];
	bool reached = value != UNREACHED;
	float narrow;

	if (group->form->integers->kind == APSP_DISTANCE_SUM) {
		if (group->form->distance == APSP_ELEMENT_F64)
			return memcmp((const double *)row + j, &group->sums[at],
				       sizeof(double)) == 0;
		narrow = (float)group->sums[at];
		return memcmp((const float *)row + j, &narrow,
			       sizeof(narrow)) == 0;
	}
	switch (group->form->distance) {
	case APSP_ELEMENT_U16:
		return ((const uint16_t *)row)[j] ==
		       (reached ? value : APSP_V_INFINITY_U16);
	case APSP_ELEMENT_I32:
		return ((const int32_t *)row)[j] ==
		       (reached ? value : APSP_V_INFINITY_I32);
	default:
		return ((const double *)row)[j] ==
		       (reached ? (double)value : INFINITY);
	}
}

/* Fill group->cells with the distances that were computed by walking the paths.
   False: a distance does not fit 30 bits. In most graphs, all distances fit 30
   bits even if the table's distances have 64 bits. */
static bool values_narrow(const struct apsp_row_group *group)
{
	for (uint32_t j = 0; j < group->form->lengths->n_vertices; j++)
		for (size_t l = 0; l < LANES; l++) {
			int64_t value = group->values[(size_t)j * LANES + l];

			if (value < 0 ||
				(value >= NOWHERE && value != UNREACHED))
				return false;
			group->cells[j].value[l] =
				value == UNREACHED ? NOWHERE : (int32_t)value;
		}
	return true;
}

/*
 * Compare every arc with the rows, as arcs_agree() does, but with distances of
 * 64 bits. If k is the predecessor of j, the arc k → j needs no check, because
 * d(j) was computed from the length of this arc. Distances may wrap if the
 * graph needs potentials, but their differences do not.
 */
static bool arcs_agree_wide(const struct apsp_row_group *group)
{
	const struct apsp_lengths *arcs = group->form->arcs;

	for (uint32_t k = 0; k < arcs->n_vertices; k++)
		for (uint64_t e = arcs->offsets[k]; e < arcs->offsets[k + 1];
			e++) {
			uint32_t j = arcs->heads[e];
			const int64_t *from = group->values + (size_t)k * LANES;
			const int64_t *to = group->values + (size_t)j * LANES;
			uint64_t length = (uint64_t)arc_integer(group->form, e);

			for (int l = 0; l < LANES; l++) {
				int64_t more =
					(int64_t)((uint64_t)from[l] + length -
						  (uint64_t)to[l]);

				if (from[l] != UNREACHED &&
					(more < 0 ||
						(more == 0 &&
							group->cells[j].tail
									[l] >
								(int32_t)k)))
					return false;
			}
		}
	return true;
}

static uint32_t walks_prove(const struct apsp_row_group *group)
{
	uint32_t n = group->form->lengths->n_vertices;
	bool right;

	last_find(group);
	for (size_t l = 0; l < group->n; l++) {
		const void *row = lane_row(group, l);

		right = row_walk(group, l);
		for (uint32_t j = 0; right && j < n; j++)
			right = cell_agrees(
				group, row, j, (size_t)j * LANES + l);
		if (!right)
			return group->sources[l] + 1;
	}
	/* fill the lanes that hold no row with the distances of the first lane,
	   so that the following checks cannot fail because of these lanes */
	for (size_t at = 0; at < (size_t)n * LANES; at += LANES)
		for (size_t l = group->n; l < LANES; l++)
			group->values[at + l] = group->values[at];
	if (!group->form->integers->potentials && values_narrow(group))
		right = arcs_agree(group->form, group->cells);
	else
		right = !group->form->narrow && arcs_agree_wide(group);
	return right ? 0 : group->sources[0] + 1;
}

uint32_t apsp_row_group_prove(struct apsp_row_group *group)
{
	const struct apsp_row_group_form *form = group->form;

	/* fill the lanes that hold no row with the source and the cells of the
	   first lane, so that the proof cannot fail because of these lanes */
	for (size_t l = group->n; l < LANES; l++) {
		group->sources[l] = group->sources[0];
		for (uint32_t j = 0; j < form->lengths->n_vertices; j++) {
			group->cells[j].tail[l] = group->cells[j].tail[0];
			group->cells[j].value[l] = group->cells[j].value[0];
		}
	}
	if (form->walks)
		return walks_prove(group);
	return rows_agree(form, group->cells, group->sources)
		       ? 0
		       : group->sources[0] + 1;
}
