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
	/* The most that an item of bf-dense holds for one source: with four
	   sources, 16 vectors of 64 bytes, which fill a CPU's registers. */
	APSP_BF_HELD_BYTES = 256,
};

/* For closures, on rows of bits (kernels/closure.clh). */
struct apsp_bits_tuning {
	uint32_t line;	      /* 64-bit words of an item: LINE */
	uint32_t wide, tall;  /* items of a group, lines by rows */
	uint32_t spread_rows; /* rows of an item in Warshall's spread */
	uint32_t square_rows; /* rows of an item in a squaring */
	uint32_t narrow;      /* a level with fewer rows joins its neighbours */
	uint64_t host_words;  /* up to so many words the host is faster */
};

/*
 * A row of the table. The launch_* members and bf_relaxations keep each launch
 * below 200 ms, so that a stop is seen in time (compute/worker/README.md, A
 * child owns the device).
 */
struct apsp_tuning {
	const char *device; /* part of the name; NULL: by type */
	bool gpu;

	/* The kernel of blocked-fw, streamed-fw and minplus-squaring. */
	const char *relax;
	/* Pivot vertices whose values relax_gpu holds in local memory at a
	   time: 16 or 8, half as many in 64 bits. 0: it is another kernel. */
	uint32_t relax_chunk;
	/*
	 * Tiles of a pivot block, in blocked-fw and in the passes of
	 * streamed-fw. A buffer of panels holds whole pivot blocks.
	 */
	uint32_t pivot_tiles;
	/*
	 * span: neighbouring columns of a row for one item. row_group: items of
	 * a group along the row. Both are for fw, a GPU's predecessors, and the
	 * kernels that copy rows out of panels and batches of edges. span also
	 * bounds an item's vertices in bf-dense. row_group is also the group of
	 * kernels with an item a vertex, an arc, an edge or a part of a tile.
	 */
	uint32_t span;
	uint32_t row_group;

	/* bf-dense (kernels/bf_dense.cl): powers of two up to a tile's side. */
	uint32_t bf_items;	 /* that share a vertex; 1: none shares */
	uint32_t bf_sources;	 /* of an item */
	uint32_t bf_vertices;	 /* of an item in the transposed form */
	uint64_t bf_relaxations; /* in one launch */

	/*
	 * Relaxations in one launch of the relax kernel, of multi-source on a
	 * GPU, and of the closures' kernels, where an OR of 32 bits counts as
	 * one; in fw, in all launches that are enqueued together. The relax
	 * kernel of a CPU does as much for each two of its units.
	 */
	uint64_t launch_relaxations;

	/*
	 * multi-source. lane_bytes: a batch's lanes at one vertex, except the
	 * bits of a CPU, and less on a CPU where lanes_bytes say so.
	 * lanes_bytes: what a cache should hold: all batches of a GPU, one
	 * batch of a processor. launch_pushes: arcs that an item of a CPU
	 * pushes over in one launch.
	 */
	uint32_t lane_bytes;
	uint64_t lanes_bytes;
	uint32_t launch_pushes;

	/*
	 * Looks in one launch: at arcs for predecessors, at values that a
	 * squaring may have changed. A batch of bf-edges or bfs-levels has as
	 * many sources as look at so many arcs in a round.
	 */
	uint64_t launch_arcs;
	/*
	 * Bytes that are copied between device and host at a time: rows that
	 * are downloaded, rows of a streamed matrix, arcs.
	 */
	uint64_t staging_bytes;
	/*
	 * Vertices of the largest graph by which calibration measures what
	 * follows V, a power of two from 2048: its table fits no cache, and a
	 * GPU's staging is small beside it.
	 */
	uint32_t calibration_vertices;

	/* bf-edges and bfs-levels. */
	uint64_t batch_bytes;  /* the most that a batch's rows take */
	uint64_t launch_edges; /* edges times sources in one launch */
	uint32_t segment;      /* of edge_list.h, in positions; 0: unordered */
	uint32_t edge_rows;    /* rows of a batch for one item and edge */
	uint32_t level_lanes;  /* sources in a word of bfs-levels: 4 to 64 */

	struct apsp_bits_tuning bits;
};

/* The table, for tests. */
extern const struct apsp_tuning apsp_tuning_rows[];
extern const size_t apsp_tuning_count;

/* What a device offers a work-group, or what a row needs. */
struct apsp_tuning_limits {
	uint64_t group_items;
	uint64_t local_bytes; /* local memory of a group */
};

/* By part of the name, then by type; never NULL. */
const struct apsp_tuning *apsp_tuning_find(const char *device_name, bool gpu);

/*
 * The same, without the rows that need more than limits. The CPUs' row needs
 * nothing and is the last resort. Never NULL.
 */
const struct apsp_tuning *apsp_tuning_pick(const char *device_name, bool gpu,
	const struct apsp_tuning_limits *limits);

/*
 * What the row needs in the worst width. Tests compare it with the compiled
 * kernels.
 */
void apsp_tuning_needs(
	const struct apsp_tuning *tuning, struct apsp_tuning_limits *out);

/*
 * Whether an item of bf-edges has its rows to itself, which pays where edges of
 * one head follow each other. Else distances fall by atomic minima.
 */
bool apsp_tuning_owns_rows(const struct apsp_tuning *tuning);

/* Whether the row's members fit each other and the limits. */
bool apsp_tuning_fits(const struct apsp_tuning *tuning,
	const struct apsp_tuning_limits *limits);

#endif
