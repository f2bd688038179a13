/*
 * The names of the algorithms, apart from their table: the daemon shows them,
 * and must not be linked with OpenCL for it (design.md, decision 1).
 */
#include "compute/solve.h"

#include <stddef.h>

const char *const apsp_algorithm_names[] = {
	"blocked-fw",
	"bf-dense-reduce",
	"bf-dense-transposed",
	"bf-dense-vertex",
	"bf-edges",
	"bfs-levels",
	"fw",
	"minplus-squaring",
	"multi-source",
	"reference",
	"streamed-fw",
	"closure-order",
	"closure-squaring",
	"closure-warshall",
	NULL,
};

const char *const apsp_algorithm_hops_only[] = {
	"bfs-levels",
	NULL,
};
