/*
 * The environment variables that drivers and their compilers read in
 * apsp-solve. PATH is extended by the directory of the linker, because PoCL 3.1
 * aborts without `ld`. Drivers keep their caches in a part of our cache
 * directory, unless a variable names another place. The variables by which a
 * service sends messages to its service manager are removed, so that no driver
 * sends messages in the daemon's name.
 */
#ifndef APSP_COMPUTE_SOLVE_SOLVER_ENVIRONMENT_H
#define APSP_COMPUTE_SOLVE_SOLVER_ENVIRONMENT_H

/* Set and remove the variables. Call this before a driver is loaded, and while
   the process has only one thread. If cache_dir is NULL, drivers keep their
   caches in their usual places. */
void apsp_solver_environment_set(const char *cache_dir);

#endif
