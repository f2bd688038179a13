/*
 * How much memory this machine, or the group that this process is confined to,
 * has for us.
 */
#ifndef APSP_COMPUTE_HOST_ROOM_H
#define APSP_COMPUTE_HOST_ROOM_H

#include <stdint.h>

/* All that there could be, in bytes; UINT64_MAX: not known. */
uint64_t apsp_host_room_total(void);

/*
 * What this process may use by now, what it holds already included; UINT64_MAX:
 * not known.
 */
uint64_t apsp_host_room_now(void);

#endif
