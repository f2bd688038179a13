/*
 * The rows of an answer about groups: a row for each pair of a source's value
 * and a target's value, in JSON or CSV:
 *
 *	from,to,pairs,reachable,share,min,mean,nearest_from,nearest_to
 *
 * If there is no pair or no path, JSON has null for the undefined numbers and
 * CSV has empty cells. If the profile has widest paths, the numbers are widths:
 *
 *	from,to,pairs,reachable,share,max,mean,widest_from,widest_to
 */
#ifndef APSP_API_STATISTICS_GROUP_ROWS_H
#define APSP_API_STATISTICS_GROUP_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/encode/json_writer.h"
#include "api/reading.h"
#include "daemon/base/err.h"
#include "storage/tables/group_distances.h"

struct apsp_group_rows {
	struct apsp_reading reading;	       /* owned */
	uint32_t columns[2];		       /* the attributes of both ends */
	struct apsp_group_distances distances; /* owned */
	bool is_csv;
	size_t next; /* index of the next pair */
};

void apsp_group_rows_done(struct apsp_group_rows *rows);

/* The values of the attribute of one end: 0 for the sources, 1 for the
   targets. */
const struct apsp_labels *apsp_group_rows_values(
	const struct apsp_group_rows *rows, int end);

/* Append the names of the columns of CSV. */
void apsp_group_rows_names(
	const struct apsp_group_rows *rows, struct apsp_text *out);

/* Append the next row to `w`; struct apsp_rows has the meaning of the result.
   APSP_EDAMAGED, APSP_ENOMEM. */
int apsp_group_rows_write(struct apsp_group_rows *rows,
	struct apsp_json_writer *w, struct apsp_err *err);

#endif
