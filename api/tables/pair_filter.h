/*
 * Filters that choose pairs of a row for the answer: pairs with or without a
 * path, pairs within a distance or of a width, the nearest or widest pairs.
 */
#ifndef APSP_API_TABLES_PAIR_FILTER_H
#define APSP_API_TABLES_PAIR_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/http/request.h"
#include "api/reading.h"
#include "api/vertex_set.h"
#include "daemon/base/err.h"
#include "storage/tables/row_reader.h"

struct apsp_pair_filter {
	bool has_reachable;
	bool reachable; /* true: only pairs with a path; false: only pairs
			   without one */
	bool has_max_distance;
	double max_distance; /* only pairs whose distance is at most this */
	bool has_min_width;
	double min_width; /* only pairs whose width is at least this */
	uint32_t nearest; /* only this many nearest or widest targets; the
			     source itself does not count; 0: all targets */
	bool widest;	  /* the profile has widest paths */
};

/*
 * Read ?reachable=, ?max_distance=, ?min_width= and ?nearest=. APSP_EMALFORMED:
 * a bad value, or reachable=false together with one of the others.
 */
int apsp_pair_filter_read(struct apsp_request *req,
	struct apsp_pair_filter *out, struct apsp_err *err);

/* Settle what the filter compares, when the reading is open. APSP_EMALFORMED:
   the profile has no distances or no widths. */
int apsp_pair_filter_settle(struct apsp_pair_filter *filter,
	const struct apsp_reading *reading, struct apsp_err *err);

/* Whether the filter may leave out pairs. */
bool apsp_pair_filter_is_set(const struct apsp_pair_filter *filter);

/* Returns which values the filter compares, as bits of enum apsp_row_value. */
unsigned int apsp_pair_filter_values(const struct apsp_pair_filter *filter);

/*
 * Store the positions of the pairs that the filter chooses from a row, and
 * return their number. The row has the pairs from `v` to other vertices;
 * `positions` has space for all of them. With `nearest`, positions are sorted
 * by distance, or by width, the widest first, and where these are equal, by
 * position. Otherwise they are in ascending order.
 */
size_t apsp_pair_filter_apply(const struct apsp_pair_filter *filter,
	const struct apsp_row *row, uint32_t v,
	const struct apsp_vertex_set *others, uint32_t *positions);

#endif
