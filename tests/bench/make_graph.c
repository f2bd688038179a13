/*
 * Write a benchmark's graph as a graph file.
 *
 *	make_graph WORD PATH
 *
 * WORD is one of bench_graph.h. If PATH is -, the arcs are printed instead, as
 * lines "from,to,weight".
 */
#include <stdio.h>
#include <string.h>

#include "tests/bench/bench_graph.h"

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	if (strcmp(argv[2], "-") == 0)
		bench_graph_print(argv[1], stdout);
	else
		bench_graph_write(argv[1], argv[2]);
	return 0;
}
