/*
 * Puts values into messages and gets them back; see message.h.
 */
#include "compute/message.h"

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

void apsp_message_put(
	struct apsp_message *message, const void *data, size_t size)
{
	size_t room = message->room > 0 ? message->room : FIRST_ROOM;
	unsigned char *bytes;

	if (message->failed || size == 0)
		return;
	while (room - message->size < size)
		room *= 2;
	if (room > message->room) {
		bytes = realloc(message->bytes, room);
		if (!bytes) {
			message->failed = true;
			return;
		}
		message->bytes = bytes;
		message->room = room;
	}
	memcpy(message->bytes + message->size, data, size);
	message->size += size;
}

void apsp_message_get(struct apsp_message *message, void *out, size_t size)
{
	if (message->failed || message->size - message->at < size) {
		message->failed = true;
		memset(out, 0, size);
		return;
	}
	if (size > 0)
		memcpy(out, message->bytes + message->at, size);
	message->at += size;
}
