/*
 * What If-Match and If-None-Match ask of a graph before it is changed.
 */
#ifndef APSP_STORAGE_SNAPSHOTS_PRECONDITION_H
#define APSP_STORAGE_SNAPSHOTS_PRECONDITION_H

#include <stdbool.h>

#include "daemon/base/err.h"

struct apsp_graph_snapshot;

struct apsp_precondition {
	bool must_not_exist;  /* If-None-Match: * */
	bool must_exist;      /* If-Match: * */
	const char *if_match; /* revision of the newest upload; NULL: any */
};

/*
 * Check wanted (NULL: nothing is asked) against the graph's snapshot (NULL:
 * there is no graph of that name). APSP_EPRECONDITION.
 */
int apsp_precondition_check(const struct apsp_graph_snapshot *snapshot,
	const char *name, const struct apsp_precondition *wanted,
	struct apsp_err *err);

#endif
