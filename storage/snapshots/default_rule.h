/*
 * The rule of the profile `default`, by which a graph answers clients that name
 * no profile. An upload or a new definition changes it only with the client's
 * consent.
 */
#ifndef APSP_STORAGE_SNAPSHOTS_DEFAULT_RULE_H
#define APSP_STORAGE_SNAPSHOTS_DEFAULT_RULE_H

#include "daemon/base/err.h"
#include "daemon/base/profile.h"
#include "storage/snapshots/graph_snapshot.h"
#include "storage/snapshots/precondition.h"

/*
 * The rule that an upload keeps if it says none: the newest definition of
 * `default`, unless its job failed or was cancelled and tables of an earlier
 * definition are served; then that one. Borrowed. NULL: it cannot be read.
 */
const struct apsp_profile *apsp_default_rule(
	const struct apsp_graph_snapshot *snapshot);

/*
 * Whether `default` may be defined as said. snapshot NULL: there is no graph.
 * APSP_ERULE: `default` has answered, said gives arcs other lengths than its
 * rule does, and wanted (NULL: nothing is asked) does not replace it.
 */
int apsp_default_rule_check(const struct apsp_graph_snapshot *snapshot,
	const struct apsp_profile *said, const struct apsp_precondition *wanted,
	struct apsp_err *err);

#endif
