/*
 * Sets and removes environment variables; see solver_environment.h.
 */
#include "compute/solve/solver_environment.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

void apsp_solver_environment_set(const char *cache_dir)
{
	static const struct {
		const char *name, *below;
	} caches[] = {
		{"POCL_CACHE_DIR", "pocl-kernels"},
		{"XDG_CACHE_HOME", "xdg"},
		{"CUDA_CACHE_PATH", "cuda"},
	};
	static const char *const removed[] = {
		"NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC"};
	const char *path = getenv("PATH");
	char *text;

	for (size_t i = 0; cache_dir && i < sizeof(caches) / sizeof(*caches);
		i++) {
		if (asprintf(&text, "%s/%s", cache_dir, caches[i].below) < 0)
			return;
		setenv(caches[i].name, text, 0);
		free(text);
	}
	for (size_t i = 0; i < sizeof(removed) / sizeof(*removed); i++)
		unsetenv(removed[i]);
	if (asprintf(&text, "%s:/usr/bin:/bin",
		    path && *path ? path : "/usr/local/bin") < 0)
		return;
	setenv("PATH", text, 1);
	free(text);
}
