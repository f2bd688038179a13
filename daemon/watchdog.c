/*
 * Eight beats, four ticks and two limits make the manager's time: a thread that
 * is late by one turn of a busy machine ends nothing, and one that hangs is
 * found within three quarters of that time.
 */
#include "daemon/watchdog.h"

#include <limits.h>

#include "daemon/base/log.h"
#include "daemon/notify.h"

void apsp_watchdog_init(struct apsp_watchdog *watchdog)
{
	uint64_t ms = apsp_notify_watchdog_us() / 1000;

	*watchdog = (struct apsp_watchdog){0};
	if (ms == 0)
		return;
	if (ms > INT_MAX)
		ms = INT_MAX;
	watchdog->beat_ms = ms < 8 ? 1 : (int)(ms / 8);
	watchdog->tick_ms = ms < 4 ? 1 : (int)(ms / 4);
	watchdog->limit_ms = (int64_t)(ms / 2);
}

void apsp_watchdog_tick(struct apsp_watchdog *watchdog,
	int (*alive)(void *ctx, int64_t limit_ms, struct apsp_err *err),
	void *ctx)
{
	struct apsp_err err;

	if (alive(ctx, watchdog->limit_ms, &err) < 0) {
		if (!watchdog->silent)
			apsp_log(APSP_LOG_WARNING,
				"%s: the service manager hears nothing from us "
				"until it does",
				err.message);
		watchdog->silent = true;
		return;
	}
	if (watchdog->silent)
		apsp_log(APSP_LOG_NOTICE,
			"all threads show signs of life again");
	watchdog->silent = false;
	if (apsp_notify_send("WATCHDOG=1", &err) < 0)
		apsp_log(APSP_LOG_WARNING, "%s", err.message);
}
