/*
 * Tell the service manager our state by sd_notify(3)'s protocol: one datagram
 * to the socket that NOTIFY_SOCKET names.
 */
#ifndef APSP_DAEMON_NOTIFY_H
#define APSP_DAEMON_NOTIFY_H

#include <stdint.h>

#include "daemon/base/err.h"

/*
 * Send state ("READY=1\nSTATUS=…"); do nothing without NOTIFY_SOCKET. Never
 * blocks. APSP_EIO: sending failed, or the variable names no socket.
 */
int apsp_notify_send(const char *state, struct apsp_err *err);

/*
 * The longest time in microseconds that the manager waits for the next
 * WATCHDOG=1. 0: it wants none (WATCHDOG_USEC is not set or meant for another
 * process).
 */
uint64_t apsp_notify_watchdog_us(void);

#endif
