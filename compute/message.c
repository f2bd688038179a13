/*
 * Puts values into messages and gets them back; see message.h.
 */
#include "compute/message.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	FIRST_ROOM = 1 << 16, /* bytes */
};

void apsp_message_done(struct apsp_message *message)
{
	free(message->bytes);
	*message = (struct apsp_message){.bytes = NULL};
}

void *apsp_message_extend(struct apsp_message *message, size_t size)
{
	size_t room = message->room > 0 ? message->room : FIRST_ROOM;
	unsigned char *bytes;

	if (message->failed)
		return NULL;
	/* if more than SIZE_MAX / 2 bytes are needed, the loop ends early, and
	   realloc() fails */
	while (room - message->size < size && room <= SIZE_MAX / 2)
		room *= 2;
	if (room > message->room) {
		bytes = realloc(message->bytes, room);
		if (!bytes) {
			message->failed = true;
			return NULL;
		}
		message->bytes = bytes;
		message->room = room;
	}
	message->size += size;
	return message->bytes + message->size - size;
}

const void *apsp_message_next(struct apsp_message *message, size_t size)
{
	if (message->failed || message->size - message->at < size) {
		message->failed = true;
		return NULL;
	}
	message->at += size;
	return message->bytes + message->at - size;
}

void apsp_message_put(
	struct apsp_message *message, const void *data, size_t size)
{
	void *to = apsp_message_extend(message, size);

	if (to && size > 0)
		memcpy(to, data, size);
}

void apsp_message_get(struct apsp_message *message, void *out, size_t size)
{
	const void *from = apsp_message_next(message, size);

	if (!from)
		memset(out, 0, size);
	else if (size > 0)
		memcpy(out, from, size);
}
