/*
 * Lingering close: sockets of refused clients that may still be sending. Our
 * half is shut down, and we read and drop what comes for a while before we
 * close. An immediate close with unread bytes would make the kernel send a
 * reset, which may overtake the refusal.
 *
 * Only the accept loop's thread uses it.
 */
#ifndef APSP_API_CONNECTION_LINGERING_CLOSE_H
#define APSP_API_CONNECTION_LINGERING_CLOSE_H

#include <poll.h>
#include <stddef.h>
#include <stdint.h>

enum {
	APSP_LINGERING_MAX = 64, /* past it, the oldest is closed */
};

/* Zero is none. */
struct apsp_lingering {
	int fds[APSP_LINGERING_MAX]; /* owned */
	int64_t until_ns[APSP_LINGERING_MAX];
	size_t n;
};

/* Take over a socket whose sending half is shut down. */
void apsp_lingering_add(struct apsp_lingering *lingering, int fd);

/* Fill at most APSP_LINGERING_MAX entries for poll(2); returns how many. */
nfds_t apsp_lingering_poll(
	const struct apsp_lingering *lingering, struct pollfd *out);

/*
 * Read and drop what clients have sent. Close the sockets whose client has
 * closed, or whose time is up; INT64_MAX as the time closes all.
 */
void apsp_lingering_tend(struct apsp_lingering *lingering, int64_t now_ns);

#endif
