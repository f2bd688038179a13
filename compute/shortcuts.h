/*
 * Arcs that no shortest path takes, since two others are shorter: a cheap look
 * ahead at which arcs are essential (design.md, decision 9). In connectomes
 * these are a third to a half of all.
 */
#ifndef APSP_COMPUTE_SHORTCUTS_H
#define APSP_COMPUTE_SHORTCUTS_H

#include <stdint.h>

#include "compute/lengths.h"
#include "daemon/base/err.h"

/* Paths of two arcs that there are to look at. */
uint64_t apsp_shortcuts_paths(const struct apsp_lengths *lengths);

/*
 * Fill out_longer (n_arcs): 1 where a path of two arcs is shorter than the arc.
 * Blocks, on all processors, about a nanosecond a path. APSP_ENOMEM.
 */
int apsp_shortcuts_find(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, uint8_t *out_longer,
	struct apsp_err *err);

#endif
