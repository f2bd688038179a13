/*
 * The memory that this process may use: the machine's memory, or less if
 * control groups limit it. Each call reads /proc and /sys.
 */
#ifndef APSP_COMPUTE_PLAN_HOST_ROOM_H
#define APSP_COMPUTE_PLAN_HOST_ROOM_H

#include <stdint.h>

/* Bytes that this process may use if nothing else runs; UINT64_MAX: not known.
 */
uint64_t apsp_host_room_total(void);

/*
 * Bytes that this process may use now, including those that it already holds;
 * UINT64_MAX: not known.
 */
uint64_t apsp_host_room_now(void);

/* Bytes that this process holds, without pages of files; 0: not known. */
uint64_t apsp_host_room_held(void);

/*
 * Bytes that a control group may hold, by the limits of the group and of the
 * groups around it (control_group.h): if nothing else runs, and now.
 * UINT64_MAX: no group has a limit. Cached files count as free, because the
 * kernel drops them when memory is needed: a table that was just written is
 * cached.
 */
uint64_t apsp_host_room_group_total(const char *root, const char *group);
uint64_t apsp_host_room_group_now(const char *root, const char *group);

#endif
