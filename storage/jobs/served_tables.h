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

/* Have the commit rebuild the snapshot of each graph that has a profile with
   the rule of (revision, hash), or a profile whose tables were computed by that
   rule. */
int apsp_served_tables_touch(struct apsp_transaction *tx, const char *revision,
	const char *hash, struct apsp_err *err);

/* Called when the tables of (revision, hash) exist: let every profile with the
   rule of (revision, hash) use the tables, and end the queued jobs for these
   tables as succeeded. */
int apsp_served_tables_gain(struct apsp_transaction *tx, const char *revision,
	const char *hash, struct apsp_err *err);

/*
 * Called when the tables `id` of (revision, hash) are absent or damaged: remove
 * their row and count the tables as damaged. Profiles that need them have a
 * wish again (generations.h). The queue's limit does not apply to the jobs that
 * grant these wishes, because no client asked for them.
 */
int apsp_served_tables_lose(struct apsp_transaction *tx, uint64_t id,
	const char *revision, const char *hash, struct apsp_err *err);

#endif
