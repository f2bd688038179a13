/*
 * Requests to end long work early. Each request has a reason. Any thread or
 * signal handler may make a request. The work has a token, a struct apsp_stop.
 * Between two steps, the work checks the token, and ends with APSP_ECANCELLED
 * if a stop was requested.
 */
#ifndef APSP_DAEMON_BASE_STOP_H
#define APSP_DAEMON_BASE_STOP_H

#include <stdatomic.h>
#include <stddef.h>

#include "daemon/base/err.h"

enum apsp_stop_reason {
	APSP_STOP_NONE,	 /* no stop was requested */
	APSP_STOP_YIELD, /* more urgent work is waiting */
	/* the process or the thread that does the work is ending */
	APSP_STOP_END,
	APSP_STOP_CANCEL, /* nobody needs the result any longer */
};

/*
 * A token, through which work can be asked to stop. A new token is all zeros. A
 * token may have a parent, which is another token: a request to the parent also
 * stops the work of this token.
 */
struct apsp_stop {
	atomic_int reason;		/* a value of enum apsp_stop_reason */
	const struct apsp_stop *parent; /* another token, borrowed; NULL:
					   none */
};

/*
 * Return the reason why work with this token must end: the reason in the token
 * or, if it has none, the reason in its parent. APSP_STOP_NONE: the work goes
 * on. Work without a token (NULL) always goes on. Any thread may call this.
 */
static inline enum apsp_stop_reason apsp_stop_reason(
	const struct apsp_stop *stop)
{
	int reason = APSP_STOP_NONE;

	for (; stop && reason == APSP_STOP_NONE; stop = stop->parent)
		reason = atomic_load(&stop->reason);
	return (enum apsp_stop_reason)reason;
}

/* Ask for a stop. If a stop was asked for before, the first reason stays. Any
   thread or signal handler may call this. */
void apsp_stop_ask(struct apsp_stop *stop, enum apsp_stop_reason reason);

/* Withdraw the request, so that other work can use the token. A request to the
   token's parent remains. */
void apsp_stop_reset(struct apsp_stop *stop);

/* Check whether the work must end. Returns 0 if the work goes on.
   APSP_ECANCELLED: a stop was asked for; the message has the reason. */
int apsp_stop_check(const struct apsp_stop *stop, struct apsp_err *err);

#endif
