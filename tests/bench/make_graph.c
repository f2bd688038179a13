/*
 * Write a benchmark's graph as a graph file.
 *
 *	make_graph WORD PATH [ALGORITHM]
 *
 * WORD is one of bench_graph.h. The job of the file asks for ALGORITHM; without
 * it, the solver chooses. If PATH is -, the arcs are printed instead, as lines
 * "from,to,weight".
 */
#include <stdio.h>
#include <string.h>

#include "tests/bench/bench_graph.h"

int main(int argc, char **argv)
{
	if (argc < 3 || argc > 4)
		return 2;
	if (strcmp(argv[2], "-") == 0)
		bench_graph_print(argv[1], stdout);
	else
		bench_graph_write(argv[1], argc > 3 ? argv[3] : "", argv[2]);
	return 0;
}
