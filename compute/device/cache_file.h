/*
 * Files in the directory of compiled kernels. Each holds bytes that are stored
 * under a key. A file begins with its whole key, so that bytes of another key
 * are never used by mistake. Files are written under a temporary name, then
 * renamed.
 */
#ifndef APSP_COMPUTE_DEVICE_CACHE_FILE_H
#define APSP_COMPUTE_DEVICE_CACHE_FILE_H

#include <stddef.h>

enum {
	/* largest number of stored bytes in a file, without its header and
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
