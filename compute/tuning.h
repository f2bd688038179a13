/*
 * The tuning table: what each device likes. One struct yields both the kernels'
 * -D options and the launch sizes, so that they cannot drift apart.
 */
#ifndef APSP_COMPUTE_TUNING_H
#define APSP_COMPUTE_TUNING_H

#include <stdbool.h>
#include <stdint.h>

enum {
	/* Side of a tile; the register kernels are written for it. */
	APSP_TILE = 128,
};

struct apsp_tuning {
	const char *device; /* part of the name; NULL: by type */
	bool gpu;
	const char *relax;    /* kernel of blocked-fw */
	uint32_t pivot_tiles; /* pivot block of blocked-fw, in tiles */
	uint32_t span;	      /* neighbouring columns an item does elsewhere */
	uint32_t row_group;   /* local size along columns elsewhere */
	uint64_t launch_relaxations; /* in one launch: below 200 ms */
	uint64_t launch_arcs;	/* looked at for predecessors in one launch */
	uint64_t staging_bytes; /* rows read back at a time */
};

/* By part of the name, then by type; never NULL. */
const struct apsp_tuning *apsp_tuning_find(const char *device_name, bool gpu);

#endif
