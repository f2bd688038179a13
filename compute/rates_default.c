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

/* H200, driver 580, 16 processors beside it. */
const struct apsp_rates apsp_rates_of_gpu = {
	.algorithms =
		{
			[APSP_COST_BF_DENSE_REDUCE] = {{5.35e-13, 0},
				{5.98e-13, 4.94e-05}, {6.97e-13, 8.15e-07}},
			[APSP_COST_BF_DENSE_TRANSPOSED] = {{7.77e-14, 0.00048},
				{1.45e-13, 7.6e-05}, {2.41e-13, 5.26e-05}},
			[APSP_COST_BF_DENSE_VERTEX] = {{1.44e-13, 0.00012},
				{1.59e-13, 0.000107}, {2.96e-13, 5.66e-05}},
			[APSP_COST_BF_EDGES] = {{1.06e-10, 0}, {1.06e-10, 0},
				{1.12e-10, 0}},
			[APSP_COST_BFS_LEVELS] = {{1.48e-11, 5.55e-05},
				{1.49e-11, 5.47e-05}, {1.48e-11, 6.35e-05}},
			[APSP_COST_BLOCKED_FW] = {{2.84e-14, 7.97e-05},
				{5.72e-14, 0.000101}, {1.71e-13, 0.000329}},
			[APSP_COST_FW] = {{9.39e-12, 2.65e-06},
				{9.4e-12, 2.61e-06}, {9.48e-12, 2.55e-06}},
			[APSP_COST_MINPLUS_SQUARING] = {{2.81e-14, 7.27e-06},
				{4.41e-14, 3.16e-05}, {1.65e-13, 7.07e-05}},
			[APSP_COST_MULTI_SOURCE] = {{5e-13, 8e-12},
				{7e-13, 1.5e-11}, {1.2e-12, 3e-11}},
			[APSP_COST_REFERENCE] = {{5.59e-09, 0}, {5.59e-09, 0},
				{5.59e-09, 0}},
			[APSP_COST_STREAMED_FW] = {{3.5e-14, 0.00013},
				{7.32e-14, 0.000176}, {2.41e-13, 0.000381}},
		},
	.bits = {{5.42e-13, 1.2e-12}, {5.95e-13, 1.2e-12},
		{6.84e-13, 1.3e-12}},
	.arc_s = 2.06e-11,
	.pair_s = 4.31e-09,
};
