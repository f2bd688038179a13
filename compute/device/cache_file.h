/*
 * Reads and writes files in the directory of compiled kernels. Each file stores
 * bytes under a key. A file begins with the whole key, so that the bytes of one
 * key are never used for another key. A file is written under a temporary name
 * and then renamed.
 */
#ifndef APSP_COMPUTE_DEVICE_CACHE_FILE_H
#define APSP_COMPUTE_DEVICE_CACHE_FILE_H

#include <stddef.h>

enum {
	/* largest number of stored bytes in a file, not counting its header and
	   key */
	APSP_CACHE_FILE_MAX = 64 << 20,
};

/*
 * Load the bytes that are stored under the key; the caller frees them. NULL:
 * the file is missing or damaged, or has another key.
 */
unsigned char *apsp_cache_file_load(
	const char *path, const char *key, size_t *out_size);

/* Write the bytes and their key. Failures are ignored, because the bytes can be
   made again. */
void apsp_cache_file_save(const char *path, const char *key,
	const unsigned char *bytes, size_t size);

#endif
