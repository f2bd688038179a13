/*
 * The pace of a client: how many bytes per second the client reads while we
 * send an answer, or sends while we read a body. Only the time in which we wait
 * for the client counts. The time of our own work does not count. Only the last
 * 5 s of waiting count, so a client that stops counts as slow within seconds
 * (api/connection/README.md, The slowest yields).
 *
 * The connection's thread and the pool's thread write a pace, but never both at
 * once. Any thread may read the pace.
 */
#ifndef APSP_API_CONNECTION_PACE_H
#define APSP_API_CONNECTION_PACE_H

#include <stdint.h>

struct apsp_pace {
	_Atomic int64_t since_ns;  /* time at which the present wait for the
				      client began; 0: we do not wait */
	_Atomic int64_t waited_ns; /* sum of the waits before the present one,
				      at most 5 s */
	_Atomic int64_t bytes;	   /* bytes that the client read or sent during
				      `waited_ns` */
	uint32_t stated_rate; /* a client whose pace is below this many bytes a
				 second counts as slow; set when the connection
				 is accepted */
};

/*
 * Begin a new measurement, because a request begins. A measurement counts at
 * most 10 s · stated_rate bytes. So a client that is fast at first and then
 * silent soon counts as slow.
 */
void apsp_pace_reset(struct apsp_pace *pace);

/* Record that we wait for the client from now on. */
void apsp_pace_wait(struct apsp_pace *pace, int64_t now_ns);

/*
 * Record that the client has read or sent `bytes` bytes, and that we no longer
 * wait for the client.
 */
void apsp_pace_moved(struct apsp_pace *pace, uint64_t bytes, int64_t now_ns);

/*
 * Returns the pace in bytes a second, or INT64_MAX if we do not wait for the
 * client or have waited for less than least_wait_ns.
 */
int64_t apsp_pace_rate(
	const struct apsp_pace *pace, int64_t now_ns, int64_t least_wait_ns);

#endif
