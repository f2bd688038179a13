/*
 * What apsp_graphs_put() shares with the other commands on graphs.
 */
#ifndef APSP_STORAGE_GRAPH_PUT_H
#define APSP_STORAGE_GRAPH_PUT_H

#include "storage/graphs.h"

/*
 * Whether a graph allows a change; view is NULL where there is none of that
 * name, wanted is NULL where nothing is asked. APSP_EPRECONDITION.
 */
int apsp_precondition_check(const struct apsp_graph_view *view,
	const char *name, const struct apsp_precondition *wanted,
	struct apsp_err *err);

#endif
