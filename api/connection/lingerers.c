/*
 * Sockets of refused clients; see lingerers.h.
 */
#include "api/connection/lingerers.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/base/clock.h"

enum {
	LINGER_MS = 2000,
};

void apsp_lingerers_init(struct apsp_lingerers *lingerers)
{
	memset(lingerers, 0, sizeof(*lingerers));
	pthread_mutex_init(&lingerers->lock, NULL);
}

void apsp_lingerers_add(struct apsp_lingerers *lingerers, int fd)
{
	if (lingerers->n == APSP_LINGERERS_MAX) {
		close(lingerers->items[0].fd); /* the oldest */
		memmove(lingerers->items, lingerers->items + 1,
			(APSP_LINGERERS_MAX - 1) * sizeof(*lingerers->items));
		lingerers->n--;
	}
	lingerers->items[lingerers->n++] = (struct apsp_lingerer){
		fd, apsp_clock_ns() + (int64_t)LINGER_MS * 1000000};
}

void apsp_lingerers_bring(struct apsp_lingerers *lingerers, int fd)
{
	bool room;

	pthread_mutex_lock(&lingerers->lock);
	room = lingerers->n_arrivals < APSP_LINGERERS_MAX;
	if (room)
		lingerers->arrivals[lingerers->n_arrivals++] = fd;
	pthread_mutex_unlock(&lingerers->lock);
	if (!room)
		close(fd);
}

static void take_arrivals(struct apsp_lingerers *lingerers)
{
	int arrivals[APSP_LINGERERS_MAX];
	size_t n;

	pthread_mutex_lock(&lingerers->lock);
	n = lingerers->n_arrivals;
	memcpy(arrivals, lingerers->arrivals, n * sizeof(*arrivals));
	lingerers->n_arrivals = 0;
	pthread_mutex_unlock(&lingerers->lock);
	for (size_t i = 0; i < n; i++)
		apsp_lingerers_add(lingerers, arrivals[i]);
}

void apsp_lingerers_done(struct apsp_lingerers *lingerers)
{
	take_arrivals(lingerers);
	for (size_t i = 0; i < lingerers->n; i++)
		close(lingerers->items[i].fd);
	lingerers->n = 0;
	pthread_mutex_destroy(&lingerers->lock);
}

nfds_t apsp_lingerers_poll(
	const struct apsp_lingerers *lingerers, struct pollfd *out)
{
	for (size_t i = 0; i < lingerers->n; i++)
		out[i] = (struct pollfd){lingerers->items[i].fd, POLLIN, 0};
	return lingerers->n;
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

void apsp_lingerers_tend(struct apsp_lingerers *lingerers, int64_t now_ns)
{
	size_t kept = 0;

	take_arrivals(lingerers);
	for (size_t i = 0; i < lingerers->n; i++) {
		struct apsp_lingerer lingerer = lingerers->items[i];

		if (lingerer.until_ns > now_ns && drop_input(lingerer.fd))
			lingerers->items[kept++] = lingerer;
		else
			close(lingerer.fd);
	}
	lingerers->n = kept;
}
