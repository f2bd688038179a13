/*
 * The environment variables of apsp-solve, for drivers and the compilers that
 * they start. PATH has the linker, because PoCL 3.1 aborts without `ld`.
 * Drivers keep their caches below our cache directory, unless a variable names
 * another place. The daemon's service manager is not for drivers, so its
 * variables are removed.
 */
#ifndef APSP_COMPUTE_SOLVE_SOLVER_ENVIRONMENT_H
#define APSP_COMPUTE_SOLVE_SOLVER_ENVIRONMENT_H

/* Call it while the process has one thread, before a driver is loaded.
   cache_dir NULL: none was given, and drivers keep their own places. */
void apsp_solver_environment_set(const char *cache_dir);

#endif
