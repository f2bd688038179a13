/*
 * Variables kept, dropped and added; see solver_environment.h.
 */
#include "compute/worker/solver_environment.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/auto.h"

/* Unless environ has the name; values may lie below the cache directory. */
static const struct {
	const char *name;
	const char *below;
	const char *value;
} defaults[] = {
	{"POCL_CACHE_DIR", .below = "pocl-kernels"},
	{"XDG_CACHE_HOME", .below = "xdg"},
	{"CUDA_CACHE_PATH", .below = "cuda"},
	/* large arrays ask for pages of 2 MiB (compute/worker/README.md, A
	   child owns the device) */
	{"GLIBC_TUNABLES", .value = "glibc.malloc.hugetlb=1"},
};

enum {
	N_DEFAULTS = sizeof(defaults) / sizeof(*defaults),
};

static const char *const dropped[] = {
	"PATH", /* made anew */
	"LISTEN_FDS",
	"LISTEN_PID",
	"LISTEN_FDNAMES",
	"NOTIFY_SOCKET",
	"WATCHDOG_PID",
	"WATCHDOG_USEC",
};

static bool is_named(const char *setting, const char *name)
{
	size_t size = strlen(name);

	return strncmp(setting, name, size) == 0 && setting[size] == '=';
}

static bool is_dropped(const char *setting)
{
	for (size_t i = 0; i < sizeof(dropped) / sizeof(*dropped); i++)
		if (is_named(setting, dropped[i]))
			return true;
	return false;
}

static bool path_has(const char *path, const char *dir)
{
	size_t size = strlen(dir);

	for (const char *at = path; at; at = strchr(at, ':')) {
		if (*at == ':')
			at++;
		if (strncmp(at, dir, size) == 0 &&
			(at[size] == ':' || !at[size]))
			return true;
	}
	return false;
}

static char *path_new(void)
{
	const char *path = getenv("PATH");
	char *out;

	if (!path || !*path)
		path = "/usr/local/bin";
	if (asprintf(&out, "PATH=%s%s%s", path,
		    path_has(path, "/usr/bin") ? "" : ":/usr/bin",
		    path_has(path, "/bin") ? "" : ":/bin") < 0)
		return NULL;
	return out;
}

static char *default_new(const char *cache_dir, size_t i)
{
	const char *name = defaults[i].name, *below = defaults[i].below;
	char *out;
	int size = below ? asprintf(&out, "%s=%s/%s", name, cache_dir, below)
			 : asprintf(&out, "%s=%s", name, defaults[i].value);

	return size < 0 ? NULL : out;
}

void apsp_solver_environment_free(char **env)
{
	for (char **at = env; at && *at; at++)
		free(*at);
	free(env);
}

APSP_AUTO_DEFINE(env_end, char *, apsp_solver_environment_free);

int apsp_solver_environment_new(
	const char *cache_dir, char ***out, struct apsp_err *err)
{
	APSP_AUTO(env_end) char **env = NULL;
	size_t n = 0, used = 0;

	while (environ[n])
		n++;
	env = calloc(n + N_DEFAULTS + 2, sizeof(*env));
	if (!env)
		return apsp_fail(err, APSP_ENOMEM, "no memory for the solver");
	for (size_t i = 0; i < n + N_DEFAULTS + 1; i++) {
		char *setting;

		if (i < n && is_dropped(environ[i]))
			continue;
		if (i < n)
			setting = strdup(environ[i]);
		else if (i == n)
			setting = path_new();
		else if (getenv(defaults[i - n - 1].name))
			continue;
		else
			setting = default_new(cache_dir, i - n - 1);
		if (!setting)
			return apsp_fail(
				err, APSP_ENOMEM, "no memory for the solver");
		env[used++] = setting;
	}
	*out = APSP_TAKE(env);
	return 0;
}
