/*
 * Telling the service manager how we are: sd_notify(3)'s protocol, which is one
 * datagram to the socket that NOTIFY_SOCKET names.
 */
#ifndef APSP_DAEMON_NOTIFY_H
#define APSP_DAEMON_NOTIFY_H

#include <stdint.h>

#include "daemon/base/err.h"

/*
 * Send state ("READY=1\nSTATUS=…"). Does nothing without NOTIFY_SOCKET. Never
 * blocks. APSP_EIO: it cannot be sent, or the variable names no socket.
 */
int apsp_notify_send(const char *state, struct apsp_err *err);

/*
 * How often the manager wants WATCHDOG=1 at least, in microseconds; 0: not at
 * all (WATCHDOG_USEC is not set, or meant for another process).
 */
uint64_t apsp_notify_watchdog_us(void);

#endif
