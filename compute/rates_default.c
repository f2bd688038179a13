/*
 * Rates by kind, for a device that was not measured yet: what
 * `apsp-solve --calibrate` tells.
 */
#include "compute/rates_default.h"

/* Two cores of an EPYC with AVX-512, PoCL 3.1: the least of 6 runs. */
const struct apsp_rates apsp_rates_of_cpu = {
	.algorithms =
		{
			[APSP_COST_BF_DENSE_REDUCE] = {{2.8e-12, 0.00047},
				{5.4e-12, 0.00021}, {1.7e-11, 0.00013}},
			[APSP_COST_BF_DENSE_TRANSPOSED] = {{2.2e-11, 0.00044},
				{2.5e-11, 0.00029}, {2.9e-11, 0.00015}},
			[APSP_COST_BF_DENSE_VERTEX] = {{4.7e-12, 0.00018},
				{5.3e-12, 0.00023}, {1.3e-11, 0.00018}},
			[APSP_COST_BF_EDGES] = {{2.6e-10, 0},
				{2.6e-10, 9.7e-05}, {2.5e-10, 5.3e-06}},
			[APSP_COST_BFS_LEVELS] = {{1.4e-11, 0}, {1.6e-11, 0},
				{1.9e-11, 0}},
			[APSP_COST_BLOCKED_FW] = {{5.1e-12, 4.6e-05},
				{1.2e-11, 0.00025}, {2.2e-11, 0.00028}},
			[APSP_COST_FW] = {{3.6e-11, 9.2e-06},
				{6.9e-11, 4.2e-06}, {8.7e-11, 4.7e-06}},
			[APSP_COST_MINPLUS_SQUARING] = {{4e-12, 0.00013},
				{9.9e-12, 3.6e-05}, {3.5e-11, 7.7e-05}},
			[APSP_COST_MULTI_SOURCE] = {{5.1e-11, 0}, {9.9e-11, 0},
				{1.3e-10, 0}},
			[APSP_COST_REFERENCE] = {{4.9e-09, 0}, {4.9e-09, 0},
				{4.9e-09, 0}},
			[APSP_COST_STREAMED_FW] = {{9e-12, 6.3e-05},
				{2e-11, 0.00026}, {3.1e-11, 0.00017}},
		},
	.arc_s = 3.1e-10,
	.pair_s = 3.6e-09,
};

/*
 * H200, driver 580: blocked-fw's share of the ceiling as in tuning.c. The rest
 * stands in until the device is measured, which its first idle seconds do.
 */
const struct apsp_rates apsp_rates_of_gpu = {
	.algorithms =
		{
			[APSP_COST_BF_DENSE_REDUCE] = {{3.4e-13, 2e-05},
				{6.8e-13, 2e-05}, {2.7e-12, 2e-05}},
			[APSP_COST_BF_DENSE_TRANSPOSED] = {{3.4e-13, 2e-05},
				{6.8e-13, 2e-05}, {2.7e-12, 2e-05}},
			[APSP_COST_BF_DENSE_VERTEX] = {{3.4e-13, 2e-05},
				{6.8e-13, 2e-05}, {2.7e-12, 2e-05}},
			[APSP_COST_BF_EDGES] = {{3.4e-12, 2e-05},
				{6.8e-12, 2e-05}, {2.7e-11, 2e-05}},
			[APSP_COST_BFS_LEVELS] = {{1e-12, 2e-05},
				{2e-12, 2e-05}, {8.1e-12, 2e-05}},
			[APSP_COST_BLOCKED_FW] = {{3.4e-14, 2e-05},
				{6.8e-14, 2e-05}, {2.7e-13, 2e-05}},
			[APSP_COST_FW] = {{1e-12, 2e-05}, {2e-12, 2e-05},
				{8.1e-12, 2e-05}},
			[APSP_COST_MINPLUS_SQUARING] = {{3.4e-14, 2e-05},
				{6.8e-14, 2e-05}, {2.7e-13, 2e-05}},
			[APSP_COST_MULTI_SOURCE] = {{1e-12, 2e-05},
				{2e-12, 2e-05}, {8.1e-12, 2e-05}},
			[APSP_COST_REFERENCE] = {{4.9e-09, 0}, {4.9e-09, 0},
				{4.9e-09, 0}},
			[APSP_COST_STREAMED_FW] = {{3.4e-14, 2e-05},
				{6.8e-14, 2e-05}, {2.7e-13, 2e-05}},
		},
	.arc_s = 3e-12,
	.pair_s = 2e-9,
};
