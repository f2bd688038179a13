/*
 * The tuning table: for each device, the sizes of launches and the options of
 * kernels. One struct holds both, so that sizes and options always fit each
 * other.
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
	/* A work-item of `bf-dense` holds at most this number of bytes of one
	   source's distances in registers. With four sources, these bytes are
	   16 vectors of 64 bytes, which fill a CPU's registers. */
	APSP_BF_HELD_BYTES = 256,
};

/* Launch sizes of closures, whose kernels work on rows of bits
   (kernels/closure.clh). */
struct apsp_bits_tuning {
	/* Number of 64-bit words in a line. One work-item computes a line. The
	   number is also the value of the option LINE. */
	uint32_t line;
	/* A work-group has wide · tall work-items, which compute `wide`
	   neighbouring lines (of `line` words each) in each of `tall` rows or
	   groups of rows. */
	uint32_t wide, tall;
	/* number of rows that a work-item computes in the kernel `spread` of
	   warshall.cl */
	uint32_t spread_rows;
	/* number of rows that a work-item computes in `closure-squaring` */
	uint32_t square_rows;
	/* For `closure-order`, which computes the components level by level:
	   neighbouring levels that each have fewer rows than this number are
	   computed in one launch. */
	uint32_t narrow;
	/* For `closure-order`: the host is faster than the device if the work
	   is at most this number of operations on words. */
	uint64_t host_words;
};

/*
 * A row of the tuning table. The members launch_* and bf_relaxations limit the
 * work of one launch. A launch should take less than 200 ms, so that the solver
 * soon notices a request to stop (compute/worker/README.md, A child owns the
 * device).
 */
struct apsp_tuning {
	/* Text that the name of a device must contain to use this row. NULL:
	   the row is for all GPUs if `gpu` is true, otherwise for all CPUs. */
	const char *device;
	bool gpu;

	/* The name of the file (without .cl) whose kernel `relax` the
	   algorithms `blocked-fw`, `streamed-fw` and `minplus-squaring` run. */
	const char *relax;
	/*
	 * The number of pivot vertices whose values relax_gpu holds in local
	 * memory at a time: 16 or 8. If values have 64 bits, relax_gpu holds
	 * half as many. 0: `relax` is another kernel.
	 */
	uint32_t relax_chunk;
	/* The number of tiles along a side of a pivot block in `blocked-fw` and
	   in the passes of `streamed-fw`. A buffer of panels (panels.h) holds
	   whole pivot blocks. */
	uint32_t pivot_tiles;
	/*
	 *	span        number of neighbouring columns that a work-item
	 *	            computes in a row
	 *	row_group   number of work-items of a work-group along a row
	 *
	 * Three kinds of kernels use both members: the kernels of `fw`, the
	 * kernels that search for predecessors on a GPU, and the kernels that
	 * copy rows out of panels (panels.h) and batches. The algorithm
	 * `bf-dense` uses `span` as an upper limit for the number of vertices
	 * of a work-item. Kernels that have one work-item for each vertex, arc,
	 * edge or part of a tile have work-groups of row_group work-items.
	 */
	uint32_t span;
	uint32_t row_group;

	/* Members for the algorithms `bf-dense-*` (kernels/bf_dense.cl).
	   bf_items, bf_sources and bf_vertices are powers of two, and are not
	   larger than a tile's side. */
	/* number of work-items that share a vertex; 1: work-items share no
	   vertex */
	uint32_t bf_items;
	/* number of sources that a work-item handles */
	uint32_t bf_sources;
	/* number of vertices that a work-item of `bf-dense-transposed`
	   handles */
	uint32_t bf_vertices;
	/* largest number of relaxations in one launch of `bf-dense-*` */
	uint64_t bf_relaxations;

	/*
	 * How much work is enqueued at a time, counted in relaxations. What
	 * this means depends on the kernel or algorithm:
	 *
	 *	relax           on a GPU: the work of one launch; on a CPU: the
	 *	                part of one launch for every two compute units
	 *	multi-source    on a GPU: the work of one launch
	 *	closures        the work of one launch; an OR of 32 bits counts
	 *	                as one relaxation
	 *	fw              the work of all launches that are enqueued
	 *	                together
	 */
	uint64_t launch_relaxations;

	/*
	 * Members for `multi-source`. In a batch, each source has a lane: a
	 * value, or a bit, at each vertex.
	 *
	 *	lane_bytes      bytes of all lanes of a batch at one vertex
	 *	lanes_bytes     bytes of the data that should fit a cache: all
	 *	                batches on a GPU, one batch on a CPU
	 *	launch_pushes   on a CPU: largest number of arcs that a
	 *	                work-item visits in one launch
	 *
	 * In a large graph, a CPU uses fewer bytes than lane_bytes at each
	 * vertex, so that a batch fits lanes_bytes. If lanes are bits,
	 * lane_bytes is not used on a CPU.
	 */
	uint32_t lane_bytes;
	uint64_t lanes_bytes;
	uint32_t launch_pushes;

	/*
	 * The largest number of reads in one launch: reads of arcs in the
	 * search for predecessors, and reads of values in the check after a
	 * squaring. A round of `bf-edges` or `bfs-levels` also reads at most
	 * this number of arcs, so launch_arcs limits the number of sources in
	 * their batches.
	 */
	uint64_t launch_arcs;
	/*
	 * The number of bytes that are copied between device and host at a
	 * time: when rows are downloaded, when a matrix is streamed, and when
	 * arcs are uploaded.
	 */
	uint64_t staging_bytes;
	/*
	 * Calibration uses a graph of this number of vertices to measure the
	 * stages that follow the computation of the distance matrix V. The
	 * graph's table should be too large for any cache, and much larger than
	 * a GPU's staging buffers.
	 */
	uint32_t calibration_vertices;

	/* Members for `bf-edges` and `bfs-levels`. */
	uint64_t batch_bytes; /* largest size in bytes of a batch's rows */
	/* largest number of relaxations in one launch; a launch makes one
	   relaxation for each edge and each source */
	uint64_t launch_edges;
	/* number of vertices (neighbouring positions) in a segment
	   (edge_list.h); 0: edges are not sorted by segments */
	uint32_t segment;
	/* number of rows (one for each source) in which a work-item relaxes
	   each of its edges (kernels/edge_sweep.clh) */
	uint32_t edge_rows;
	/* number of sources that `bfs-levels` stores in one word, from 4 to
	   64 */
	uint32_t level_lanes;

	struct apsp_bits_tuning bits;
};

/* The table, for tests. */
extern const struct apsp_tuning apsp_tuning_rows[];
extern const size_t apsp_tuning_count;

/* The limits of a device for one work-group, or the least limits that a device
   must have to run the kernels of a row of the tuning table. */
struct apsp_tuning_limits {
	uint64_t group_items;
	uint64_t local_bytes;
};

/*
 * Find the row of the tuning table for a device: the row that has the device's
 * name or, if there is none, a row of its type. Rows that need more than
 * `limits` are skipped, unless `limits` is NULL. Never returns NULL, because
 * every device can run the row of CPUs.
 */
const struct apsp_tuning *apsp_tuning_find(const char *device_name, bool gpu,
	const struct apsp_tuning_limits *limits);

/* Store the limits that a device must have to run all kernels of a row of the
   tuning table, whichever element type the distance matrix has. Tests compare
   these limits with the needs of the compiled kernels. */
void apsp_tuning_needs(
	const struct apsp_tuning *tuning, struct apsp_tuning_limits *out);

/*
 * Whether only one work-item of `bf-edges` writes to each row of distances. One
 * writer for each row is faster if edges with the same head follow each other.
 * Otherwise several work-items write to a row, and lower the distances with
 * atomic minima.
 */
bool apsp_tuning_owns_rows(const struct apsp_tuning *tuning);

#endif
