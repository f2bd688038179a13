/* Matches the vertices of two graphs; see comparison_keys.h. */
#include "api/statistics/comparison_keys.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/bit_set.h"
#include "storage/attributes/attributes.h"
#include "storage/tables/keyed_rows.h"

enum {
	STEP_KEYS =
		16384, /* number of labels or values that one step matches */
};

/* Stored for a value of the attribute instead of the index of its key: the
   value is no key, because no vertex has it, or only one of the two graphs has
   it. */
#define NO_VERTEX UINT32_MAX
/* Stored for a value of the attribute instead of the index of its key: a vertex
   has the value, but it was not found in the other graph yet. */
#define UNMATCHED (UINT32_MAX - 1)

_Static_assert(APSP_NO_VALUE == APSP_NO_KEY, "no value, no group");

static const struct apsp_labels *values_of(
	const struct apsp_reading *reading, uint32_t column)
{
	return reading->generation->attributes->columns[column].values;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t apsp_comparison_keys_bytes(const struct apsp_comparison_question *q)
{
	uint64_t n_here = q->here.generation->n_vertices;
	uint64_t n_with = q->with.generation->n_vertices;
	uint64_t n = n_here + n_with + 2 * smaller(n_here, n_with);

	if (q->has_key)
		n += values_of(&q->here, q->key_here)->count +
		     (uint64_t)values_of(&q->with, q->key_with)->count;
	/* add, in words of 32 bits, enough memory for keys_leave_out(): it
	   needs one bit and one count for each key (a label or value that both
	   graphs have) */
	n += 2 * (smaller(n_here, n_with) / 32 + 2) + smaller(n_here, n_with);
	return n * sizeof(uint32_t);
}

/* Make an array of n elements UINT32_MAX: all bytes are 0xff. */
static uint32_t *array_new(uint64_t n)
{
	uint32_t *out = malloc((n + 1) * sizeof(*out));

	if (out)
		memset(out, 0xff, (n + 1) * sizeof(*out));
	return out;
}

/* Make an array with an element for each value of an attribute: UNMATCHED if a
   vertex has this value, else NO_VERTEX. *out_without is the number of vertices
   that have no value. */
static uint32_t *values_new(const struct apsp_reading *reading, uint32_t column,
	uint32_t *out_without)
{
	const struct apsp_attributes *attributes =
		reading->generation->attributes;
	uint32_t *out = array_new(values_of(reading, column)->count);

	*out_without = 0;
	for (uint32_t v = 0; out && v < reading->generation->n_vertices; v++) {
		uint32_t value = apsp_attributes_value(attributes, column, v);

		if (value == APSP_NO_VALUE)
			(*out_without)++;
		else
			out[value] = UNMATCHED;
	}
	return out;
}

int apsp_comparison_keys_begin(const struct apsp_comparison_question *q,
	struct apsp_comparison_keys *out, struct apsp_err *err)
{
	uint32_t n_here = q->here.generation->n_vertices;
	uint32_t n_with = q->with.generation->n_vertices;

	*out = (struct apsp_comparison_keys){
		.question = q,
		.of_here = array_new(n_here),
		.of_with = array_new(n_with),
		.names = array_new(smaller(n_here, n_with)),
		.labels = q->here.generation->labels,
	};
	if (q->has_key) {
		out->labels = values_of(&q->here, q->key_here);
		out->values_here =
			values_new(&q->here, q->key_here, &out->without_here);
		out->values_with =
			values_new(&q->with, q->key_with, &out->without_with);
	}
	if (q->has_groups) {
		out->groups = array_new(smaller(n_here, n_with));
		out->group_labels = values_of(&q->here, q->by);
		out->n_groups = out->group_labels->count;
	}
	if (!out->of_here || !out->of_with || !out->names ||
		(q->has_key && (!out->values_here || !out->values_with)) ||
		(q->has_groups && !out->groups))
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	return 0;
}

void apsp_comparison_keys_done(struct apsp_comparison_keys *self)
{
	free(self->of_here);
	free(self->of_with);
	free(self->names);
	free(self->groups);
	free(self->left_out);
	free(self->values_here);
	free(self->values_with);
	memset(self, 0, sizeof(*self));
}

/* Look for the label of vertex v in the other graph. If the other graph has it,
   the label becomes a key. */
static void label_match(struct apsp_comparison_keys *self, uint32_t v)
{
	const struct apsp_labels *labels =
		self->question->with.generation->labels;
	int64_t found = v;
	const char *text;
	size_t size;

	if (labels != self->labels) {
		text = apsp_labels_get(self->labels, v, &size);
		found = apsp_labels_find(labels, text, size);
	}
	if (found < 0) {
		self->only_here++;
		return;
	}
	self->names[self->n_keys] = v;
	self->of_with[found] = self->n_keys;
	self->of_here[v] = self->n_keys++;
}

/* Look for a value of the attribute in the other graph. If the other graph has
   it, the value becomes a key. */
static void value_match(struct apsp_comparison_keys *self, uint32_t value)
{
	const struct apsp_labels *values =
		values_of(&self->question->with, self->question->key_with);
	const char *text;
	int64_t found;
	size_t size;

	if (self->values_here[value] == NO_VERTEX)
		return;
	text = apsp_labels_get(self->labels, value, &size);
	found = apsp_labels_find(values, text, size);
	if (found < 0 || self->values_with[found] == NO_VERTEX) {
		self->only_here++;
		self->values_here[value] = NO_VERTEX;
		return;
	}
	self->names[self->n_keys] = value;
	self->values_with[found] = self->n_keys;
	self->values_here[value] = self->n_keys++;
}

/* Store in out[v] the key of vertex v. `values` has the key of each value of
   the attribute; a vertex has the key of its value. */
static void vertices_key(const struct apsp_reading *reading, uint32_t column,
	const uint32_t *values, uint32_t *out)
{
	for (uint32_t v = 0; v < reading->generation->n_vertices; v++) {
		uint32_t value = apsp_attributes_value(
			reading->generation->attributes, column, v);

		if (value != APSP_NO_VALUE && values[value] != UNMATCHED)
			out[v] = values[value];
	}
}

/* Store the group of each key. A key is a label or value that both graphs have.
   Its group is the group of the vertices that have this key in the graph
   `here`. Fails if these vertices are in several groups. */
static int groups_find(struct apsp_comparison_keys *self, struct apsp_err *err)
{
	const struct apsp_comparison_question *q = self->question;
	const struct apsp_generation *here = q->here.generation;

	for (uint32_t k = 0; k < self->n_keys; k++)
		self->groups[k] = UNMATCHED;
	for (uint32_t v = 0; v < here->n_vertices; v++) {
		uint32_t key = self->of_here[v];
		uint32_t group =
			apsp_attributes_value(here->attributes, q->by, v);

		if (key == APSP_NO_KEY || self->groups[key] == group)
			continue;
		if (self->groups[key] != UNMATCHED) {
			self->refused = "by";
			return apsp_fail(err, APSP_EMALFORMED,
				"the vertices whose '%s' is '%s' have several "
				"values of '%s'; 'by' needs an attribute that "
				"has one value for each value of 'key'",
				apsp_comparison_column(&q->here, q->key_here),
				apsp_labels_get(
					self->labels, self->names[key], NULL),
				apsp_comparison_column(&q->here, q->by));
		}
		self->groups[key] = group;
	}
	return 0;
}

static int nothing_matches(
	struct apsp_comparison_keys *self, struct apsp_err *err)
{
	const struct apsp_comparison_question *q = self->question;

	self->refused = q->has_key ? "key" : "with";
	if (q->has_key)
		return apsp_fail(err, APSP_EMALFORMED,
			"no value of '%s' is in both graphs",
			apsp_comparison_column(&q->here, q->key_here));
	return apsp_fail(err, APSP_EMALFORMED,
		"no vertex of graph '%s' has a label of graph '%s'; match "
		"vertices by an attribute, such as \"key\":\"type\"",
		q->here.snapshot->name, q->with.snapshot->name);
}

/*
 * Settle the keys of the vertices that the reading's rule leaves out. (A key is
 * a label or value by which vertices of two graphs are matched.) If
 * vertices of the same graph that are not left out have the same key, the
 * left-out vertices lose the key. Otherwise,
 * they keep the key, and the key is marked as left out. `present` is an array
 * with an element for each key; its contents are overwritten.
 */
static void side_leave_out(struct apsp_comparison_keys *self,
	const struct apsp_reading *reading, uint32_t *of, uint32_t *present)
{
	uint32_t n = reading->generation->n_vertices;

	if (apsp_reading_n_left_out(reading) == 0)
		return;
	memset(present, 0, self->n_keys * sizeof(*present));
	for (uint32_t v = 0; v < n; v++)
		if (of[v] != APSP_NO_KEY &&
			!apsp_reading_leaves_out(reading, v))
			present[of[v]]++;
	for (uint32_t v = 0; v < n; v++) {
		uint32_t key = of[v];

		if (key == APSP_NO_KEY || !apsp_reading_leaves_out(reading, v))
			continue;
		if (present[key] > 0)
			of[v] = APSP_NO_KEY;
		else
			apsp_bit_set_add(self->left_out, key);
	}
}

static int keys_leave_out(
	struct apsp_comparison_keys *self, struct apsp_err *err)
{
	const struct apsp_comparison_question *q = self->question;
	uint32_t *present;
	int r = 0;

	if (apsp_reading_n_left_out(&q->here) == 0 &&
		apsp_reading_n_left_out(&q->with) == 0)
		return 0;
	present = array_new(self->n_keys);
	self->left_out = calloc(self->n_keys / 64 + 1, sizeof(*self->left_out));
	if (present && self->left_out) {
		side_leave_out(self, &q->here, self->of_here, present);
		side_leave_out(self, &q->with, self->of_with, present);
	}
	if (!present || !self->left_out)
		r = apsp_fail(err, APSP_ENOMEM, "out of memory");
	free(present);
	return r;
}

int apsp_comparison_keys_step(
	struct apsp_comparison_keys *self, struct apsp_err *err)
{
	const struct apsp_comparison_question *q = self->question;
	uint32_t n = self->labels->count;
	int r = 0;

	for (uint32_t i = 0; i < STEP_KEYS && self->next < n; i++)
		if (q->has_key)
			value_match(self, self->next++);
		else
			label_match(self, self->next++);
	if (self->next < n)
		return 1;
	if (self->n_keys == 0)
		return nothing_matches(self, err);
	if (!q->has_key) {
		self->only_with = q->with.generation->n_vertices - self->n_keys;
	} else {
		n = values_of(&q->with, q->key_with)->count;
		for (uint32_t value = 0; value < n; value++)
			self->only_with +=
				self->values_with[value] == UNMATCHED;
		vertices_key(&q->here, q->key_here, self->values_here,
			self->of_here);
		vertices_key(&q->with, q->key_with, self->values_with,
			self->of_with);
	}
	if (q->has_groups)
		r = groups_find(self, err);
	return r < 0 ? r : keys_leave_out(self, err);
}
