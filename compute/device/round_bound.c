/*
 * Checks the number of rounds of a loop; see round_bound.h.
 */
#include "compute/device/round_bound.h"

int apsp_round_bound_check(const struct apsp_device *device, const char *what,
	uint64_t changed, uint64_t last, struct apsp_err *err)
{
	if (changed <= last)
		return 0;
	return apsp_fail(err, APSP_EPROOF,
		"'%s' reports that round %llu of %s changed a value, but no "
		"round after %llu can: its memory holds other values than "
		"were written",
		device->info.name, (unsigned long long)changed, what,
		(unsigned long long)last);
}
