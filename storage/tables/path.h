/*
 * Finds one shortest path by the predecessor table.
 */
#ifndef APSP_STORAGE_TABLES_PATH_H
#define APSP_STORAGE_TABLES_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/tables/tables.h"

struct apsp_path {
	bool reachable;	    /* false: all other members are 0 */
	double distance;    /* the sum of lengths */
	uint32_t hops;	    /* number of arcs */
	uint32_t *vertices; /* hops + 1 indices, from … to; owned */
	double *weights;    /* hops merged weights; owned */
	double *lengths;    /* hops lengths; owned */
};

/*
 * The shortest path by the tie rule (storage/tables/README.md, The tie rule).
 * On success the caller ends *out with apsp_path_done(). APSP_EDAMAGED,
 * APSP_ENOMEM.
 */
int apsp_path_find(struct apsp_tables *tables, uint32_t from, uint32_t to,
	struct apsp_path *out, struct apsp_err *err);
void apsp_path_done(struct apsp_path *path);

#endif
