/*
 * Formatting sizes in bytes for messages.
 */
#ifndef APSP_DAEMON_BASE_SIZE_H
#define APSP_DAEMON_BASE_SIZE_H

#include <stdint.h>

enum {
	APSP_SIZE_TEXT_SIZE = 32,
};

/* Format a size with three digits and a decimal unit (kB to EB): "69.7 MB". */
void apsp_size_format(uint64_t bytes, char out[APSP_SIZE_TEXT_SIZE]);

/*
 * Format two sizes for a message that compares them. If the two texts would be
 * equal with three digits, both sizes are written in bytes.
 */
void apsp_sizes_format(uint64_t needed, uint64_t there,
	char out_needed[APSP_SIZE_TEXT_SIZE],
	char out_there[APSP_SIZE_TEXT_SIZE]);

#endif
