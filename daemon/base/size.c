/*
 * Sizes in bytes; see size.h.
 */
#include "daemon/base/size.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void apsp_size_format(uint64_t bytes, char out[APSP_SIZE_TEXT_SIZE])
{
	if (bytes == UINT64_MAX)
		snprintf(out, APSP_SIZE_TEXT_SIZE, "more than 2^64 bytes");
	else if (bytes < 1000000)
		snprintf(out, APSP_SIZE_TEXT_SIZE, "%.3g kB",
			(double)bytes / 1e3);
	else if (bytes < 1000000000)
		snprintf(out, APSP_SIZE_TEXT_SIZE, "%.3g MB",
			(double)bytes / 1e6);
	else
		snprintf(out, APSP_SIZE_TEXT_SIZE, "%.3g GB",
			(double)bytes / 1e9);
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
