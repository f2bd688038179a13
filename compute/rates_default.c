/*
 * Rates by kind, for a device that was not measured yet: what
 * `apsp-solve --calibrate` tells.
 */
#include "compute/rates_default.h"

/* Two cores of an EPYC with AVX-512, PoCL 3.1, of 5 runs: the least, of steps
 * the median. */
const struct apsp_rates apsp_rates_of_cpu = {
	.algorithms =
		{
			[APSP_COST_BF_DENSE_REDUCE] = {{2.8e-12, 0.00051},
				{4e-12, 0.00057}, {1.3e-11, 0.0002}},
			[APSP_COST_BF_DENSE_TRANSPOSED] = {{4e-12, 0.00053},
				{7.7e-12, 0.00021}, {2e-11, 0.00019}},
			[APSP_COST_BF_DENSE_VERTEX] = {{2e-12, 0.0005},
				{3.2e-12, 0.00056}, {1.2e-11, 0.00024}},
			[APSP_COST_BF_EDGES] = {{2.1e-10, 0.0002},
				{2.7e-10, 0.00023}, {3e-10, 0.00019}},
			[APSP_COST_BFS_LEVELS] = {{1.5e-11, 1.6e-05},
				{1.9e-11, 0}, {2.2e-11, 0.00033}},
			[APSP_COST_BLOCKED_FW] = {{8.9e-12, 0.00024},
				{1.9e-11, 0.00034}, {3.1e-11, 0.00042}},
			[APSP_COST_FW] = {{5.3e-11, 3.2e-06},
				{7.4e-11, 6.1e-06}, {7.6e-11, 5.3e-06}},
			[APSP_COST_MINPLUS_SQUARING] = {{4.2e-12, 0.00011},
				{8.8e-12, 0.00013}, {1.9e-11, 0.00017}},
			[APSP_COST_MULTI_SOURCE] = {{1.8e-11, 1.4e-09},
				{3.1e-11, 2.5e-09}, {6e-11, 3.1e-09}},
			[APSP_COST_REFERENCE] = {{4.7e-09, 0}, {4.7e-09, 0},
				{4.7e-09, 0}},
			[APSP_COST_STREAMED_FW] = {{5.7e-12, 0.00024},
				{1.3e-11, 0.00014}, {2.3e-11, 0.00052}},
		},
	.bits = {{2e-12, 1.1e-09}, {2.8e-12, 1.7e-09}, {8.2e-12, 2.8e-09}},
	.arc_s = 4.8e-10,
	.pair_s = 3.2e-09,
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
