/*
 * The set of vertices that a vertex reaches, or that reach it, also within a
 * distance or a number of hops.
 */
#ifndef APSP_STORAGE_TABLES_REACH_SET_H
#define APSP_STORAGE_TABLES_REACH_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/tables/tables.h"

enum apsp_direction {
	APSP_DIRECTION_OUT, /* what v reaches */
	APSP_DIRECTION_IN,  /* what reaches v */
};

struct apsp_reach_query {
	enum apsp_direction direction;
	bool has_max_distance;
	double max_distance; /* keep d <= max_distance */
	bool has_max_hops;
	uint32_t max_hops;
};

struct apsp_reach_set {
	uint32_t *vertices; /* ascending, v itself among them; owned */
	size_t count;
};

/*
 * Fill *out, which the caller ends with apsp_reach_set_done(). Without a bound
 * only bits are read: O(n). max_hops over real lengths walks paths: O(n ·
 * hops). APSP_EDAMAGED, APSP_ENOMEM.
 */
int apsp_reach_set_find(struct apsp_tables *tables, uint32_t v,
	const struct apsp_reach_query *query, struct apsp_reach_set *out,
	struct apsp_err *err);
void apsp_reach_set_done(struct apsp_reach_set *set);

#endif
