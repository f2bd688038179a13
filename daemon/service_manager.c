/*
 * Sends datagrams to the service manager; see service_manager.h.
 *
 * If T is the time in WATCHDOG_USEC, beat_ms is T/8, tick_ms is T/4 and
 * limit_ms is T/2. A thread's sign of life may be late on a busy machine. Such
 * a delay is not mistaken for a hang, because limit_ms is four times beat_ms. A
 * thread that does hang is found within limit_ms + tick_ms, which is 3/4 T.
 */
#include "daemon/service_manager.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/base/auto.h"
#include "daemon/base/log.h"

int apsp_service_manager_send(const char *state, struct apsp_err *err)
{
	APSP_AUTO(apsp_close) int fd = -1;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const char *name = getenv("NOTIFY_SOCKET");
	size_t size = name ? strlen(name) : 0;

	if (size == 0)
		return 0;
	if ((*name != '/' && *name != '@') || size >= sizeof(address.sun_path))
		return apsp_fail(err, APSP_EIO,
			"NOTIFY_SOCKET='%.100s' names no socket", name);
	memcpy(address.sun_path, name, size);
	/* the name of an abstract socket begins with a NUL and has no NUL at
	   its end */
	if (*name == '@')
		address.sun_path[0] = '\0';
	else
		size++;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return apsp_fail_errno(err, errno, "make a socket");
	if (sendto(fd, state, strlen(state), MSG_NOSIGNAL | MSG_DONTWAIT,
		    (const struct sockaddr *)&address,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
				size)) < 0)
		return apsp_fail_errno(
			err, errno, "notify the service manager");
	return 0;
}

void apsp_watchdog_init(struct apsp_watchdog *watchdog)
{
	const char *interval_us = getenv("WATCHDOG_USEC");
	const char *pid = getenv("WATCHDOG_PID");
	uint64_t ms = 0;

	if (interval_us && (!pid || strtoimax(pid, NULL, 10) == getpid()))
		ms = strtoull(interval_us, NULL, 10) / 1000;
	*watchdog = (struct apsp_watchdog){0};
	if (ms == 0)
		return;
	if (ms > INT_MAX)
		ms = INT_MAX;
	watchdog->beat_ms = ms < 8 ? 1 : (int)(ms / 8);
	watchdog->tick_ms = ms < 4 ? 1 : (int)(ms / 4);
	watchdog->limit_ms = (int64_t)(ms / 2);
}

void apsp_watchdog_tick(struct apsp_watchdog *watchdog,
	int (*alive)(void *ctx, int64_t limit_ms, struct apsp_err *err),
	void *ctx)
{
	struct apsp_err err;

	if (alive(ctx, watchdog->limit_ms, &err) < 0) {
		if (!watchdog->silent)
			apsp_log(APSP_LOG_WARNING,
				"%s; WATCHDOG=1 is not sent until it shows one",
				err.message);
		watchdog->silent = true;
		return;
	}
	if (watchdog->silent)
		apsp_log(APSP_LOG_NOTICE,
			"all threads show signs of life again");
	watchdog->silent = false;
	if (apsp_service_manager_send("WATCHDOG=1", &err) < 0)
		apsp_log(APSP_LOG_WARNING, "%s", err.message);
}
