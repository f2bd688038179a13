/*
 * Asking for a stop, and the error that a stop causes; see stop.h.
 */
#include "daemon/base/stop.h"

void apsp_stop_ask(struct apsp_stop *stop, enum apsp_stop_reason reason)
{
	int none = APSP_STOP_NONE;

	atomic_compare_exchange_strong(&stop->reason, &none, (int)reason);
}

void apsp_stop_reset(struct apsp_stop *stop)
{
	atomic_store(&stop->reason, APSP_STOP_NONE);
}

int apsp_stop_check(const struct apsp_stop *stop, struct apsp_err *err)
{
	static const char *const messages[] = {
		[APSP_STOP_YIELD] = "interrupted by more urgent work",
		[APSP_STOP_END] = "ended on request",
		[APSP_STOP_CANCEL] = "cancelled on request",
	};
	enum apsp_stop_reason reason = apsp_stop_reason(stop);

	if (reason == APSP_STOP_NONE)
		return 0;
	return apsp_fail(err, APSP_ECANCELLED, "%s", messages[reason]);
}
