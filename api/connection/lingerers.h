/*
 * Lingerers: refused clients that may still be sending. Their sockets are read
 * on for a while before they are closed, because a close with unread bytes
 * makes the kernel send a reset, which may overtake the refusal.
 *
 * One thread tends them; others bring it sockets under a lock of its own, and
 * what clients send is dropped without a lock.
 */
#ifndef APSP_API_CONNECTION_LINGERERS_H
#define APSP_API_CONNECTION_LINGERERS_H

#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

enum {
	APSP_LINGERERS_MAX = 64, /* past it, the oldest is closed */
};

struct apsp_lingerer {
	int fd; /* owned */
	int64_t until_ns;
};

struct apsp_lingerers {
	pthread_mutex_t lock; /* of what was brought, and of nothing else */
	int arrivals[APSP_LINGERERS_MAX];
	size_t n_arrivals;
	/* What follows is the tending thread's own. */
	struct apsp_lingerer items[APSP_LINGERERS_MAX];
	size_t n;
};

void apsp_lingerers_init(struct apsp_lingerers *lingerers);

/* Close all; by the tending thread, or when it has ended. */
void apsp_lingerers_done(struct apsp_lingerers *lingerers);

/* Take a socket over. On the tending thread. */
void apsp_lingerers_add(struct apsp_lingerers *lingerers, int fd);

/*
 * Take a socket over from another thread, which then wakes the tending one.
 * Where too many have been brought since that looked, the socket is closed at
 * once.
 */
void apsp_lingerers_bring(struct apsp_lingerers *lingerers, int fd);

/* Fill at most APSP_LINGERERS_MAX entries for poll(2); returns how many. */
nfds_t apsp_lingerers_poll(
	const struct apsp_lingerers *lingerers, struct pollfd *out);

/*
 * Take in what was brought, read and drop what clients have sent, and close the
 * sockets of those that have ended or whose time is up.
 */
void apsp_lingerers_tend(struct apsp_lingerers *lingerers, int64_t now_ns);

#endif
