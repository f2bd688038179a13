/*
 * How fast a client takes its answer or sends its body: the bytes of each
 * second in which we waited for it. The time that we need ourselves does not
 * count, and a burst is soon forgotten, so that a client which stops is slow
 * within seconds (api/connection/README.md, The slowest yields).
 *
 * The connection's thread and the pool's write it, never both at once; any
 * thread reads it.
 */
#ifndef APSP_API_CONNECTION_PACE_H
#define APSP_API_CONNECTION_PACE_H

#include <stdint.h>

struct apsp_pace {
	_Atomic int64_t since_ns;  /* we wait for the client; 0: we do not */
	_Atomic int64_t waited_ns; /* before that */
	_Atomic int64_t bytes;	   /* that it moved in this time … */
	int64_t max_bytes;	   /* … and no more than these */
};

/*
 * A request begins: nothing is known, and we do not wait. A burst counts as if
 * the client had kept twice the stated rate (bytes a second) for a window.
 */
void apsp_pace_reset(struct apsp_pace *pace, uint32_t stated_rate);

/* It is the client's turn. */
void apsp_pace_wait(struct apsp_pace *pace, int64_t now_ns);

/* The client has moved so many bytes, and it is our turn. */
void apsp_pace_moved(struct apsp_pace *pace, uint64_t bytes, int64_t now_ns);

/*
 * Bytes a second. INT64_MAX: it is our turn, or we have waited for less than a
 * second.
 */
int64_t apsp_pace_rate(const struct apsp_pace *pace, int64_t now_ns);

#endif
