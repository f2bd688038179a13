/*
 * The tuning table: launch sizes and kernel options for each device. Both come
 * from one struct, so that they cannot drift apart.
 */
#ifndef APSP_COMPUTE_PLAN_TUNING_H
#define APSP_COMPUTE_PLAN_TUNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* Side of a tile; kernels that hold a tile in registers are written
	   for this size. */
	APSP_TILE = 128,
	/* The most bytes that an item of bf-dense holds for one source: with
	   four sources, 16 vectors of 64 bytes, which fill a CPU's registers.
	 */
	APSP_BF_HELD_BYTES = 256,
};

/* Launch sizes of closures, on rows of bits (kernels/closure.clh). */
struct apsp_bits_tuning {
	uint32_t line;	      /* 64-bit words of an item: LINE */
	uint32_t wide, tall;  /* items of a group, lines by rows */
	uint32_t spread_rows; /* rows of an item in Warshall's spread */
	uint32_t square_rows; /* rows of an item in a squaring */
	uint32_t narrow;      /* levels with fewer rows are joined */
	uint64_t host_words;  /* up to so many words the host is faster */
};

/*
 * A row of the table. The launch_* members and bf_relaxations keep each launch
 * below 200 ms, so that a stop is seen in time (compute/worker/README.md, A
 * child owns the device).
 */
struct apsp_tuning {
	const char *device; /* part of its name; NULL: any device of the type */
	bool gpu;

	/* The kernel of blocked-fw, streamed-fw and minplus-squaring. */
	const char *relax;
	/* Pivot vertices whose values relax_gpu holds in local memory at a
	   time: 16 or 8, half as many in 64 bits. 0: `relax` is another
	   kernel. */
	uint32_t relax_chunk;
	/*
	 * Tiles of a pivot block, in blocked-fw and in the passes of
	 * streamed-fw. A buffer of panels holds whole pivot blocks.
	 */
	uint32_t pivot_tiles;
	/*
	 * span: the neighbouring columns of a row that one item computes.
	 * row_group: the items of a group along the row. Both are for fw, for
	 * predecessors on a GPU, and for kernels that copy rows out of panels
	 * and batches of edges. span also bounds an item's vertices in
	 * bf-dense. row_group is also the group size of kernels with one item
	 * for a vertex, an arc, an edge or a part of a tile.
	 */
	uint32_t span;
	uint32_t row_group;

	/* bf-dense (kernels/bf_dense.cl): powers of two up to a tile's side. */
	uint32_t bf_items;	 /* that share a vertex; 1: one item has it */
	uint32_t bf_sources;	 /* of an item */
	uint32_t bf_vertices;	 /* of an item in the transposed form */
	uint64_t bf_relaxations; /* in one launch */

	/*
	 * Relaxations in one launch of the relax kernel, of multi-source on a
	 * GPU, and of the kernels of closures, where an OR of 32 bits counts as
	 * one. In fw: in all launches that are enqueued together. A launch of
	 * the relax kernel on a CPU makes so many for each two of its units.
	 */
	uint64_t launch_relaxations;

	/*
	 * multi-source. lane_bytes: the bytes of a batch's lanes at one vertex;
	 * not for lanes that are bits on a CPU, and less on a CPU if a batch
	 * would exceed lanes_bytes. lanes_bytes: the bytes that a cache should
	 * hold, of all batches on a GPU and of one batch on a CPU.
	 * launch_pushes: the arcs that an item on a CPU looks at in one launch.
	 */
	uint32_t lane_bytes;
	uint64_t lanes_bytes;
	uint32_t launch_pushes;

	/*
	 * The looks in one launch: at arcs in the search for predecessors, at
	 * values after a squaring. A batch of bf-edges or bfs-levels has so
	 * many sources that a round looks at so many arcs.
	 */
	uint64_t launch_arcs;
	/*
	 * Bytes that are copied between device and host at a time: rows that
	 * are downloaded, rows of a streamed matrix, arcs.
	 */
	uint64_t staging_bytes;
	/*
	 * Vertices of the graph with which calibration measures the stages
	 * after V. Its table fits no cache, and a GPU's staging is small beside
	 * it.
	 */
	uint32_t calibration_vertices;

	/* bf-edges and bfs-levels. */
	uint64_t batch_bytes;  /* of the rows of a batch, at most */
	uint64_t launch_edges; /* edges times sources in one launch */
	uint32_t segment;      /* of edge_list.h, in positions; 0: unordered */
	uint32_t edge_rows;    /* rows of a batch for one item and edge */
	uint32_t level_lanes;  /* sources in a word of bfs-levels: 4 to 64 */

	struct apsp_bits_tuning bits;
};

/* The table, for tests. */
extern const struct apsp_tuning apsp_tuning_rows[];
extern const size_t apsp_tuning_count;

/* The limits of a device for a work-group, or the needs of a row. */
struct apsp_tuning_limits {
	uint64_t group_items;
	uint64_t local_bytes; /* local memory of a group */
};

/*
 * The row of a device by its name, or else by its type, among the rows that do
 * not need more than limits (NULL: all rows). The row of CPUs needs nothing, so
 * the result is never NULL.
 */
const struct apsp_tuning *apsp_tuning_find(const char *device_name, bool gpu,
	const struct apsp_tuning_limits *limits);

/*
 * The needs of the row in the worst width. Tests compare them with the compiled
 * kernels.
 */
void apsp_tuning_needs(
	const struct apsp_tuning *tuning, struct apsp_tuning_limits *out);

/*
 * Whether an item of bf-edges has its rows to itself, which pays if edges of
 * one head follow each other. Otherwise distances are lowered by atomic minima.
 */
bool apsp_tuning_owns_rows(const struct apsp_tuning *tuning);

#endif
