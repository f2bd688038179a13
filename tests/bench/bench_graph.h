/*
 * The graphs that benchmarks of compute run on, by a word of the command line:
 *
 *	N                  dense, N² arcs
 *	complete:N         the same, lengths to 1,000,000
 *	sparse:N:DEGREE    DEGREE arcs to anywhere from each vertex
 *	dag:N:DEGREE       the same, each arc from the lower index to the higher
 *	rmat:SCALE:DEGREE  2^SCALE vertices, degrees by a power law
 *	pairs:SCALE:DEGREE the same, each arc leading back at the same length
 *	grid:SIDE          a road-like grid of SIDE² vertices, both ways
 *	anything else      an edge file: "from,to,weight" or DIMACS "a u v w"
 *
 * All but N may end in @hops or @inv: the transform. Weights are integers, 1 to
 * 100 where nothing else is said, and the same in every run.
 */
#ifndef APSP_TESTS_BENCH_BENCH_GRAPH_H
#define APSP_TESTS_BENCH_BENCH_GRAPH_H

#include "compute/solve/prepared_graph.h"

struct graph_fixture;

struct bench_graph {
	struct apsp_prepared_graph prepared; /* without closure */
	/* what of it was not made by apsp_problem_…() */
	struct graph_fixture *fixture;
};

/*
 * Make the graph and bring it to the width of *element; APSP_ELEMENT_NONE picks
 * the first that the solver would try. A wrong word ends the program.
 */
void bench_graph_make(
	const char *word, enum apsp_element *element, struct bench_graph *out);
void bench_graph_done(struct bench_graph *graph);

/* Write the graph of any word but N as a graph file (daemon/base/graph_file.h).
 */
void bench_graph_write(const char *word, const char *path);

/* Say so and end the program if row `vertex` of V is not Dijkstra's. */
void bench_graph_check(const struct bench_graph *graph,
	enum apsp_element element, uint32_t vertex, const void *row);

#endif
