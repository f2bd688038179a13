/*
 * Counts what all processes of a group have done; see group_progress.h.
 */
#include "compute/solve/group_progress.h"

#include "compute/group/group.h"

/* Called as the member advance() of struct apsp_progress. */
static bool advance(void *ctx, double share, double *out_all)
{
	struct apsp_group_progress *group = ctx;
	bool goes_on = apsp_group_advance(share);

	/* only rank 0 reports to the daemon, so only rank 0 needs the share of
	   all processes */
	*out_all = apsp_group_rank() > 0 ? share
					 : apsp_group_advanced(&group->steps);
	return goes_on;
}

/* Called while rank 0 waits. Report the progress again if some process has
   advanced since the last call. Otherwise report nothing, so that the daemon
   ends a group in which no process advances for too long. */
static void waits(void *ctx)
{
	struct apsp_group_progress *group = ctx;
	uint64_t steps;

	apsp_group_advanced(&steps);
	if (steps != group->steps)
		apsp_progress_again(group->progress);
}

void apsp_group_progress_begin(
	struct apsp_progress *progress, struct apsp_group_progress *out)
{
	*out = (struct apsp_group_progress){.progress = progress};
	if (apsp_group_size() == 1)
		return;
	/* set this process's share of the rows to 0, and wait until all
	   processes have done so; until then, shares of the previous job
	   count */
	apsp_group_advance(0);
	apsp_group_least(0);
	progress->advance = advance;
	progress->ctx = out;
	apsp_group_on_wait(waits, out);
}

void apsp_group_progress_end(struct apsp_group_progress *group)
{
	group->progress->advance = NULL;
	apsp_group_on_wait(NULL, NULL);
}
