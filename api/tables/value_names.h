/*
 * The values of a pair by their names.
 */
#ifndef APSP_API_TABLES_VALUE_NAMES_H
#define APSP_API_TABLES_VALUE_NAMES_H

#include "daemon/base/err.h"
#include "storage/tables/row_reader.h"

enum {
	APSP_N_VALUES = 6,

	/*
	 * values beside those of enum apsp_row_value; ?values= cannot name them
	 */
	APSP_VALUE_VERTEX = 16, /* label of the other vertex */
	APSP_VALUE_STEPS = 32,	/* least number of arcs to it */
};

/* The values in the order in which answers have them. */
extern const struct apsp_value_name {
	unsigned int value;
	const char *name;
} apsp_value_names[APSP_N_VALUES];

/*
 * Add the value of this name to a set. APSP_EMALFORMED: there is no such value,
 * or the set has it already.
 */
int apsp_value_names_add(
	const char *name, unsigned int *values, struct apsp_err *err);

/* Read "distance,hops" as a set. APSP_EMALFORMED. */
int apsp_value_names_parse(
	const char *list, unsigned int *out, struct apsp_err *err);

#endif
