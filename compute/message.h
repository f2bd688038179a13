/*
 * Messages that one process of a group sends to another process
 * (compute/group). The sender puts values into a message one after the other,
 * and the receiver gets them in the same order. Values are sent as they are in
 * memory, so both processes must run the same build of the program.
 */
#ifndef APSP_COMPUTE_MESSAGE_H
#define APSP_COMPUTE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

struct apsp_message {
	unsigned char *bytes; /* owned */
	size_t size;	      /* number of bytes in the message */
	size_t room;	      /* number of bytes that are allocated */
	/* true: apsp_message_put() found no memory for a value, or
	   apsp_message_get() found that the message had already ended */
	bool failed;
	size_t at; /* index of the byte that apsp_message_get() reads next */
};

void apsp_message_done(struct apsp_message *message);

/* Append `size` bytes to the message, and return the address of these bytes.
   The caller must fill them before the message changes again. If there is no
   memory, return NULL and set message->failed. */
void *apsp_message_extend(struct apsp_message *message, size_t size);

/* Return the address of the next `size` bytes of the message, and skip them. If
   the message has fewer bytes left, return NULL and set message->failed. */
const void *apsp_message_next(struct apsp_message *message, size_t size);

/* Append `size` bytes at `data` to the message. If there is no memory,
   message->failed becomes true. */
void apsp_message_put(
	struct apsp_message *message, const void *data, size_t size);

/* Copy the next `size` bytes of the message to `out`. If the message has fewer
   bytes left, fill `out` with zeros and set message->failed. */
void apsp_message_get(struct apsp_message *message, void *out, size_t size);

#endif
