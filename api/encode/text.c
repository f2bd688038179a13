/*
 * Text that grows; see text.h.
 */
#include "api/encode/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	FIRST_ROOM = 1024, /* bytes of the first allocation; enough for most
			      answers about a vertex pair */
};

void apsp_text_done(struct apsp_text *text)
{
	free(text->data);
	memset(text, 0, sizeof(*text));
}

void apsp_text_clear(struct apsp_text *text, size_t kept_max)
{
	text->size = 0;
	if (text->room <= kept_max)
		return;
	free(text->data);
	text->data = NULL;
	text->room = 0;
}

int apsp_text_check(const struct apsp_text *text, struct apsp_err *err)
{
	return text->failed
		       ? apsp_fail(err, APSP_ENOMEM, "no memory for an answer")
		       : 0;
}

bool apsp_text_grow(struct apsp_text *text, size_t size)
{
	size_t room = text->room ? text->room : FIRST_ROOM;
	char *larger = NULL;

	if (!text->failed && size < SIZE_MAX / 4 - text->size) {
		while (room - text->size < size)
			room *= 2;
		larger = realloc(text->data, room);
	}
	if (!larger) {
		text->failed = true;
		return false;
	}
	text->data = larger;
	text->room = room;
	return true;
}

void apsp_text_printf(struct apsp_text *text, const char *format, ...)
{
	va_list args;
	char *at;
	int size;

	va_start(args, format);
	size = vsnprintf(NULL, 0, format, args);
	va_end(args);
	/* reserve one byte more for the NUL of vsnprintf() */
	at = size < 0 ? NULL : apsp_text_reserve(text, (size_t)size + 1);
	if (!at) {
		text->failed = true;
		return;
	}
	va_start(args, format);
	vsnprintf(at, (size_t)size + 1, format, args);
	va_end(args);
	text->size += (size_t)size;
}
