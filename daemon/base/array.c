/*
 * Arrays that grow; see array.h.
 */
#include "daemon/base/array.h"

#include <stdlib.h>
#include <string.h>

enum {
	LARGE_BYTES = 64 << 20, /* memory of this size or more grows only by a
				   quarter, so that little memory is unused */
};

int apsp_array_reserve(void *array, size_t wanted, size_t *size,
	const struct apsp_array_growth *growth, struct apsp_err *err)
{
	const size_t old_bytes = *size * growth->element;
	size_t larger = *size ? *size : growth->first, bytes;
	void *old, *new;
	int r;

	if (wanted <= *size)
		return 0;
	while (larger < wanted)
		larger += larger < LARGE_BYTES / growth->element ? larger
								 : larger / 4;
	bytes = larger * growth->element;
	r = apsp_share_grow(
		growth->share, bytes - old_bytes, growth->purpose, err);
	if (r < 0)
		return r;
	/*
	 * Use malloc() and copy instead of realloc(). An HTTP thread allocates
	 * the array's first block, and another thread fills the array.
	 * realloc() would keep the array in the heap of the HTTP thread, which
	 * then could not allocate memory while the kernel grows the heap for
	 * the other thread. Waits of hundreds of milliseconds were measured.
	 */
	new = malloc(bytes);
	if (!new) {
		apsp_share_shrink(growth->share, bytes - old_bytes);
		return apsp_fail(
			err, APSP_ENOMEM, "no memory for %s", growth->purpose);
	}
	memcpy(&old, array, sizeof(old));
	if (old_bytes > 0)
		memcpy(new, old, old_bytes);
	free(old);
	memcpy(array, &new, sizeof(new));
	*size = larger;
	return 0;
}
