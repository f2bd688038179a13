/*
 * The names of the values that an answer may have for a pair of vertices; see
 * value_names.h.
 */
#include "api/tables/value_names.h"

#include <stdio.h>
#include <string.h>

const struct apsp_value_name apsp_value_names[APSP_N_VALUES] = {
	{APSP_VALUE_VERTEX, "vertices"},
	{APSP_VALUE_STEPS, "steps"},
	{APSP_ROW_DISTANCE, "distance"},
	{APSP_ROW_WIDTH, "width"},
	{APSP_ROW_HOPS, "hops"},
	{APSP_ROW_PREDECESSOR, "predecessor"},
	{APSP_ROW_REACHABLE, "reachable"},
};

int apsp_value_names_add(
	const char *name, unsigned int *values, struct apsp_err *err)
{
	for (int i = 0; i < APSP_N_VALUES; i++) {
		unsigned int value = apsp_value_names[i].value;

		if (strcmp(name, apsp_value_names[i].name) != 0 ||
			value == APSP_VALUE_VERTEX || value == APSP_VALUE_STEPS)
			continue;
		if (*values & value)
			return apsp_fail(err, APSP_EMALFORMED,
				"values has '%s' twice", name);
		*values |= value;
		return 0;
	}
	return apsp_fail(err, APSP_EMALFORMED,
		"there is no value '%s'; there are distance, width, hops, "
		"predecessor and reachable",
		name);
}

int apsp_value_names_parse(
	const char *list, unsigned int *out, struct apsp_err *err)
{
	unsigned int values = 0;
	char name[64];
	int r;

	for (;;) {
		size_t size = strcspn(list, ",");

		snprintf(name, sizeof(name), "%.*s", (int)size, list);
		r = apsp_value_names_add(name, &values, err);
		if (r < 0)
			return r;
		if (list[size] == '\0')
			break;
		list += size + 1;
	}
	*out = values;
	return 0;
}

int apsp_value_names_settle(const struct apsp_reading *reading,
	unsigned int preset, unsigned int *values, struct apsp_err *err)
{
	bool widest = apsp_reading_is_widest(reading);

	if (!*values && preset)
		*values = widest ? APSP_ROW_WIDTH : preset;
	if (*values & APSP_ROW_WIDTH)
		return apsp_reading_needs_widest(
			reading, "values of width", err);
	if (*values &
		(APSP_ROW_DISTANCE | APSP_ROW_HOPS | APSP_ROW_PREDECESSOR))
		return apsp_reading_needs_shortest(reading,
			"values of distance, hops and predecessor", err);
	return 0;
}
