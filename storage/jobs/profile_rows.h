/*
 * The rows of profiles. Everything here runs inside a transaction on the writer
 * thread and reports APSP_EDB, APSP_ENOSPACE or APSP_ENOMEM besides what is
 * said.
 */
#ifndef APSP_STORAGE_JOBS_PROFILE_ROWS_H
#define APSP_STORAGE_JOBS_PROFILE_ROWS_H

#include "daemon/base/profile.h"
#include "daemon/base/table_file.h"
#include "storage/jobs/job_queue.h"

/*
 * Define a profile, which wishes for the tables of its rule (wishes.h) unless
 * it has them, or a job that makes them. *out_created: it is the first of its
 * name in the generation.
 */
int apsp_profile_rows_define(struct apsp_transaction *tx,
	const struct apsp_profile_place *place, const struct apsp_profile *rule,
	bool *out_created, struct apsp_err *err);

/*
 * Copy a profile whose rule this apspd cannot read from generation `from`, text
 * for text and without a job: another version may read it again.
 */
int apsp_profile_rows_keep(struct apsp_transaction *tx,
	const struct apsp_profile_place *place, uint64_t from,
	struct apsp_err *err);

/*
 * End a transaction in which a client defined the profile at this place, and
 * perhaps others: settle, commit. Fills *out but for `created`; the caller ends
 * it with apsp_put_result_done().
 * APSP_ENOSPACE: the tables of all queued jobs do not fit the cache's disk.
 * APSP_EQUEUEFULL: as many jobs may not wait.
 */
int apsp_profile_rows_commit(struct apsp_transaction *tx,
	const struct apsp_profile_place *place, struct apsp_put_result *out,
	struct apsp_err *err);

#endif
