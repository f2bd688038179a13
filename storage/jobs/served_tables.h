/*
 * Which tables the profiles serve. Everything here runs inside a transaction on
 * the writer thread and reports APSP_EDB, APSP_ENOSPACE or APSP_ENOMEM.
 */
#ifndef APSP_STORAGE_JOBS_SERVED_TABLES_H
#define APSP_STORAGE_JOBS_SERVED_TABLES_H

#include <stdint.h>

#include "daemon/base/err.h"

struct apsp_transaction;

/* Touch the graphs of all profiles that define or serve this rule. */
int apsp_served_tables_touch(struct apsp_transaction *tx, const char *revision,
	const char *hash, struct apsp_err *err);

/*
 * The tables of (revision, hash) are there: serve them from every profile with
 * that rule, and end the queued jobs for the same tables as succeeded.
 */
int apsp_served_tables_gain(struct apsp_transaction *tx, const char *revision,
	const char *hash, struct apsp_err *err);

/*
 * The tables id of (revision, hash) are gone or damaged: forget them, have the
 * profiles that want them wish for them (wishes.h), and count them among the
 * damaged. No client asked for these jobs, so nobody checks the queue's bound.
 */
int apsp_served_tables_lose(struct apsp_transaction *tx, uint64_t id,
	const char *revision, const char *hash, struct apsp_err *err);

#endif
