/*
 * Sockets of refused clients; see lingering_close.h.
 */
#include "api/connection/lingering_close.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/base/clock.h"

enum {
	LINGER_MS = 2000,
};

/* Close the socket at an index; the others keep their order. */
static void close_at(struct apsp_lingering *lingering, size_t at)
{
	close(lingering->fds[at]);
	lingering->n--;
	for (size_t i = at; i < lingering->n; i++) {
		lingering->fds[i] = lingering->fds[i + 1];
		lingering->until_ns[i] = lingering->until_ns[i + 1];
	}
}

void apsp_lingering_add(struct apsp_lingering *lingering, int fd)
{
	if (lingering->n == APSP_LINGERING_MAX)
		close_at(lingering, 0);
	lingering->fds[lingering->n] = fd;
	lingering->until_ns[lingering->n++] =
		apsp_clock_ns() + (int64_t)LINGER_MS * 1000000;
}

nfds_t apsp_lingering_poll(
	const struct apsp_lingering *lingering, struct pollfd *out)
{
	for (size_t i = 0; i < lingering->n; i++)
		out[i] = (struct pollfd){lingering->fds[i], POLLIN, 0};
	return lingering->n;
}

/* Read and drop what was sent; false at the end of file. */
static bool drop_input(int fd)
{
	char buffer[16384];

	for (int i = 0; i < 16; i++) {
		ssize_t n = recv(fd, buffer, sizeof(buffer), MSG_DONTWAIT);

		if (n < 0)
			return errno == EAGAIN || errno == EINTR;
		if (n == 0)
			return false;
	}
	return true;
}

void apsp_lingering_tend(struct apsp_lingering *lingering, int64_t now_ns)
{
	for (size_t i = lingering->n; i-- > 0;) {
		if (lingering->until_ns[i] <= now_ns ||
			!drop_input(lingering->fds[i]))
			close_at(lingering, i);
	}
}
