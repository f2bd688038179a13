/*
 * How much memory this process may use: the machine's, or that of the control
 * group which confines it.
 */
#ifndef APSP_COMPUTE_PLAN_HOST_ROOM_H
#define APSP_COMPUTE_PLAN_HOST_ROOM_H

#include <stdint.h>

/* In bytes, with nothing else running; UINT64_MAX: not known. */
uint64_t apsp_host_room_total(void);

/*
 * In bytes, now, with what this process already holds; UINT64_MAX: not known.
 */
uint64_t apsp_host_room_now(void);

/* In bytes, what this process holds beside files; 0: not known. */
uint64_t apsp_host_room_held(void);

/*
 * Bytes that are left in the control group (version 2) whose directory this is;
 * UINT64_MAX: it has no limit. Cached files count as left, because the kernel
 * drops them for whoever needs memory: a table that was just written is cached.
 */
uint64_t apsp_host_room_group(const char *group);

#endif
