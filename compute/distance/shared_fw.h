/*
 * The algorithm `blocked-fw` for several processes that compute the distance
 * matrix V together. Each process has a part of V, which is a range of tile
 * rows (struct apsp_task_group).
 */
#ifndef APSP_COMPUTE_DISTANCE_SHARED_FW_H
#define APSP_COMPUTE_DISTANCE_SHARED_FW_H

#include "compute/device/panels.h"
#include "compute/distance/task.h"
#include "compute/progress.h"
#include "daemon/base/err.h"

/*
 * Fill the panels with this process's part of the distance matrix V.
 * Collective: all processes of the group call this function. It blocks. It
 * returns 0 in all processes, or in none of them. A positive result means that
 * another process has failed. APSP_ECANCELLED; APSP_EDEVICE; APSP_ELIMIT;
 * APSP_ENOMEM.
 */
int apsp_shared_fw_run(const struct apsp_task_group *group,
	struct apsp_panels *panels, struct apsp_progress *progress,
	struct apsp_err *err);

#endif
