/*
 * How fast a client reads its answer or sends its body: its bytes for each
 * second in which we waited for it. Our own time does not count. Bytes and
 * seconds older than 5 s of waiting are forgotten, so a client that stops is
 * slow within seconds (api/connection/README.md, The slowest yields).
 *
 * The connection's thread and the pool's write it, never both at once; any
 * thread reads it.
 */
#ifndef APSP_API_CONNECTION_PACE_H
#define APSP_API_CONNECTION_PACE_H

#include <stdint.h>

struct apsp_pace {
	_Atomic int64_t
		since_ns; /* since when we wait for the client; 0: we do not */
	_Atomic int64_t waited_ns; /* before that */
	_Atomic int64_t
		bytes; /* bytes that the client read or sent in this time */
	_Atomic uint32_t stated_rate; /* bytes a second */
};

/*
 * A request begins: forget what was measured; we do not wait for the client.
 * Bytes count up to twice the stated rate for 5 s.
 */
void apsp_pace_reset(struct apsp_pace *pace, uint32_t stated_rate);

/* We wait for the client from now on. */
void apsp_pace_wait(struct apsp_pace *pace, int64_t now_ns);

/* The client has read or sent so many bytes, and we do not wait for it any
   more. */
void apsp_pace_moved(struct apsp_pace *pace, uint64_t bytes, int64_t now_ns);

/*
 * Bytes a second. INT64_MAX: we do not wait for the client, or have waited for
 * less than least_wait_ns.
 */
int64_t apsp_pace_rate(
	const struct apsp_pace *pace, int64_t now_ns, int64_t least_wait_ns);

#endif
