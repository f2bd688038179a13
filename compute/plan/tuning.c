/*
 * The rows of the tuning table; see tuning.h. If a row has the name of a
 * device, the values of the row were measured on this device.
 */
#include "compute/plan/tuning.h"

#include <stddef.h>
#include <string.h>

/*
 * LARGE and SMALL are values for the parameters chunk, sources and columns of
 * GPU_COMMON(). These parameters determine how much local memory a work-group
 * needs. With LARGE, a work-group needs 33,296 bytes. With SMALL, it needs at
 * most the 32 KiB that every OpenCL device has.
 */
#define LARGE 16, 16, 32
#define SMALL 8, 8, 16
/*
 * Members that all rows of GPUs have in common. Their values were measured on
 * an H200, the only GPU that was available. Each row of a GPU adds the members
 * pivot_tiles and launch_relaxations. Measured seconds of whole solves with
 * pinned staging buffers of different sizes:
 *
 *	MiB           256    64     16     4
 *	n = 12,529    0.62   0.48   0.44   0.39
 *	n = 32,768    2.24   2.12   1.98   2.07
 */
#define GPU_COMMON(...) GPU_COMMON_(__VA_ARGS__)
#define GPU_COMMON_(chunk, sources, columns)                                   \
	.gpu = true, .relax = "relax_gpu", .relax_chunk = (chunk), .span = 2,  \
	.row_group = 64, .bf_items = 32, .bf_sources = (sources),              \
	.bf_vertices = 4, .bf_relaxations = UINT64_C(50000000000),             \
	.lane_bytes = 256, .lanes_bytes = UINT64_C(36) << 20,                  \
	.launch_arcs = UINT64_C(10000000000),                                  \
	.batch_bytes = UINT64_C(256) << 20,                                    \
	.staging_bytes = UINT64_C(16) << 20, .calibration_vertices = 8192,     \
	.launch_edges = UINT64_C(1000000000), .segment = 8192, .edge_rows = 8, \
	.level_lanes = 4,                                                      \
	.bits = {                                                              \
		.line = 1,                                                     \
		.wide = (columns),                                             \
		.tall = 256 / (columns),                                       \
		.spread_rows = 32,                                             \
		.square_rows = 4,                                              \
		.narrow = 8,                                                   \
		.host_words = UINT64_C(4000000),                               \
	}

const struct apsp_tuning apsp_tuning_rows[] = {
	{
		.device = "NVIDIA H200",
		GPU_COMMON(LARGE),
		/*
		 * Measured relaxations in a second with pivot_tiles from 3 to
		 * 8, divided by the largest number that a benchmark reached on
		 * the device (tests/bench/ceiling.c; driver version 580, n =
		 * 16,384):
		 *
		 *	           3      4      5      6      7      8
		 *	16 bits   0.903  0.907  0.908  0.907  0.908  0.907
		 *	32 bits   0.909  0.906  0.909  0.910  0.910  0.912
		 */
		.pivot_tiles = 6,
		/* a launch of this number of relaxations takes 40 ms if integer
		   distances have 32 bits, and 150 ms if they have 64 bits */
		.launch_relaxations = UINT64_C(600000000000),
	},
	{
		/*
		 * Mesa's llvmpipe (version 22.3, used through rusticl) runs on
		 * a CPU, but this row uses the kernels of GPUs. llvmpipe
		 * silently ends a work-item after 65,535 iterations of all its
		 * loops together, and the kernels of CPUs need more iterations.
		 */
		.device = "llvmpipe",
		GPU_COMMON(SMALL),
		.pivot_tiles = 1,
		.launch_relaxations = UINT64_C(500000000),
	},
	{
		GPU_COMMON(SMALL),
		.pivot_tiles = 4,
		.launch_relaxations = UINT64_C(200000000000),
	},
	{
		GPU_COMMON(LARGE),
		.pivot_tiles = 4,
		.launch_relaxations = UINT64_C(200000000000),
	},
	{
		/*
		 * Measured with PoCL 3.1 on two EPYC cores
		 * (pthread-skylake-avx512) on 2026-11-21. The benchmark
		 * search_tuning found no values that were faster by 3 % or
		 * more.
		 */
		.gpu = false,
		.relax = "relax_cpu",
		/*
		 * Measured processor seconds with different values of
		 * pivot_tiles (PoCL 3.1, two EPYC cores):
		 *
		 *	pivot_tiles              1       2       4
		 *	n = 2048, 32 bits        0.103   0.094   0.092
		 *	n = 2048, doubles        0.350   0.326   0.317
		 *	n = 1024                 0.0102  0.0101  0.0102
		 *
		 * On 16 processors, with n = 8192, pivot_tiles of 1, 2 and 4
		 * gave 437, 448 and 455 G relaxations/s.
		 */
		.pivot_tiles = 4,
		.span = 128,
		.row_group = 1,
		.bf_items = 1,
		.bf_sources = 4,
		.bf_vertices = 4,
		.bf_relaxations = UINT64_C(1000000000),
		.launch_relaxations = UINT64_C(2000000000),
		/*
		 * Measured processor seconds of a solve with different values
		 * of lane_bytes (PoCL 3.1, two cores with 1 MiB of cache each):
		 *
		 *	                   128     256     512
		 *	rome99             0.082   0.062   0.056
		 *	larva              0.027   0.025   0.029
		 *	larva's inverse    0.073   0.068   0.074
		 */
		.lane_bytes = 256,
		/*
		 * lanes_bytes decides how many bytes the lanes (the values of
		 * all sources of a batch) take at one vertex. Measured
		 * processor seconds of the distances with 64, 128 and 256 bytes
		 * (PoCL 3.1, two EPYC cores):
		 *
		 *	vertices, arcs each     64      128     256
		 *	6000, 50, 16 bits       0.234   0.186   0.205
		 *	6000, 50, 32 bits       0.395   0.319   0.363
		 *	12,529, 100, 16 bits    1.64    1.60    1.58
		 *
		 * On 16 processors of a Xeon, the graph in the last row takes
		 * 0.376 s with 128 bytes and 0.466 s with 256 bytes.
		 */
		.lanes_bytes = UINT64_C(1) << 20,
		/*
		 * A push is the visit of an arc. It takes 13 ns if integer
		 * distances have 16 bits, so a launch takes 0.1 s. Larger
		 * launches are faster, because each launch waits for its
		 * slowest work-item: on 16 processors of a Xeon, a job with
		 * 12,529 vertices and 100 arcs for each vertex took 0.718 s
		 * with launches of 1,000,000 arcs, 0.688 s with 4,000,000 and
		 * 0.640 s with 16,000,000. But a launch must stay below 0.2 s,
		 * so that a request to stop is soon noticed.
		 */
		.launch_pushes = 8000000,
		.launch_arcs = UINT64_C(100000000),
		.batch_bytes = UINT64_C(2) << 20,
		/*
		 * Measured with `multi-source` on rome99 (PoCL 3.1, two EPYC
		 * cores): with staging_bytes of 2, 4 and 16 MiB, the peak of
		 * memory was 0.87, 1.03 and 1.83 times the bytes of the tables.
		 * The times with these three values were equal, within the
		 * differences between runs with the same value.
		 */
		.staging_bytes = UINT64_C(2) << 20,
		.calibration_vertices = 4096,
		.launch_edges = UINT64_C(100000000),
		/*
		 * Time with unsorted edges divided by time with edges that are
		 * sorted by segments, for segments of different numbers of
		 * positions (PoCL 3.1, pairs:14:32):
		 *
		 *	positions     2048   8192   16384
		 *	bf-edges      0.97   1.39   1.45
		 *	bfs-levels    2.31   2.44   2.56
		 */
		.segment = 16384,
		.edge_rows = 1,
		.level_lanes = 64,
		.bits = {.line = 16,
			.wide = 1,
			.tall = 1,
			.spread_rows = 1024,
			.square_rows = 16,
			.narrow = 2,
			.host_words = UINT64_MAX},
	},
};

const size_t apsp_tuning_count =
	sizeof(apsp_tuning_rows) / sizeof(*apsp_tuning_rows);

/*
 * Return the work-items and the local memory that a work-group of relax_gpu.cl
 * needs. The kernel needs the most local memory if values have 32 bits. Its
 * local memory holds two buffers. In each buffer, each pivot vertex of a chunk
 * has a padded column and a row. NVIDIA's driver (version 580) adds 16 bytes.
 */
static struct apsp_tuning_limits relax_needs(const struct apsp_tuning *tuning)
{
	uint64_t words = APSP_TILE + 4 + APSP_TILE;

	if (tuning->relax_chunk == 0)
		return (struct apsp_tuning_limits){1, 0};
	return (struct apsp_tuning_limits){
		256, 2 * tuning->relax_chunk * words * sizeof(uint32_t) + 16};
}

/* Return the work-items and the local memory that a work-group of bf_dense.cl
   needs. It needs local memory only if several work-items share a vertex. */
static struct apsp_tuning_limits bf_needs(const struct apsp_tuning *tuning)
{
	uint64_t held =
		(uint64_t)tuning->span * tuning->bf_vertices * sizeof(double);
	uint64_t bytes = held < APSP_BF_HELD_BYTES ? held : APSP_BF_HELD_BYTES;

	if (tuning->bf_items == 1)
		return (struct apsp_tuning_limits){1, 0};
	return (struct apsp_tuning_limits){tuning->bf_items,
		bytes * tuning->bf_items * tuning->bf_sources};
}

/*
 * Return the work-items and the local memory that work-groups of the closures'
 * kernels need. warshall.cl needs the most local memory: for each of eight
 * groups of four pivots, it stores the ORs of the 16 subsets of the group.
 */
static struct apsp_tuning_limits bits_needs(const struct apsp_bits_tuning *bits)
{
	uint64_t items = (uint64_t)bits->wide * bits->tall;
	uint64_t line = sizeof(uint64_t) * bits->line;

	return (struct apsp_tuning_limits){
		items, items == 1 ? 0 : 8 * 16 * line * bits->wide};
}

/*
 * Return the work-items and the local memory that a work-group of
 * multi_source_gpu.cl needs. One kernel holds two lists of arcs in local
 * memory. Another kernel holds the values of 32 rows and 32 columns of the
 * distance matrix V. The local memory in the result is the larger of the two
 * sizes.
 */
static struct apsp_tuning_limits lanes_needs(const struct apsp_tuning *tuning)
{
	uint64_t words = tuning->lane_bytes / sizeof(uint32_t);
	uint64_t lists = 2 * words * 2 * sizeof(uint32_t) + 16;
	uint64_t square = UINT64_C(32) * 33 * sizeof(double);

	if (!tuning->gpu)
		return (struct apsp_tuning_limits){1, 0};
	return (struct apsp_tuning_limits){
		words > 256 ? words : 256, lists > square ? lists : square};
}

/* Replace each member of *needs by the same member of `others` if that is
   larger. */
static void needs_join(
	struct apsp_tuning_limits *needs, struct apsp_tuning_limits others)
{
	if (others.group_items > needs->group_items)
		needs->group_items = others.group_items;
	if (others.local_bytes > needs->local_bytes)
		needs->local_bytes = others.local_bytes;
}

void apsp_tuning_needs(
	const struct apsp_tuning *tuning, struct apsp_tuning_limits *out)
{
	*out = bf_needs(tuning);
	needs_join(out, bits_needs(&tuning->bits));
	needs_join(out, lanes_needs(tuning));
	needs_join(out, (struct apsp_tuning_limits){tuning->row_group, 0});
	needs_join(out, relax_needs(tuning));
}

bool apsp_tuning_owns_rows(const struct apsp_tuning *tuning)
{
	return !tuning->gpu && tuning->segment > 0;
}

/* Whether a device with the limits `limits` can run the kernels of the row
   `tuning`. If `limits` is NULL, the result is true. */
static bool fits(const struct apsp_tuning *tuning,
	const struct apsp_tuning_limits *limits)
{
	struct apsp_tuning_limits needs;

	apsp_tuning_needs(tuning, &needs);
	return !limits || (needs.group_items <= limits->group_items &&
				  needs.local_bytes <= limits->local_bytes);
}

const struct apsp_tuning *apsp_tuning_find(const char *device_name, bool gpu,
	const struct apsp_tuning_limits *limits)
{
	const struct apsp_tuning *by_type = NULL, *any = NULL;

	for (size_t i = 0; i < apsp_tuning_count; i++) {
		const struct apsp_tuning *row = &apsp_tuning_rows[i];
		bool is_held = fits(row, limits);

		if (row->device) {
			if (is_held && strstr(device_name, row->device))
				return row;
			continue;
		}
		if (is_held && row->gpu == gpu)
			by_type = row;
		if (!row->gpu)
			any = row;
	}
	return by_type ? by_type : any;
}
