/*
 * The environment of apsp-solve: the daemon's own, with a PATH that has the
 * linker (PoCL 3.1 aborts without `ld`), with the drivers' caches below the
 * cache directory unless they are set, and without what systemd meant for the
 * daemon alone.
 */
#ifndef APSP_COMPUTE_SOLVER_ENV_H
#define APSP_COMPUTE_SOLVER_ENV_H

#include "daemon/base/err.h"

/*
 * NULL-terminated, made from environ; call it before there are threads that
 * change that. The caller ends *out with apsp_solver_env_free(). APSP_ENOMEM.
 */
int apsp_solver_env_new(
	const char *cache_dir, char ***out, struct apsp_err *err);
void apsp_solver_env_free(char **env); /* accepts NULL */

#endif
