/*
 * Rows come from measurements on the device that they name.
 */
#include "compute/tuning.h"

#include <stddef.h>
#include <string.h>

static const struct apsp_tuning rows[] = {
	{
		.gpu = true,
		.relax = "relax_tile",
		/*
		 * H200, driver 580, share of the ceiling at n = 16,384 in
		 * 16 / 32 bits: 3 tiles 0.875 / 0.899, 4 0.881 / 0.895,
		 * 6 0.886 / 0.897, 8 0.880 / 0.898.
		 */
		.pivot_tiles = 6,
		.span = 1,
		.row_group = 64,
		.launch_relaxations = UINT64_C(200000000000),
		.launch_arcs = UINT64_C(10000000000),
		.staging_bytes = UINT64_C(256) << 20,
	},
	{
		.gpu = false,
		.relax = "relax_vector",
		.pivot_tiles = 1,
		.span = 128,
		.row_group = 1,
		.launch_relaxations = UINT64_C(2000000000),
		.launch_arcs = UINT64_C(100000000),
		.staging_bytes = UINT64_C(16) << 20,
	},
};

const struct apsp_tuning *apsp_tuning_find(const char *device_name, bool gpu)
{
	const struct apsp_tuning *by_type = NULL;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (rows[i].device && strstr(device_name, rows[i].device))
			return &rows[i];
		if (!rows[i].device && rows[i].gpu == gpu)
			by_type = &rows[i];
	}
	return by_type;
}
