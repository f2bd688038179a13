/*
 * The rules that a row of the tuning table must obey; the product relies on
 * them.
 */
#ifndef TESTS_TUNING_RULES_H
#define TESTS_TUNING_RULES_H

#include <stdbool.h>
#include <string.h>

#include "compute/plan/tuning.h"

static inline bool relax_fits(const struct apsp_tuning *tuning)
{
	if (strcmp(tuning->relax, "relax_gpu") == 0)
		return tuning->relax_chunk == 16 || tuning->relax_chunk == 8;
	return tuning->relax_chunk == 0;
}

static inline bool divides_tile(uint32_t power_of_two)
{
	return power_of_two > 0 && APSP_TILE % power_of_two == 0;
}

/* On a GPU items share words, by atomics of 32 bits. */
static inline bool levels_fit(const struct apsp_tuning *tuning)
{
	uint32_t lanes = tuning->level_lanes;

	return lanes == 4 || (!tuning->gpu && lanes > 4 && lanes <= 64 &&
				     (lanes & (lanes - 1)) == 0);
}

/* Lanes fill whole vectors on a CPU, and whole words of bits on a GPU. */
static inline bool lanes_fit(const struct apsp_tuning *tuning)
{
	uint32_t bytes = tuning->lane_bytes;

	return bytes >= 64 && (bytes & (bytes - 1)) == 0 &&
	       (tuning->gpu || tuning->launch_pushes > 0);
}

/* A line is a vector type of OpenCL. */
static inline bool bits_fit(const struct apsp_bits_tuning *bits)
{
	uint32_t line = bits->line;

	return line > 0 && line <= 16 && (line & (line - 1)) == 0 &&
	       bits->wide > 0 && bits->tall > 0 && bits->spread_rows > 0 &&
	       bits->square_rows > 0;
}

/* Whether the row's members are valid together and within the limits. */
static inline bool tuning_fits(const struct apsp_tuning *tuning,
	const struct apsp_tuning_limits *limits)
{
	struct apsp_tuning_limits needs;

	apsp_tuning_needs(tuning, &needs);
	/* in fw, a row of a tile is divided into whole groups of whole spans */
	return tuning->span > 0 && APSP_TILE % tuning->span == 0 &&
	       tuning->row_group > 0 &&
	       APSP_TILE / tuning->span % tuning->row_group == 0 &&
	       relax_fits(tuning) && bits_fit(&tuning->bits) &&
	       tuning->edge_rows > 0 && tuning->launch_edges > 0 &&
	       levels_fit(tuning) && lanes_fit(tuning) &&
	       divides_tile(tuning->bf_items) &&
	       divides_tile(tuning->bf_sources) &&
	       divides_tile(tuning->bf_vertices) &&
	       tuning->bf_vertices * sizeof(double) <= APSP_BF_HELD_BYTES &&
	       needs.group_items <= limits->group_items &&
	       needs.local_bytes <= limits->local_bytes;
}

#endif
