/*
 * Rates by kind, for a device that was not measured yet: what
 * `apsp-solve --calibrate` tells.
 */
#include "compute/rates_default.h"

/* Two cores of an EPYC with AVX-512, PoCL 3.1: the least of 6 runs. */
const struct apsp_rates apsp_rates_of_cpu = {
	.algorithms =
		{
			[APSP_COST_BF_DENSE_REDUCE] = {{2.6e-12, 0.00043},
				{5.2e-12, 0.00027}, {2.1e-11, 0.00019}},
			[APSP_COST_BF_DENSE_TRANSPOSED] = {{4.7e-12, 0.00041},
				{1e-11, 0.0002}, {2.3e-11, 0.00011}},
			[APSP_COST_BF_DENSE_VERTEX] = {{2.9e-12, 0.00047},
				{5.2e-12, 0.00052}, {2.2e-11, 0.00021}},
			[APSP_COST_BF_EDGES] = {{2.4e-10, 0.00024},
				{2.8e-10, 0.00015}, {2.1e-10, 0.00021}},
			[APSP_COST_BFS_LEVELS] = {{1.6e-11, 0}, {2e-11, 0},
				{2.5e-11, 9.3e-05}},
			[APSP_COST_BLOCKED_FW] = {{9.6e-12, 8.1e-05},
				{2e-11, 0.00032}, {4.6e-11, 0.00032}},
			[APSP_COST_FW] = {{7e-11, 3.1e-06}, {1e-10, 3.5e-06},
				{1.2e-10, 7.6e-06}},
			[APSP_COST_MINPLUS_SQUARING] = {{8.5e-12, 9.7e-05},
				{1.8e-11, 4e-05}, {3.2e-11, 0.00018}},
			[APSP_COST_MULTI_SOURCE] = {{3.3e-11, 1.4e-09},
				{5.1e-11, 2.5e-09}, {9.1e-11, 5.1e-09}},
			[APSP_COST_REFERENCE] = {{4.7e-09, 0}, {4.7e-09, 0},
				{4.7e-09, 0}},
			[APSP_COST_STREAMED_FW] = {{1.2e-11, 9.3e-05},
				{2.2e-11, 0.00036}, {5.2e-11, 0.00022}},
		},
	.bits = {{3.6e-12, 1.3e-09}, {5.7e-12, 2.3e-09}, {8.8e-12, 3e-09}},
	.arc_s = 5.2e-10,
	.pair_s = 3.5e-09,
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
			[APSP_COST_MULTI_SOURCE] = {{1e-12, 1e-12},
				{2e-12, 1e-12}, {4e-12, 1e-12}},
			[APSP_COST_REFERENCE] = {{4.7e-09, 0}, {4.7e-09, 0},
				{4.7e-09, 0}},
			[APSP_COST_STREAMED_FW] = {{3.4e-14, 2e-05},
				{6.8e-14, 2e-05}, {2.7e-13, 2e-05}},
		},
	.bits = {{5e-14, 1e-12}, {1e-13, 1e-12}, {2e-13, 1e-12}},
	.arc_s = 3e-12,
	.pair_s = 2e-9,
};
