/*
 * The names of the values that an answer may have for a pair of vertices, such
 * as distance and hops.
 */
#ifndef APSP_API_TABLES_VALUE_NAMES_H
#define APSP_API_TABLES_VALUE_NAMES_H

#include "api/reading.h"
#include "daemon/base/err.h"
#include "storage/tables/row_reader.h"

enum {
	APSP_N_VALUES = 7,

	/* additional values, which ?values= cannot ask for */
	APSP_VALUE_VERTEX = 16, /* label of the other vertex */
	APSP_VALUE_STEPS = 32,	/* least number of arcs on any path between the
				   pair's ends */
};

/* The values in the order in which answers have them. */
extern const struct apsp_value_name {
	unsigned int value;
	const char *name;
} apsp_value_names[APSP_N_VALUES];

/*
 * Add the value called `name` to a set. APSP_EMALFORMED: there is no such
 * value, or the set contains it already.
 */
int apsp_value_names_add(
	const char *name, unsigned int *values, struct apsp_err *err);

/*
 * Parse a list of names, such as "distance,hops", into a set. APSP_EMALFORMED:
 * as apsp_value_names_add().
 */
int apsp_value_names_parse(
	const char *list, unsigned int *out, struct apsp_err *err);

/*
 * Settle which values an answer of this reading has. If *values is empty, the
 * answer has `preset` (0 or APSP_ROW_DISTANCE), which stands for the width if
 * the profile has widest paths. APSP_EMALFORMED: the profile has no such value.
 */
int apsp_value_names_settle(const struct apsp_reading *reading,
	unsigned int preset, unsigned int *values, struct apsp_err *err);

#endif
