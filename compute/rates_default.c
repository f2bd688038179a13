/*
 * Rates by kind, for a device that was not measured yet: what
 * `apsp-solve --calibrate` tells.
 */
#include "compute/rates_default.h"

/* Two cores of an EPYC with AVX-512, PoCL 3.1: the least of 7 runs. */
const struct apsp_rates apsp_rates_of_cpu = {
	.algorithms =
		{
			[APSP_COST_BF_DENSE_REDUCE] = {{5.7e-12, 0.00032},
				{1.5e-11, 0.00018}, {3.1e-11, 0.00013}},
			[APSP_COST_BF_DENSE_TRANSPOSED] = {{3.7e-11, 0.00023},
				{3.9e-11, 0.00045}, {4.4e-11, 0.00027}},
			[APSP_COST_BF_DENSE_VERTEX] = {{5e-12, 0.00055},
				{1.5e-11, 0.00019}, {2.4e-11, 0.00015}},
			[APSP_COST_BLOCKED_FW] = {{7.4e-12, 3.3e-05},
				{2e-11, 0.00022}, {3.7e-11, 0.00023}},
			[APSP_COST_FW] = {{4.6e-11, 3.2e-06},
				{8.5e-11, 3.7e-06}, {1.3e-10, 4.5e-06}},
			[APSP_COST_MINPLUS_SQUARING] = {{6.4e-12, 0.00011},
				{1e-11, 6.1e-05}, {3.1e-11, 8e-05}},
			[APSP_COST_REFERENCE] = {{4.7e-09, 0}, {4.7e-09, 0},
				{4.7e-09, 0}},
			[APSP_COST_STREAMED_FW] = {{7.7e-12, 7.4e-05},
				{1.6e-11, 0.00015}, {3.3e-11, 0.00022}},
		},
	.arc_s = 4.5e-10,
	.pair_s = 3.3e-09,
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
			[APSP_COST_BLOCKED_FW] = {{3.4e-14, 2e-05},
				{6.8e-14, 2e-05}, {2.7e-13, 2e-05}},
			[APSP_COST_FW] = {{1e-12, 2e-05}, {2e-12, 2e-05},
				{8.1e-12, 2e-05}},
			[APSP_COST_MINPLUS_SQUARING] = {{3.4e-14, 2e-05},
				{6.8e-14, 2e-05}, {2.7e-13, 2e-05}},
			[APSP_COST_REFERENCE] = {{4.7e-09, 0}, {4.7e-09, 0},
				{4.7e-09, 0}},
			[APSP_COST_STREAMED_FW] = {{3.4e-14, 2e-05},
				{6.8e-14, 2e-05}, {2.7e-13, 2e-05}},
		},
	.arc_s = 3e-12,
	.pair_s = 2e-9,
};
