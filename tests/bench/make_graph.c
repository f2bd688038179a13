/*
 * Write a benchmark's graph as a graph file.
 *
 *	make_graph WORD PATH
 *
 * WORD is one of bench_graph.h.
 */
#include "tests/bench/bench_graph.h"

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	bench_graph_write(argv[1], argv[2]);
	return 0;
}
