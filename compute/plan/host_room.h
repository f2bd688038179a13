/* The host memory that this process is allowed to use: all memory of the
   machine, or less if control groups limit the process. Each call reads /proc
   and /sys. */
#ifndef APSP_COMPUTE_PLAN_HOST_ROOM_H
#define APSP_COMPUTE_PLAN_HOST_ROOM_H

#include <stdint.h>

/* Return the bytes that this process could use if no other process used
   memory; UINT64_MAX: not known. */
uint64_t apsp_host_room_total(void);

/*
 * Return the bytes that this process can use now, including the bytes that it
 * already holds; UINT64_MAX: not known.
 */
uint64_t apsp_host_room_now(void);

/*
 * Return the number of bytes of freed memory that a solver is allowed to keep
 * (compute/solve/heap.h). The number is a small share of all memory. The solver
 * returns all other freed memory to Linux.
 */
uint64_t apsp_host_room_kept(void);

/* Return how much memory a job is allowed to use. `bytes` is a result of
   apsp_host_room_total() or apsp_host_room_now(). The result is less by
   apsp_host_room_kept(), the freed memory that the solver keeps. UINT64_MAX:
   not known. */
uint64_t apsp_host_room_for_job(uint64_t bytes);

/* Return the bytes that this process holds; 0: not known. Cached pages of files
   are not counted. */
uint64_t apsp_host_room_held(void);

/* A control group can have a memory limit, and so can the groups that contain
   it (control_group.h). Return the lowest of all these limits. UINT64_MAX: none
   of the groups has a limit. */
uint64_t apsp_host_room_group_total(const char *root, const char *group);
/*
 * Return the bytes that the processes of a control group can still use without
 * exceeding the limits of this group and of the groups that contain it.
 * UINT64_MAX: no group has a limit. Pages of cached files (such as a table that
 * was just written) count as free, because the kernel drops them when memory is
 * needed.
 */
uint64_t apsp_host_room_group_now(const char *root, const char *group);

#endif
