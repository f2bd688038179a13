/*
 * Datagrams to the service manager; see notify.h.
 */
#include "daemon/notify.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/base/auto.h"

int apsp_notify_send(const char *state, struct apsp_err *err)
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
	if (*name == '@')
		address.sun_path[0] = '\0'; /* an abstract name has no NUL */
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

uint64_t apsp_notify_watchdog_us(void)
{
	const char *interval = getenv("WATCHDOG_USEC");
	const char *pid = getenv("WATCHDOG_PID");

	if (!interval || (pid && strtoimax(pid, NULL, 10) != getpid()))
		return 0;
	return strtoull(interval, NULL, 10);
}
