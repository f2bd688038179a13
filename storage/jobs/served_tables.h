/*
 * Records which tables each profile uses to answer requests. All functions run
 * inside a transaction on the writer thread, and report APSP_EDB, APSP_ENOSPACE
 * or APSP_ENOMEM.
 */
#ifndef APSP_STORAGE_JOBS_SERVED_TABLES_H
#define APSP_STORAGE_JOBS_SERVED_TABLES_H

#include <stdint.h>

#include "daemon/base/err.h"

struct apsp_transaction;

/* Make the commit rebuild the snapshots of all graphs that these tables
   concern. Such a graph has an upload with the revision `revision`. A profile
   of this upload has the rule with the hash `hash`, or uses tables that were
   computed by that rule. */
int apsp_served_tables_touch(struct apsp_transaction *tx, const char *revision,
	const char *hash, struct apsp_err *err);

/* Called when new tables exist. They were computed from the upload with the
   revision `revision`, by the rule with the hash `hash`. Lets every profile
   that needs these tables use them. Ends the queued jobs for these tables as
   succeeded. */
int apsp_served_tables_gain(struct apsp_transaction *tx, const char *revision,
	const char *hash, struct apsp_err *err);

/*
 * Called when the tables `id` are absent or damaged. They were computed from
 * the upload with the revision `revision`, by the rule with the hash `hash`.
 * Removes the row of the tables and counts them as damaged. After that,
 * apsp_generations_settle() queues new jobs for the profiles that need these
 * tables. The queue's limit does not apply to these jobs, because no client
 * asked for them.
 */
int apsp_served_tables_lose(struct apsp_transaction *tx, uint64_t id,
	const char *revision, const char *hash, struct apsp_err *err);

#endif
