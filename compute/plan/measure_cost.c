/* The cost of betweenness; see measure_cost.h. For every source, the
   computation of betweenness sorts the vertices and reads each arc that can be
   the last arc of a shortest path. The seconds below were measured on one core
   of 2.5 GHz. */
#include "compute/plan/measure_cost.h"

#include "compute/parallel.h"

/* Seconds of betweenness for each arc and each source on one core, measured by
   tests/bench/betweenness.py on larva. */
#define ARC_S 1.5e-9
/* Seconds of betweenness for each pair of vertices on one core, measured by
   tests/bench/betweenness.py on larva. */
#define PAIR_S 20e-9
/*
 * For each source, the computation of betweenness reads all arcs that can be
 * the last arc of a shortest path. A plan refuses betweenness if it would read
 * more than ARCS_MOST arcs. This number of reads takes two days on 64 cores
 * that each read 10^9 arcs in a second.
 */
#define ARCS_MOST 1e16

enum {
	BATCH_ROWS = 8, /* a batch has this number of sources for each thread */
	/* Bytes of an arc: its tail, its length, and a byte that says whether
	   it can be the last arc of a shortest path. */
	ARC_BYTES = 4 + 8 + 1,
	/* Bytes of a vertex in the memory that all threads share: the
	   betweenness of the vertex, the lists of struct apsp_tie_arcs, and the
	   data with which shares of paths are proved (share_proof.c). */
	VERTEX_BYTES = 8 + 8 + 4 + 4 + 8 + 8 + 16 + 16 + 8 + 4,
	/* Bytes of a vertex in the memory of each thread: a distance, a sum of
	   lengths, the number of shortest paths as a factor and an exponent,
	   two orders of vertices, keys for sorting, and bits of arcs. */
	THREAD_VERTEX_BYTES = 8 + 8 + 8 + 4 + 4 + 4 + 32 + 8,
	THREAD_ARC_BITS = 1,
	/* bytes of a vertex for each source of a batch: a distance and a share
	   of the shortest paths */
	BATCH_VERTEX_BYTES = 8 + 8,
};

uint32_t apsp_betweenness_batch(uint32_t n_vertices)
{
	uint32_t rows = BATCH_ROWS * apsp_parallel_processors();

	return rows < n_vertices ? rows : n_vertices;
}

double apsp_measure_seconds(const struct apsp_workload *work, double arcs)
{
	double n = (double)work->n_vertices;

	if (!work->betweenness)
		return 0;
	return work->reachable * n * (arcs * ARC_S + n * PAIR_S) /
	       apsp_parallel_processors();
}

uint64_t apsp_measure_bytes(const struct apsp_workload *work)
{
	uint64_t width = apsp_parallel_processors(), n = work->n_vertices;
	uint64_t arcs = work->n_arcs * ARC_BYTES;
	uint64_t marks = (work->n_arcs / 8 + 1) * THREAD_ARC_BITS * width;
	uint64_t vertices =
		n * (VERTEX_BYTES +
			    width * (THREAD_VERTEX_BYTES +
					    BATCH_ROWS * BATCH_VERTEX_BYTES));

	if (!work->betweenness)
		return 0;
	return arcs + marks + vertices;
}

const char *apsp_measure_unfit(const struct apsp_workload *work, double arcs)
{
	return work->betweenness && (double)work->n_vertices * arcs > ARCS_MOST
		       ? "betweenness of so many vertices and arcs would take "
			 "weeks; leave out 'measures'"
		       : NULL;
}
