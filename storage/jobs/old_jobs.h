/*
 * Records of jobs that have ended: the newest are kept.
 */
#ifndef APSP_STORAGE_JOBS_OLD_JOBS_H
#define APSP_STORAGE_JOBS_OLD_JOBS_H

#include "daemon/base/err.h"

struct sqlite3;

enum {
	APSP_OLD_JOBS_KEPT = 10000,
};

/*
 * Remove the records of ended jobs but the newest APSP_OLD_JOBS_KEPT, and those
 * that a profile shows. On the writer thread. APSP_EDB.
 */
int apsp_old_jobs_remove(struct sqlite3 *db, struct apsp_err *err);

#endif
