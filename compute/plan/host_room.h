/*
 * How much memory this process may use: the machine's, or the least that a
 * control group around it leaves. /proc and /sys are read at each call.
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
 * Bytes that a control group may hold, as it and the groups around it say in
 * their directories (control_group.h): with nothing else running, and now.
 * UINT64_MAX: no group has a limit. Cached files count as left, because the
 * kernel drops them for whoever needs memory: a table that was just written is
 * cached.
 */
uint64_t apsp_host_room_group_total(const char *root, const char *group);
uint64_t apsp_host_room_group_now(const char *root, const char *group);

#endif
