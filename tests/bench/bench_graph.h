/*
 * The graphs of benchmarks, each named by a word of the command line:
 *
 *	N                  dense, N² arcs
 *	complete:N         the same, lengths up to 1,000,000
 *	half:N             the same, each pair an arc with chance 1/2
 *	metric:N           dense, distances of points in a square
 *	sparse:N:DEGREE    DEGREE arcs from each vertex to random vertices
 *	real:N:DEGREE      the same, weights are reals from 1 to 2
 *	dag:N:DEGREE       the same, each arc to a vertex of higher index
 *	rmat:SCALE:DEGREE  2^SCALE vertices, degrees by a power law
 *	pairs:SCALE:DEGREE the same, with an arc of the same length back
 *	grid:SIDE          a grid of SIDE² vertices like streets, both ways
 *	lift:K:FILE        a random lift of an edge file, with K copies
 *	anything else      an edge file: "from,to,weight" or DIMACS "a u v w"
 *
 * Every word but N may end in a transform (@hops, @inv or @lognorm), or in
 * @widest for path=widest. Weights are integers, from 1 to 100 unless the table
 * says otherwise, and are the same in every run. In a metric graph every arc is
 * a shortest path. A lift has K copies of each vertex of its file. It has K
 * copies of each arc, too: one from each copy of the tail, to the copies of the
 * head by a random permutation. Degrees and weights stay, so lift:46 of the
 * larva is as large as a fly's brain and alike in kind: 138,598 vertices and
 * 5,117,178 arcs.
 */
#ifndef APSP_TESTS_BENCH_BENCH_GRAPH_H
#define APSP_TESTS_BENCH_BENCH_GRAPH_H

#include <stdio.h>

#include "compute/solve/prepared_graph.h"

struct graph_fixture;

struct bench_graph {
	struct apsp_prepared_graph prepared; /* without closure */
	/* parts that apsp_problem_…() did not make */
	struct graph_fixture *fixture;
};

/*
 * Make the graph and convert it to the width of *element; APSP_ELEMENT_NONE:
 * the first width that the solver would try. An unknown word ends the program.
 */
void bench_graph_make(
	const char *word, enum apsp_element *element, struct bench_graph *out);
void bench_graph_done(struct bench_graph *graph);

/*
 * Write the graph of a word, which may not be N, as a graph file
 * (daemon/job/graph_file.h). The file's profile asks for `algorithm`, unless
 * this is "".
 */
void bench_graph_write(
	const char *word, const char *algorithm, const char *path);

/* Print the arcs of a word's graph as lines "from,to,weight". */
void bench_graph_print(const char *word, FILE *out);

/*
 * End the program with a message if row `vertex` of V differs from Dijkstra's.
 */
void bench_graph_check(const struct bench_graph *graph,
	enum apsp_element element, uint32_t vertex, const void *row);

#endif
