/* Suggests values of an attribute; see near_values.h. */
#include "storage/attributes/near_values.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "daemon/base/utf8.h"

enum {
	N_SIMILAR = 3,
	N_FIRST = 4,
};

/* A text in a buffer of APSP_NEAR_VALUES_SIZE bytes. add() appends a part of
   the text, or leaves the part out if the buffer is too small. */
struct sentence {
	char *text;
	size_t size;
};

static void add(struct sentence *out, const char *part)
{
	size_t size = strlen(part);

	if (out->size + size >= APSP_NEAR_VALUES_SIZE)
		return;
	memcpy(out->text + out->size, part, size + 1);
	out->size += size;
}

static void add_quoted(struct sentence *out, const char *value)
{
	char part[sizeof(struct apsp_excerpt) + 3];

	snprintf(part, sizeof(part), "'%s'",
		apsp_excerpt_of(value, strlen(value)).text);
	add(out, part);
}

static bool is_among(const uint32_t *found, size_t n, uint32_t one)
{
	while (n > 0 && found[n - 1] != one)
		n--;
	return n > 0;
}

/* Find values that are similar to `value`, and then values that contain
   `value`. */
static size_t similar_find(const struct apsp_labels *values, const char *value,
	uint32_t out[N_SIMILAR])
{
	uint32_t near[2 * N_SIMILAR], containing[3 * N_SIMILAR];
	size_t n = apsp_labels_suggest(values, value, near, N_SIMILAR);
	size_t n_containing;

	memcpy(out, near, n * sizeof(*out));
	if (!*value)
		return n;
	n_containing =
		apsp_labels_search(values, value, NULL, containing, N_SIMILAR);
	for (size_t i = 0; i < n_containing && n < N_SIMILAR; i++)
		if (!is_among(out, n, containing[i]))
			out[n++] = containing[i];
	return n;
}

static void first_add(struct sentence *out, const struct apsp_labels *values,
	const char *name)
{
	uint32_t count = values->count;
	char part[128];

	snprintf(part, sizeof(part), "; '%s' has %u value%s",
		apsp_excerpt_of(name, strlen(name)).text, count,
		count == 1 ? "" : "s");
	add(out, part);
	for (uint32_t i = 0; i < count && i < N_FIRST; i++) {
		add(out, i == 0 ? ", such as " : ", ");
		add_quoted(out, apsp_labels_get(values, i, NULL));
	}
}

void apsp_near_values_write(const struct apsp_labels *labels,
	const struct apsp_attributes *attributes, uint32_t column,
	const char *value, bool similar, char out[APSP_NEAR_VALUES_SIZE])
{
	bool is_label = column == APSP_LABEL_COLUMN;
	const struct apsp_labels *values =
		apsp_attributes_values(attributes, column, labels);
	struct sentence sentence = {.text = out};
	const char *other = NULL;
	uint32_t found[N_SIMILAR];
	size_t n, size = strlen(value);

	*out = '\0';
	for (uint32_t c = 0; !other && attributes && c < attributes->n_columns;
		c++)
		if (apsp_labels_find(
			    attributes->columns[c].values, value, size) >= 0)
			other = attributes->columns[c].name;
	if (!other && apsp_labels_find(labels, value, size) >= 0)
		other = "label";
	if (other) {
		add(&sentence, "; it is a value of ");
		add_quoted(&sentence, other);
	}
	if (other || !similar)
		return;
	n = similar_find(values, value, found);
	for (size_t i = 0; i < n; i++) {
		add(&sentence, i == 0 ? "; did you mean " : " or ");
		add_quoted(&sentence, apsp_labels_get(values, found[i], NULL));
	}
	if (n > 0)
		add(&sentence, "?");
	else if (!is_label)
		first_add(&sentence, values, attributes->columns[column].name);
}
