/*
 * Files of the kernels' directory: bytes under a key. A file begins with its
 * whole key, so one of another key is never read for this one's. Files are
 * written under another name and renamed.
 */
#ifndef APSP_COMPUTE_DEVICE_CACHE_FILE_H
#define APSP_COMPUTE_DEVICE_CACHE_FILE_H

#include <stddef.h>

enum {
	APSP_CACHE_FILE_MAX = 64 << 20, /* bytes under a key */
};

/* Returns the bytes (owned), or NULL: missing, damaged or of another key. */
unsigned char *apsp_cache_file_load(
	const char *path, const char *key, size_t *out_size);

/* A file that cannot be written is left out: all that it holds can be made
   again. */
void apsp_cache_file_save(const char *path, const char *key,
	const unsigned char *bytes, size_t size);

#endif
