/*
 * The commands that define and delete a profile of a graph.
 */
#ifndef APSP_STORAGE_PROFILES_H
#define APSP_STORAGE_PROFILES_H

#include "daemon/job/profile.h"
#include "storage/database/writer.h"
#include "storage/jobs/job_queue.h"
#include "storage/snapshots/precondition.h"

/*
 * Define a profile of the newest generation, and also of the current generation
 * if the newest generation is pending. Queue the profile's job. If the profile
 * already has this rule, *out refers to the profile's job; if this job failed,
 * it is queued again. `precondition` (NULL: none) and `out` must live until
 * done.fn() is called. The caller ends *out with apsp_put_result_done(). The
 * command reports through `done`: APSP_ENOGRAPH, APSP_EMALFORMED (`profile` is
 * not a valid name), APSP_EDATA (the graph has as many profiles as the queue
 * has places), APSP_ETABLES (the graph's only upload has failed),
 * APSP_EPRECONDITION, APSP_EREVISION, APSP_ERULE (default_rule.h),
 * APSP_EQUEUEFULL, APSP_ENOSPACE, APSP_ESTATEFULL, APSP_EDB.
 */
void apsp_profiles_put(struct apsp_store *store, const char *graph,
	const char *profile, const struct apsp_profile *rule,
	const struct apsp_precondition *precondition,
	struct apsp_put_result *out, struct apsp_done done);

/*
 * Delete a profile. The command reports through `done`: APSP_EDATA (`default`
 * cannot be deleted), APSP_ENOGRAPH, APSP_ENOPROFILE, APSP_EPRECONDITION,
 * APSP_EREVISION, APSP_EDB.
 */
void apsp_profiles_delete(struct apsp_store *store, const char *graph,
	const char *profile, const struct apsp_precondition *precondition,
	struct apsp_done done);

#endif
