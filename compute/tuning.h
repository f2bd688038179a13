/*
 * The tuning table: what each device likes. One struct yields both the kernels'
 * -D options and the launch sizes, so that they cannot drift apart.
 */
#ifndef APSP_COMPUTE_TUNING_H
#define APSP_COMPUTE_TUNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* Side of a tile; the register kernels are written for it. */
	APSP_TILE = 128,
	/* Sums that an item of bf-dense holds for one source at most: four
	   vectors of 64 bytes, of four sources, fill a CPU's registers. */
	APSP_BF_HELD_BYTES = 256,
};

/* Closures, on rows of bits (kernels/closure.clh). */
struct apsp_bits_tuning {
	uint32_t line;	      /* 64-bit words that an item does: LINE */
	uint32_t wide, tall;  /* items of a group, lines by rows */
	uint32_t spread_rows; /* rows an item does in Warshall's spread */
	uint32_t square_rows; /* in a squaring */
	uint32_t narrow;      /* fewer rows of a level are chained to others' */
	uint64_t host_words;  /* so few words are OR-ed sooner on the host */
};

/*
 * A row. What counts work in a launch keeps it below 200 ms (design.md,
 * decision 1).
 */
struct apsp_tuning {
	const char *device; /* part of the name; NULL: by type */
	bool gpu;

	/* The kernel of relax.h: blocked-fw, streamed-fw, minplus-squaring. */
	const char *relax;
	/*
	 * Tiles that others are relaxed through at a time: the pivot block of
	 * blocked-fw, the passes of streamed-fw. A buffer of panels holds a
	 * multiple of so many tile rows.
	 */
	uint32_t pivot_tiles;
	/*
	 * Neighbouring columns of a row that an item does, and items of a group
	 * along them: fw, a GPU's predecessors, rows out of panels and out of
	 * the edges' batches. No more vertices than a span are an item's in
	 * bf-dense; the group is also that of kernels with an item for a
	 * vertex, an arc, an edge or a part of a tile.
	 */
	uint32_t span;
	uint32_t row_group;

	/* bf-dense (kernels/bf_dense.cl): powers of two up to a tile's side. */
	uint32_t bf_items;	 /* share a vertex; 1: they share nothing */
	uint32_t bf_sources;	 /* in an item */
	uint32_t bf_vertices;	 /* in an item of the transposed form */
	uint64_t bf_relaxations; /* in one launch */

	/*
	 * Relaxations in one launch of the relax kernel and of multi-source on
	 * a GPU, in so many launches of fw as are enqueued together, and in the
	 * closures' kernels, where an OR of 32 bits counts as one.
	 */
	uint64_t launch_relaxations;

	/*
	 * multi-source: bytes of a batch's lanes at one vertex, but for a CPU's
	 * bits; on a GPU, of all batches at once, which its cache should hold;
	 * on a CPU, arcs that an item pushes over in one launch.
	 */
	uint32_t lane_bytes;
	uint64_t lanes_bytes;
	uint32_t launch_pushes;

	/*
	 * Single looks in one launch: at arcs for predecessors, and
	 * at values that a squaring may have changed. The sources of a batch of
	 * bf-edges or bfs-levels are as many as do so many arcs in a round.
	 */
	uint64_t launch_arcs;
	/*
	 * What passes between the device and the host at a time: rows read
	 * back, rows of a streamed matrix, arcs.
	 */
	uint64_t staging_bytes;

	/* bf-edges and bfs-levels. */
	uint64_t batch_bytes;  /* of a batch's rows at most */
	uint64_t launch_edges; /* times sources, in one launch of a round */
	uint32_t segment;      /* of edge_list.h, in positions; 0: unordered */
	uint32_t edge_rows;    /* of a batch that an item takes an edge for */
	uint32_t level_lanes;  /* sources in a word of bfs-levels: 4 to 64 */

	struct apsp_bits_tuning bits;
};

/* The table, for tests. */
extern const struct apsp_tuning apsp_tuning_rows[];
extern const size_t apsp_tuning_count;

/* What a device has, or what a row needs of it. */
struct apsp_tuning_limits {
	uint64_t group_items;
	uint64_t local_bytes; /* of a group */
};

/* By part of the name, then by type; never NULL. */
const struct apsp_tuning *apsp_tuning_find(const char *device_name, bool gpu);

/*
 * The same, passing over rows that need more than the device has; last comes
 * the CPUs' row, which needs nothing. Never NULL.
 */
const struct apsp_tuning *apsp_tuning_pick(const char *device_name, bool gpu,
	const struct apsp_tuning_limits *limits);

/*
 * What the row needs, whatever the element: tests hold it against the compiled
 * kernels.
 */
void apsp_tuning_needs(
	const struct apsp_tuning *tuning, struct apsp_tuning_limits *out);

/*
 * Whether an item of bf-edges has its rows to itself: it is worth it where
 * there are runs of one head. Else distances fall by atomic minima.
 */
bool apsp_tuning_owns_rows(const struct apsp_tuning *tuning);

/* Whether the row's parts go together and within limits. */
bool apsp_tuning_fits(const struct apsp_tuning *tuning,
	const struct apsp_tuning_limits *limits);

#endif
