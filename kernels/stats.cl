/*
 * Statistics of some rows of distances (daemon/job/stats_sections.h), computed before
 * the rows are read from a GPU. The host computes the same bits
 * (compute/statistics/stat_cells.h), because host and device add floating-point numbers
 * in the same order. For a row, host and device divide the columns into blocks of BLOCK
 * columns. Each block has four sums, each over every fourth column. The four sums are
 * added up, and then the sums of all blocks. For a column, host and device divide the
 * sources into source blocks of block_rows sources (compute/source_block.h). In each
 * source block, a sum starts with 0, and one source after another is added to it. The
 * sums of the source blocks are added up in the order of the blocks.
 *
 * cells:   n_rows × n_vertices cells, in upload order, as they will be in the table.
 *          Row r belongs to vertex r0 + r, whose distance to itself does not count.
 * scale:   if PARTED is 1, a cell is distance · scale + hops
 * columns: six arrays, each with a number for each target vertex. COUNT and MOST are
 *          over all rows so far. SUM and HARMONIC are over all source blocks that have
 *          ended. BLOCK_SUM and BLOCK_HARMONIC are over those rows of the current
 *          source block that were added so far. A second copy of the six arrays
 *          follows. Both copies are compared, because no other proof finds a fault that
 *          changes an array.
 * rows:    N_STATS numbers for each row
 * words:   results for these rows:
 *
 *	[0]              not 0: the host makes the statistics of these rows
 *	[1], [2]         exponents e of the widths 2^e of bins, for distances and hops
 *	[4 …]            BINS counts of distances
 *	[4 + BINS …]     BINS counts of hops
 *
 * begin:     one group. Initialises `words`. Reads n_summed words from
 *            summed[summed_at] on. If a word is 0, *left becomes 1: then the host
 *            makes the statistics of these and of all later rows, and the other
 *            kernels do nothing.
 * by_target: an item for each column; the item adds the rows one after another.
 * by_source: a group for each row, four items for each block. Doubles the widths of
 *            bins until the bins hold all cells of the row. At first, the width is
 *            2^exponent for distances and 1 for hops.
 * bins:      counts distances and hops in bins; runs after by_source. A group for STRIP
 *            columns of a row: global size (ITEMS · columns / STRIP rounded up, rows).
 *
 * Time on an H200 with driver version 580, for a table of 32,768 vertices in 16 bits,
 * in launches of 128 rows, while the host writes the previous rows:
 *
 *	                                               by_target   by_source   bins
 *	these kernels                                  13 ms       10 ms       13 ms
 *	without a branch for pairs without a path      12 ms       10 ms
 *
 * The branch stays, because without it the statistics of the path sums of the graph
 * larva took 1.5 times as long.
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

#ifndef CELL_BITS
#define CELL_BITS 32 /* bits of a cell: 16, 32 or 64 */
#endif
#ifndef REALS
#define REALS 0 /* 1: cells hold path sums; 0: they hold integer distances */
#endif
#ifndef PARTED
#define PARTED 0 /* 1: a cell is distance · scale + hops */
#endif

#if CELL_BITS == 16
typedef ushort cell_t;
#define NO_PATH(cell) ((cell) == 0x7fff)
#elif CELL_BITS == 32 && REALS
typedef float cell_t;
#define NO_PATH(cell) isinf(cell)
#elif CELL_BITS == 32
typedef int cell_t;
#define NO_PATH(cell) ((cell) >= 0x3fffffff)
#else
typedef double cell_t;
#define NO_PATH(cell) isinf(cell)
#endif

/*
 * These values must equal values of the host: ITEMS and STRIP in
 * compute/statistics/stats_device.c, LANES in compute/statistics/stat_cells.c,
 * APSP_STAT_COLUMNS (here BLOCK), APSP_HISTOGRAM_BINS (here BINS) and
 * APSP_MADE_DISTANCES_AT (here COUNTS_AT).
 */
#define ITEMS 256
#define BLOCK 256 /* columns */
#define LANES 4
#define STRIP 8192
#define BINS 2046
#define COUNTS_AT 4
#define FEW 8 /* the counts of the first FEW bins are bytes (bin_count()) */
enum { COUNT, SUM, HARMONIC, MOST, HOPS, MOST_HOPS, N_STATS };
enum { BLOCK_SUM = MOST + 1, BLOCK_HARMONIC, N_COLUMN_STATS }; /* only for columns */

/* Split the cell of a pair that has a path: return the distance, and store the hops, or
   0 if the cell has no hops. */
static inline double distance_of(cell_t cell, uint scale, uint *hops)
{
#if PARTED && CELL_BITS == 64
	double whole = floor(cell / scale);

	/* correct a quotient that was rounded up */
	if (cell < whole * scale)
		whole--;
	*hops = (uint)(cell - whole * scale);
	return whole;
#elif PARTED
	uint whole = (uint)cell / scale;

	*hops = (uint)cell - whole * scale;
	return whole;
#else
	*hops = 0;
	return cell;
#endif
}

static inline double width_of(int exponent)
{
	return ldexp(1.0, exponent);
}

/* Return the smallest e, not below `exponent`, for which `most` lies in one of BINS
   bins of width 2^e. */
static inline int exponent_for(double most, int exponent)
{
	while (most >= BINS * width_of(exponent))
		exponent++;
	return exponent;
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void begin(
	__global const uint *summed, uint summed_at, uint n_summed, int exponent,
	__global uint *left, __global uint *words)
{
	__local uint any;
	uint item = get_local_id(0), own = 0;

	if (item == 0)
		any = *left;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint r = item; r < n_summed; r += ITEMS)
		own |= summed[summed_at + r] == 0;
	if (own)
		atomic_or(&any, own);
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint w = item; w < COUNTS_AT + 2 * BINS; w += ITEMS)
		words[w] = w == 0 ? any : w == 1 ? as_uint(exponent) : 0;
	if (item == 0)
		*left = any;
}

/* Read the statistics of a column from the first copy of the arrays `columns`. Return
   whether the second copy has the same bits. */
static inline bool column_load(__global const double *from, ulong n, double *own)
{
	bool same = true;

#pragma unroll
	for (int q = 0; q < N_COLUMN_STATS; q++) {
		own[q] = from[q * n];
		same &= as_ulong(own[q]) == as_ulong(from[(N_COLUMN_STATS + q) * n]);
	}
	return same;
}

/* Write the statistics of a column to both copies of the arrays `columns`. If the old
   copies differed (`same` is false), store NaN in the second copy, so that the copies
   also differ when they are read again. */
static inline void column_store(__global double *to, ulong n, const double *own, bool same)
{
#pragma unroll
	for (int q = 0; q < N_COLUMN_STATS; q++) {
		to[q * n] = own[q];
		to[(N_COLUMN_STATS + q) * n] = same ? own[q] : NAN;
	}
}

__kernel void by_target(__global const cell_t *cells, uint n_vertices, uint r0,
	uint n_rows, uint block_rows, uint scale, __global const uint *words,
	__global double *columns)
{
	uint c = get_global_id(0), hops;
	ulong n = n_vertices;
	double own[N_COLUMN_STATS];
	bool same;

	if (c >= n_vertices || words[0])
		return;
	same = column_load(columns + c, n, own);
	for (uint r = 0, end = 0; r < n_rows;) {
		/* add rows up to the end of the source block of row r, or up to the
		   last row */
		end = min(n_rows, r + block_rows - (r0 + r) % block_rows);
#pragma unroll 8
		for (; r < end; r++) {
			cell_t cell = cells[r * n + c];

			if (!NO_PATH(cell) && r0 + r != c) {
				double distance =
					distance_of(cell, scale, &hops);

				own[COUNT]++;
				own[BLOCK_SUM] += distance;
				own[BLOCK_HARMONIC] += 1 / distance;
				own[MOST] = fmax(own[MOST], distance);
			}
		}
		if ((r0 + r) % block_rows == 0 || r0 + r == n_vertices) {
			own[SUM] += own[BLOCK_SUM];
			own[HARMONIC] += own[BLOCK_HARMONIC];
			own[BLOCK_SUM] = 0;
			own[BLOCK_HARMONIC] = 0;
		}
	}
	column_store(columns + c, n, own, same);
}

/* Return statistic q of the union of two sets of cells. `a` is statistic q of one set,
   and `b` is statistic q of the other set. */
static inline double joined(int q, double a, double b)
{
	return q == MOST || q == MOST_HOPS ? fmax(a, b) : a + b;
}

static inline double none(int q)
{
	return q == MOST ? -INFINITY : 0;
}

/* Compute the statistics of every LANES-th column of a block, beginning with column
   `first`. The last block may reach beyond the last column. */
static inline void lane_sum(__global const cell_t *row, uint first,
	uint n_vertices, uint self, uint scale, double *out)
{
#pragma unroll
	for (int q = 0; q < N_STATS; q++)
		out[q] = none(q);
#pragma unroll 8
	for (uint k = 0; k < BLOCK / LANES; k++) {
		uint c = first + k * LANES, hops;

		if (c < n_vertices && c != self && !NO_PATH(row[c])) {
			double distance = distance_of(row[c], scale, &hops);

			out[COUNT]++;
			out[SUM] += distance;
			out[HARMONIC] += 1 / distance;
			out[MOST] = fmax(out[MOST], distance);
			out[HOPS] += hops;
			out[MOST_HOPS] = fmax(out[MOST_HOPS], (double)hops);
		}
	}
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void by_source(
	__global const cell_t *cells, uint n_vertices, uint r0, uint scale,
	int exponent, volatile __global uint *words, __global double *rows)
{
	__local double held[N_STATS][ITEMS];
	int item = get_local_id(0);
	uint r = get_group_id(0), lane = item % LANES;
	__global const cell_t *row = cells + (ulong)r * n_vertices;
	double own[N_STATS], all = item < N_STATS ? none(item) : 0;

	if (words[0])
		return;
	for (uint first = 0; first < n_vertices;
		first += ITEMS / LANES * BLOCK) {
		lane_sum(row, first + item / LANES * BLOCK + lane, n_vertices,
			r0 + r, scale, own);
#pragma unroll
		for (int q = 0; q < N_STATS; q++)
			held[q][item] = own[q];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int at = item; at < N_STATS * (ITEMS / LANES); at += ITEMS) {
			int q = at / (ITEMS / LANES);
			__local double *lanes =
				&held[q][at % (ITEMS / LANES) * LANES];
			double block = none(q);

			for (int l = 0; l < LANES; l++)
				block = joined(q, block, lanes[l]);
			lanes[0] = block;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int b = 0; item < N_STATS && b < ITEMS; b += LANES)
			all = joined(item, all, held[item][b]);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (item < N_STATS)
		rows[(ulong)r * N_STATS + item] = all;
	if (item == MOST)
		atomic_max((volatile __global int *)&words[1],
			exponent_for(all, exponent));
	if (item == MOST_HOPS)
		atomic_max((volatile __global int *)&words[2],
			exponent_for(all, 0));
}

/* Count one number in bin `bin`. The counts of the first FEW bins are bytes of *few. No
   byte overflows, because an item counts only STRIP / ITEMS = 32 numbers, and a byte
   counts up to 255. */
static inline void bin_count(uint bin, ulong *few, __local uint *counts)
{
	if (bin < FEW)
		*few += (ulong)1 << bin * 8;
	else
		atomic_inc(&counts[bin]);
}

static inline void few_add(ulong few, __local uint *counts)
{
	for (uint bin = 0; bin < FEW; bin++) {
		uint count = (uint)(few >> bin * 8) & 255;

		if (count > 0)
			atomic_add(&counts[bin], count);
	}
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void bins(
	__global const cell_t *cells, uint n_vertices, uint r0, uint scale,
	volatile __global uint *words)
{
	__local uint counts[(1 + PARTED) * BINS];
	uint item = get_local_id(0), r = get_group_id(1), hops;
	uint begin = get_group_id(0) * STRIP;
	uint end = min(begin + STRIP, n_vertices);
	__global const cell_t *row = cells + (ulong)r * n_vertices;
	double per_width = width_of(-(int)words[1]);
	ulong few[2] = {0, 0};

	if (words[0])
		return;
	for (uint b = item; b < (1 + PARTED) * BINS; b += ITEMS)
		counts[b] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint c = begin + item; c < end; c += ITEMS) {
		double distance;

		if (NO_PATH(row[c]) || c == r0 + r)
			continue;
		distance = distance_of(row[c], scale, &hops);
		bin_count((uint)(distance * per_width), &few[0], counts);
#if PARTED
		if (hops > 0)
			bin_count(hops >> words[2], &few[1], counts + BINS);
#endif
	}
	few_add(few[0], counts);
#if PARTED
	few_add(few[1], counts + BINS);
#endif
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint b = item; b < (1 + PARTED) * BINS; b += ITEMS)
		if (counts[b] > 0)
			atomic_add(&words[COUNTS_AT + b], counts[b]);
}
