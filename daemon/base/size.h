/*
 * Sizes in bytes as people write and read them.
 */
#ifndef APSP_DAEMON_BASE_SIZE_H
#define APSP_DAEMON_BASE_SIZE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	APSP_SIZE_TEXT_SIZE = 32,
};

/*
 * Read digits, then K, M, G, T or nothing, by 1024: "16G", "5000". False, and
 * *out untouched: text is anything else, or the size is 2^64 or more.
 */
bool apsp_size_parse(const char *text, uint64_t *out);

/* "69.7 MB": three digits of kB, MB or GB, by thousands. */
void apsp_size_format(uint64_t bytes, char out[APSP_SIZE_TEXT_SIZE]);

/*
 * Format two sizes that a message compares. If three digits would make them
 * look equal, both are written in bytes.
 */
void apsp_sizes_format(uint64_t needed, uint64_t there,
	char out_needed[APSP_SIZE_TEXT_SIZE],
	char out_there[APSP_SIZE_TEXT_SIZE]);

#endif
