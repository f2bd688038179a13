/*
 * Preconditions; see precondition.h.
 */
#include "storage/snapshots/precondition.h"

#include <string.h>

#include "storage/snapshots/graph_snapshot.h"

int apsp_precondition_check(const struct apsp_graph_snapshot *snapshot,
	const char *name, const struct apsp_precondition *wanted,
	struct apsp_err *err)
{
	const struct apsp_generation *newest =
		snapshot ? apsp_graph_snapshot_newest(snapshot) : NULL;

	if (!wanted)
		return 0;
	if (wanted->must_not_exist && newest)
		return apsp_fail(err, APSP_EPRECONDITION,
			"the graph '%s' exists already", name);
	if ((wanted->must_exist || wanted->if_match) && !newest)
		return apsp_fail(err, APSP_EPRECONDITION,
			"there is no graph '%s'", name);
	if (wanted->if_match && strcmp(wanted->if_match, newest->revision) != 0)
		return apsp_fail(err, APSP_EPRECONDITION,
			"the graph '%s' is at revision %.16s… by now", name,
			newest->revision);
	return 0;
}
