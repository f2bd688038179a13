/*
 * The rule of the profile `default`. Requests that name no profile use this
 * profile, so an upload or a new definition changes its rule only with the
 * client's consent.
 */
#ifndef APSP_STORAGE_SNAPSHOTS_DEFAULT_RULE_H
#define APSP_STORAGE_SNAPSHOTS_DEFAULT_RULE_H

#include "daemon/base/err.h"
#include "daemon/job/profile.h"
#include "storage/snapshots/graph_snapshot.h"
#include "storage/snapshots/precondition.h"

/*
 * Return the rule of `default` that stays in force after an upload that gives
 * no rule. Usually this is the newest definition of `default`. If the newest
 * definition cannot be read, or its job failed or was cancelled, it is the
 * earlier definition whose tables are in use, if there are such tables.
 * Borrowed. NULL: no rule can be read.
 */
const struct apsp_profile *apsp_default_rule(
	const struct apsp_graph_snapshot *snapshot);

/* Return the rule of the profile `default` of one upload: its standing rule
   (apsp_profile_standing_rule()) or, if it has none, its newest rule. Borrowed.
   NULL: no rule can be read. */
const struct apsp_profile *apsp_generation_default_rule(
	const struct apsp_generation *generation);

/*
 * Check that a request is allowed to define `default` by the rule `said`.
 * Clients may have had answers that depend on the present rule, so its lengths
 * are changed only if the request consents. APSP_ERULE: `said` gives other
 * lengths than the present rule, and the request does not consent. `snapshot`
 * is NULL if the graph does not exist; `wanted` is NULL if the request has no
 * conditions.
 */
int apsp_default_rule_check(const struct apsp_graph_snapshot *snapshot,
	const struct apsp_profile *said, const struct apsp_precondition *wanted,
	struct apsp_err *err);

/*
 * Check that `kept` (NULL: no rule), from which an upload has copied options,
 * is still the rule of `default`. `snapshot` is NULL if the graph does not
 * exist. APSP_ECANCELLED: the graph has another rule by now, or does not exist.
 */
int apsp_default_rule_check_kept(const struct apsp_graph_snapshot *snapshot,
	const struct apsp_profile *kept, struct apsp_err *err);

#endif
