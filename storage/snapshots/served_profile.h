/*
 * Finds the profile whose tables answer a question. If none answer, it reports
 * the reason, and the job for which the client may wait.
 */
#ifndef APSP_STORAGE_SNAPSHOTS_SERVED_PROFILE_H
#define APSP_STORAGE_SNAPSHOTS_SERVED_PROFILE_H

#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/snapshots/graph_snapshot.h"

/* Check that a generation has this revision. APSP_EREVISION: it has another
   revision. */
int apsp_generation_check_revision(const struct apsp_generation *generation,
	const char *revision, struct apsp_err *err);

/*
 * Find the profile whose tables answer questions, and its generation; both are
 * borrowed. APSP_ENOPROFILE. APSP_ENOTREADY: the tables are being computed by
 * the job *out_job; or their file cannot be opened at present, and *out_job is
 * unchanged. APSP_ETABLES: the job *out_job, which should have made the tables,
 * failed or was cancelled. APSP_EROW: the profile has no tables, and its rule
 * cannot be read.
 */
int apsp_graph_snapshot_tables(const struct apsp_graph_snapshot *snapshot,
	const char *profile, const struct apsp_generation **out_generation,
	const struct apsp_profile_snapshot **out_profile, uint64_t *out_job,
	struct apsp_err *err);

/*
 * Check that a profile answers questions from this revision and by its newest
 * rule. APSP_EREVISION: no upload of the graph has this revision. Also fails as
 * apsp_graph_snapshot_tables().
 */
int apsp_graph_snapshot_serves(const struct apsp_graph_snapshot *snapshot,
	const char *revision, const char *profile, uint64_t *out_job,
	struct apsp_err *err);

#endif
