/*
 * Sizes in bytes; see size.h.
 */
#include "daemon/base/size.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void apsp_size_format(uint64_t bytes, char out[APSP_SIZE_TEXT_SIZE])
{
	static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
	double value = (double)bytes / 1e3;
	size_t unit = 0;

	if (bytes == UINT64_MAX) {
		snprintf(out, APSP_SIZE_TEXT_SIZE, "more than 2^64 bytes");
		return;
	}
	/* three digits of a larger value would be "1e+03" */
	for (; value >= 999.5; unit++)
		value /= 1e3;
	snprintf(out, APSP_SIZE_TEXT_SIZE, "%.3g %s", value, units[unit]);
}

void apsp_sizes_format(uint64_t needed, uint64_t there,
	char out_needed[APSP_SIZE_TEXT_SIZE],
	char out_there[APSP_SIZE_TEXT_SIZE])
{
	apsp_size_format(needed, out_needed);
	apsp_size_format(there, out_there);
	if (strcmp(out_needed, out_there) != 0)
		return;
	snprintf(out_needed, APSP_SIZE_TEXT_SIZE, "%" PRIu64 " bytes", needed);
	snprintf(out_there, APSP_SIZE_TEXT_SIZE, "%" PRIu64 " bytes", there);
}
