/*
 * The environment variables of apsp-solve. They are the daemon's own, with
 * four changes: PATH has the linker, because PoCL 3.1 aborts without `ld`;
 * drivers cache below the cache directory, and malloc() asks for large pages,
 * unless a variable says otherwise; what systemd tells the daemon alone is left
 * out.
 */
#ifndef APSP_COMPUTE_WORKER_SOLVER_ENVIRONMENT_H
#define APSP_COMPUTE_WORKER_SOLVER_ENVIRONMENT_H

#include "daemon/base/err.h"

/*
 * NULL-terminated, made from environ; call before there are threads that change
 * environ. The caller ends *out with apsp_solver_environment_free().
 * APSP_ENOMEM.
 */
int apsp_solver_environment_new(
	const char *cache_dir, char ***out, struct apsp_err *err);
void apsp_solver_environment_free(char **env); /* accepts NULL */

#endif
