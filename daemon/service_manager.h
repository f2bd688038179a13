/*
 * Messages to the service manager, by the protocol of sd_notify(3). Each
 * message is a datagram to the socket that the variable NOTIFY_SOCKET names.
 * The message WATCHDOG=1 is sent as long as all watched threads
 * (daemon/base/pulse.h) show signs of life (daemon/README.md, The watchdog asks
 * every loop).
 */
#ifndef APSP_DAEMON_SERVICE_MANAGER_H
#define APSP_DAEMON_SERVICE_MANAGER_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"

/*
 * Send a message like "READY=1\nSTATUS=…". If NOTIFY_SOCKET is not set, do
 * nothing. Never blocks. APSP_EIO: sending failed, or NOTIFY_SOCKET does not
 * contain the name of a socket.
 */
int apsp_service_manager_send(const char *state, struct apsp_err *err);

/* The times of the watchdog. All times are 0 if the service manager does not
   expect WATCHDOG=1. */
struct apsp_watchdog {
	int beat_ms; /* longest sleep of a watched thread, which shows a sign of
			life after each sleep */
	int tick_ms; /* interval at which apsp_watchdog_tick() must be called */
	/* a thread that is silent for more than limit_ms is assumed to hang */
	int64_t limit_ms;
	/* the last call of apsp_watchdog_tick() sent nothing */
	bool silent;
};

/* Compute the times from the variable WATCHDOG_USEC. Ignore the variable if
   WATCHDOG_PID names another process. */
void apsp_watchdog_init(struct apsp_watchdog *watchdog);

/*
 * Call alive(ctx, limit_ms, err), which returns 0 if all threads are alive. If
 * it returns 0, send WATCHDOG=1; otherwise send nothing. When calls begin to
 * send nothing, the first of these calls logs a warning. When calls send
 * WATCHDOG=1 again, the first of these calls logs a notice.
 */
void apsp_watchdog_tick(struct apsp_watchdog *watchdog,
	int (*alive)(void *ctx, int64_t limit_ms, struct apsp_err *err),
	void *ctx);

#endif
