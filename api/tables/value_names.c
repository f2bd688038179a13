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
	{APSP_ROW_HOPS, "hops"},
	{APSP_ROW_PREDECESSOR, "predecessor"},
	{APSP_ROW_REACHABLE, "reachable"},
};

int apsp_value_names_add(
	const char *name, unsigned int *values, struct apsp_err *err)
{
	for (int i = 0; i < APSP_N_VALUES; i++) {
		if (strcmp(name, apsp_value_names[i].name) != 0 ||
			apsp_value_names[i].value >= APSP_VALUE_VERTEX)
			continue;
		if (*values & apsp_value_names[i].value)
			return apsp_fail(err, APSP_EMALFORMED,
				"values has '%s' twice", name);
		*values |= apsp_value_names[i].value;
		return 0;
	}
	return apsp_fail(err, APSP_EMALFORMED,
		"there is no value '%s'; there are distance, hops, "
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
