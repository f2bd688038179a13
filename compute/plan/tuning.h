/*
 * The tuning table: launch sizes and kernel options for each device. One struct
 * holds both, so that sizes and options always fit each other.
 */
#ifndef APSP_COMPUTE_PLAN_TUNING_H
#define APSP_COMPUTE_PLAN_TUNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* The number of rows, and of columns, of a tile. Kernels that hold a
	   tile in registers are written for this size. */
	APSP_TILE = 128,
	/*
	 * The largest number of bytes of one source's distances that a
	 * work-item of bf-dense holds in registers. With four sources, these
	 * bytes are 16 vectors of 64 bytes, which fill a CPU's registers.
	 */
	APSP_BF_HELD_BYTES = 256,
};

/* Launch sizes of closures, whose kernels work on rows of bits
   (kernels/closure.clh). */
struct apsp_bits_tuning {
	uint32_t line; /* number of 64-bit words that a work-item computes; also
			  the value of the option LINE */
	uint32_t wide, tall;  /* number of lines and of rows of a work-group */
	uint32_t spread_rows; /* number of rows of a work-item in the kernel
				 `spread` of warshall.cl */
	uint32_t square_rows; /* number of rows of a work-item in
				 closure-squaring */
	uint32_t narrow; /* closure-order: neighbouring levels that have fewer
			    rows than this are joined */
	uint64_t host_words; /* closure-order: the host is faster if the work
				has at most this number of words */
};

/*
 * A row of the table. A launch should take less than 200 ms, so that the solver
 * notices a requested stop in time (compute/worker/README.md, A child owns the
 * device): the members launch_* and bf_relaxations limit the work of one
 * launch.
 */
struct apsp_tuning {
	const char *device; /* part of the device's name; NULL: any device of
			       the type */
	bool gpu;

	/* The name of the kernel that blocked-fw, streamed-fw and
	   minplus-squaring run. */
	const char *relax;
	/*
	 * The number of pivot vertices whose values relax_gpu holds in local
	 * memory at a time: 16 or 8, and half of that number if values have 64
	 * bits. 0: `relax` does not name relax_gpu.
	 */
	uint32_t relax_chunk;
	/*
	 * The number of tiles along a side of a pivot block in blocked-fw and
	 * in the passes of streamed-fw. A buffer of panels holds whole pivot
	 * blocks.
	 */
	uint32_t pivot_tiles;
	/*
	 *	span        neighbouring columns of a row that an item computes
	 *	row_group   items of a work-group along a row
	 *
	 * Both members are for the kernels of fw, of predecessors on a GPU, and
	 * of the copies of rows out of panels and batches. In bf-dense, `span`
	 * also limits the vertices of an item. Kernels with one item for each
	 * vertex, arc, edge or part of a tile have groups of row_group items.
	 */
	uint32_t span;
	uint32_t row_group;

	/* Members for bf-dense-* (kernels/bf_dense.cl). bf_items, bf_sources
	   and bf_vertices are powers of two, and at most a tile's side. */
	uint32_t bf_items;   /* number of items that share a vertex; 1: items
				share no vertex */
	uint32_t bf_sources; /* number of sources of an item */
	/* number of vertices of an item in bf-dense-transposed */
	uint32_t bf_vertices;
	uint64_t bf_relaxations; /* number of relaxations in one launch */

	/*
	 * The number of relaxations in one launch of `relax`, of multi-source
	 * on a GPU, and of closures (an OR of 32 bits counts as one
	 * relaxation). On a CPU, a launch of `relax` makes this number of
	 * relaxations for every two compute units. In fw, all launches that are
	 * enqueued together make this number of relaxations.
	 */
	uint64_t launch_relaxations;

	/*
	 * multi-source:
	 *
	 *	lane_bytes      bytes of all lanes of a batch at one vertex
	 *	lanes_bytes     bytes of the data that should fit a cache: all
	 *	                batches on a GPU, one batch on a CPU
	 *	launch_pushes   arcs that an item visits in one launch on a CPU
	 *
	 * On a CPU, the lanes at one vertex take fewer than lane_bytes bytes if
	 * a batch would otherwise exceed lanes_bytes. If lanes are bits,
	 * lane_bytes is not used.
	 */
	uint32_t lane_bytes;
	uint64_t lanes_bytes;
	uint32_t launch_pushes;

	/*
	 * The number of reads in one launch. The search for predecessors reads
	 * arcs; the check after a squaring reads values. launch_arcs is also
	 * the number of arcs that a round of bf-edges or bfs-levels may read,
	 * and so limits the number of sources in a batch.
	 */
	uint64_t launch_arcs;
	/*
	 * The number of bytes that are copied between device and host at a
	 * time, when rows are downloaded, a matrix is streamed or arcs are
	 * uploaded.
	 */
	uint64_t staging_bytes;
	/*
	 * The number of vertices of the graph with which calibration measures
	 * the stages after V. The graph's table should be too large for any
	 * cache, and much larger than a GPU's staging buffers.
	 */
	uint32_t calibration_vertices;

	/* Members for bf-edges and bfs-levels. */
	uint64_t batch_bytes;  /* largest number of bytes of a batch's rows */
	uint64_t launch_edges; /* number of edges times number of sources in one
				  launch */
	/* number of positions in a segment (edge_list.h); 0: edges are not
	   sorted */
	uint32_t segment;
	uint32_t edge_rows;   /* number of rows of a batch that an item relaxes
				 over one edge */
	uint32_t level_lanes; /* number of sources in a word of bfs-levels, from
				 4 to 64 */

	struct apsp_bits_tuning bits;
};

/* The table, for tests. */
extern const struct apsp_tuning apsp_tuning_rows[];
extern const size_t apsp_tuning_count;

/* A device's limits for a work-group, or the least limits with which the
   kernels of a row of the table run. */
struct apsp_tuning_limits {
	uint64_t group_items;
	uint64_t local_bytes;
};

/*
 * Find the row of a device by its name or, if no row has the name, by its type.
 * Rows that need more than `limits` are skipped, unless `limits` is NULL. Never
 * returns NULL, because the row of CPUs needs nothing.
 */
const struct apsp_tuning *apsp_tuning_find(const char *device_name, bool gpu,
	const struct apsp_tuning_limits *limits);

/*
 * Store the limits that the kernels of a row need, with any width of V. Tests
 * compare them with the needs of the compiled kernels.
 */
void apsp_tuning_needs(
	const struct apsp_tuning *tuning, struct apsp_tuning_limits *out);

/*
 * Whether each row of distances is written by only one item of bf-edges. This
 * is faster if edges with the same head follow each other. If the result is
 * false, several items lower the distances of a row by atomic minima.
 */
bool apsp_tuning_owns_rows(const struct apsp_tuning *tuning);

#endif
