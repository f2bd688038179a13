/*
 * The queue of jobs, as start-up needs it too.
 */
#ifndef APSP_STORAGE_JOB_QUEUE_H
#define APSP_STORAGE_JOB_QUEUE_H

#include "storage/change.h"

/*
 * Queue the jobs that are recorded as running again, or fail those that have
 * had APSP_JOB_TRIES: their worker is gone, or could not record their end.
 */
int apsp_job_queue_revive(struct apsp_change *change, struct apsp_err *err);

#endif
