/*
 * Arrays that grow while they are filled.
 */
#ifndef APSP_DAEMON_BASE_ARRAY_H
#define APSP_DAEMON_BASE_ARRAY_H

#include <stddef.h>

#include "daemon/base/budget.h"
#include "daemon/base/err.h"

struct apsp_array_growth {
	size_t element; /* size of one element in bytes */
	/* number of elements for which the first allocation has memory */
	size_t first;
	/* the purpose of the array's memory, for messages: "a search" */
	const char *purpose;
	/* the share of a budget (budget.h) to which the array's memory is
	   added; NULL: no budget counts the array's memory */
	struct apsp_share *share;
};

/*
 * If an array has memory for fewer than `wanted` elements, enlarge the memory
 * until it is sufficient: memory below 64 MiB is doubled, and larger memory
 * grows by a quarter. `array` is the address of the pointer to the first
 * element; *size is the number of elements for which the array has memory: 0
 * before the first call. New elements are not initialized. The caller frees the
 * array and returns its bytes to the share.
 *
 * Returns 0; then *array and *size are set. On failure *array and *size are
 * unchanged. APSP_ENOMEM; errors of apsp_share_grow().
 */
int apsp_array_reserve(void *array, size_t wanted, size_t *size,
	const struct apsp_array_growth *growth, struct apsp_err *err);

#endif
