/*
 * Bytes that one process of a group sends to another (compute/group): values
 * are put one after the other, and got in the same order. The processes are
 * builds of the same program for the same kind of processor.
 */
#ifndef APSP_COMPUTE_MESSAGE_H
#define APSP_COMPUTE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

struct apsp_message {
	unsigned char *bytes; /* owned */
	size_t size;	      /* number of bytes in the message */
	size_t room;	      /* number of bytes that are allocated */
	bool failed; /* a value is missing: no memory, or the message ended */
	size_t at;   /* the byte that is got next */
};

void apsp_message_done(struct apsp_message *message);

/* Append `size` bytes. */
void apsp_message_put(
	struct apsp_message *message, const void *data, size_t size);

/* Copy the next `size` bytes to `out`. If the message has fewer, fill `out`
   with zeros. */
void apsp_message_get(struct apsp_message *message, void *out, size_t size);

#endif
