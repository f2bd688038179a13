/*
 * Rates by kind, for a device that was not measured yet: what
 * `apsp-solve --calibrate` tells.
 */
#include "compute/rates_default.h"

/* Two cores of an EPYC with AVX-512, PoCL 3.1, of 3 runs: the least, of steps
 * the median. */
const struct apsp_rates apsp_rates_of_cpu = {
	.algorithms =
		{
			[APSP_COST_BF_DENSE_REDUCE] = {{1.2e-12, 0.00073},
				{2.7e-12, 0.00043}, {9.5e-12, 0.00029}},
			[APSP_COST_BF_DENSE_TRANSPOSED] = {{2.7e-12, 0.00043},
				{4.6e-12, 0.00047}, {1.3e-11, 0.00023}},
			[APSP_COST_BF_DENSE_VERTEX] = {{1.2e-12, 0.00044},
				{2.8e-12, 0.00042}, {1.1e-11, 0.00028}},
			[APSP_COST_BF_EDGES] = {{1.7e-10, 0.00016},
				{1.9e-10, 0.00014}, {1.7e-10, 0.00017}},
			[APSP_COST_BFS_LEVELS] = {{9.6e-12, 0.00011},
				{5.1e-12, 0.00021}, {5.2e-12, 0.00014}},
			[APSP_COST_BLOCKED_FW] = {{2.2e-12, 0},
				{4.3e-12, 0.00024}, {1.6e-11, 0}},
			[APSP_COST_FW] = {{4e-11, 1.5e-05}, {5.1e-11, 1.6e-05},
				{7.4e-11, 1.6e-05}},
			[APSP_COST_MINPLUS_SQUARING] = {{1.6e-12, 6e-05},
				{3.3e-12, 8.9e-05}, {1.2e-11, 8.6e-05}},
			[APSP_COST_MULTI_SOURCE] = {{1.8e-11, 5e-10},
				{3.3e-11, 8.5e-10}, {6e-11, 1.4e-09}},
			[APSP_COST_REFERENCE] = {{5.7e-09, 0}, {5.7e-09, 0},
				{5.7e-09, 0}},
			[APSP_COST_STREAMED_FW] = {{2e-12, 0},
				{4.7e-12, 0.0002}, {1.5e-11, 0}},
		},
	.bits = {{1.2e-12, 4e-10}, {1.7e-12, 5.5e-10}, {2.2e-12, 7.1e-10}},
	.arc_s = 1.8e-11,
	.pair_s = 3.4e-09,
};

/* H200, driver 580, 16 processors beside it, of 3 runs; bf-dense-transposed in
 * 64 bits of an earlier one. */
const struct apsp_rates apsp_rates_of_gpu = {
	.algorithms =
		{
			[APSP_COST_BF_DENSE_REDUCE] = {{1.9e-13, 7e-05},
				{2.3e-13, 4.4e-05}, {3.8e-13, 3.5e-05}},
			[APSP_COST_BF_DENSE_TRANSPOSED] = {{8.6e-14, 0.00041},
				{1.5e-13, 6.5e-05}, {2.4e-13, 5.3e-05}},
			[APSP_COST_BF_DENSE_VERTEX] = {{7e-14, 0.00047},
				{8.2e-14, 0.00023}, {2.5e-13, 0.00012}},
			[APSP_COST_BF_EDGES] = {{7.8e-11, 0}, {7.7e-11, 0},
				{8.1e-11, 0}},
			[APSP_COST_BFS_LEVELS] = {{1.2e-11, 6e-05},
				{1.2e-11, 5.5e-05}, {1.2e-11, 6.4e-05}},
			[APSP_COST_BLOCKED_FW] = {{2.8e-14, 7.8e-05},
				{5.7e-14, 1e-04}, {1.7e-13, 0.00033}},
			[APSP_COST_FW] = {{4.7e-12, 2.6e-06},
				{4.7e-12, 2.6e-06}, {4.7e-12, 2.7e-06}},
			[APSP_COST_MINPLUS_SQUARING] = {{2.8e-14, 7.8e-06},
				{4.4e-14, 3.2e-05}, {1.6e-13, 7.2e-05}},
			[APSP_COST_MULTI_SOURCE] = {{6.4e-13, 8.4e-12},
				{9.8e-13, 1.5e-11}, {1.6e-12, 2.6e-11}},
			[APSP_COST_REFERENCE] = {{7.7e-09, 0}, {7.7e-09, 0},
				{7.7e-09, 0}},
			[APSP_COST_STREAMED_FW] = {{3.5e-14, 0.00014},
				{7.2e-14, 0.00018}, {2.3e-13, 0.0004}},
		},
	.bits = {{8.1e-13, 2.1e-12}, {8.7e-13, 2.3e-12}, {1e-12, 1.8e-12}},
	.arc_s = 5.5e-12,
	.pair_s = 1.3e-09,
};
