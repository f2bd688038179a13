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
 * Define a profile: its tables are served at once if there are any for the
 * rule, else a job is found or queued. Fills *out but for `created` of a graph.
 */
int apsp_profile_rows_define(struct apsp_transaction *tx,
	const struct apsp_profile_place *place, const struct apsp_profile *rule,
	struct apsp_put_result *out, struct apsp_err *err);

/*
 * Copy a profile whose rule this apspd cannot read from generation `from`, text
 * for text and without a job: another version may read it again.
 */
int apsp_profile_rows_keep(struct apsp_transaction *tx,
	const struct apsp_profile_place *place, uint64_t from,
	struct apsp_err *err);

/*
 * End a transaction in which a client defined profiles: settle, commit.
 * APSP_ENOSPACE: the tables of all queued jobs do not fit the cache's disk.
 * APSP_EQUEUEFULL: as many jobs may not wait.
 */
int apsp_profile_rows_commit(struct apsp_transaction *tx, struct apsp_err *err);

/* A rule's canonical text, and the SHA-256 of that text in hexadecimal. */
void apsp_profile_rows_hash(const struct apsp_profile *rule,
	char out_text[APSP_PROFILE_TEXT_SIZE], char out_hash[APSP_HASH_SIZE]);

#endif
