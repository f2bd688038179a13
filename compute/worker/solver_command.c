/*
 * apsp-solve's arguments; see solver_command.h.
 */
#include "compute/worker/solver_command.h"

#include <inttypes.h>
#include <stdio.h>

/*
 * apsp-solve [OPTION] --device D --cache-dir C [--device-memory N] [--room N]
 * [--stay S] [DIR]
 */
void apsp_solver_command_write(const char *path,
	const struct apsp_settings *settings,
	const struct apsp_solver_errand *errand,
	struct apsp_solver_command *out)
{
	const char **arg = out->argv;

	*arg++ = path;
	if (errand->option)
		*arg++ = errand->option;
	*arg++ = "--device";
	*arg++ = settings->device;
	*arg++ = "--cache-dir";
	*arg++ = settings->cache_dir;
	if (settings->device_memory > 0) {
		snprintf(out->memory, sizeof(out->memory), "%" PRIu64,
			settings->device_memory);
		*arg++ = "--device-memory";
		*arg++ = out->memory;
	}
	if (errand->room_bytes > 0) {
		snprintf(out->room, sizeof(out->room), "%" PRIu64,
			errand->room_bytes);
		*arg++ = "--room";
		*arg++ = out->room;
	}
	if (errand->stays) {
		snprintf(out->stay, sizeof(out->stay), "%u",
			settings->solver_idle);
		*arg++ = "--stay";
		*arg++ = out->stay;
	}
	if (errand->job_dir)
		*arg++ = errand->job_dir;
	*arg = NULL;
}
