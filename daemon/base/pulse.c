/*
 * Recording and checking signs of life; see pulse.h.
 */
#include "daemon/base/pulse.h"

#include <inttypes.h>

#include "daemon/base/clock.h"

void apsp_pulse_init(struct apsp_pulse *pulse, const char *name, int period_ms)
{
	pulse->name = name;
	pulse->period_ms = period_ms;
	atomic_init(&pulse->alive_ms, apsp_clock_ms());
}

void apsp_pulse_allow(struct apsp_pulse *pulse, int64_t ms)
{
	if (pulse->period_ms > 0)
		atomic_store_explicit(&pulse->alive_ms, apsp_clock_ms() + ms,
			memory_order_relaxed);
}

void apsp_pulse_beat(struct apsp_pulse *pulse)
{
	apsp_pulse_allow(pulse, 0);
}

int apsp_pulse_nap_ms(const struct apsp_pulse *pulse, int timeout_ms)
{
	if (pulse->period_ms == 0 ||
		(timeout_ms >= 0 && timeout_ms < pulse->period_ms))
		return timeout_ms;
	return pulse->period_ms;
}

int apsp_pulse_check(
	const struct apsp_pulse *pulse, int64_t limit_ms, struct apsp_err *err)
{
	int64_t silent_ms =
		apsp_clock_ms() -
		atomic_load_explicit(&pulse->alive_ms, memory_order_relaxed);

	if (silent_ms <= limit_ms)
		return 0;
	return apsp_fail(err, APSP_ESTALLED,
		"the %s has shown no sign of life for %" PRId64 " ms",
		pulse->name, silent_ms);
}
