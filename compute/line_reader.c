/*
 * Lines out of a child's pipe; see line_reader.h.
 */
#include "compute/line_reader.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum {
	READ_SIZE = 16384,
};

static void line_give(struct apsp_line_reader *reader)
{
	reader->bytes[reader->used] = '\0';
	reader->used = 0;
	reader->line(reader->ctx, reader->bytes);
}

static void byte_take(struct apsp_line_reader *reader, char byte)
{
	if (byte == '\n') {
		if (!reader->skipping)
			line_give(reader);
		reader->skipping = false;
		reader->used = 0;
		return;
	}
	if (reader->skipping)
		return;
	if (reader->used == sizeof(reader->bytes) - 1) {
		reader->skipping = true;
		if (reader->cut_long)
			line_give(reader);
		return;
	}
	reader->bytes[reader->used++] = byte ? byte : '?';
}

int apsp_line_reader_read(struct apsp_line_reader *reader, int fd)
{
	char piece[READ_SIZE];
	ssize_t size = read(fd, piece, sizeof(piece));

	if (size < 0)
		return errno == EAGAIN || errno == EINTR ? -1 : 0;
	for (ssize_t i = 0; i < size; i++)
		byte_take(reader, piece[i]);
	return size > 0;
}

void apsp_line_reader_end(struct apsp_line_reader *reader)
{
	if (reader->used > 0 && !reader->skipping)
		line_give(reader);
}

/* Bytes of the valid character that text starts with, or 0. */
static size_t utf8_size(const unsigned char *text)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t size;

	if (text[0] < 0x80)
		return 1;
	if (text[0] >= 0xc2 && text[0] <= 0xdf)
		size = 2;
	else if (text[0] >= 0xe0 && text[0] <= 0xef)
		size = 3;
	else if (text[0] >= 0xf0 && text[0] <= 0xf4)
		size = 4;
	else
		return 0;
	/* no overlong forms, no surrogates, nothing past U+10FFFF */
	if (text[0] == 0xe0)
		low = 0xa0;
	else if (text[0] == 0xed)
		high = 0x9f;
	else if (text[0] == 0xf0)
		low = 0x90;
	else if (text[0] == 0xf4)
		high = 0x8f;
	if (text[1] < low || text[1] > high)
		return 0;
	for (size_t i = 2; i < size; i++)
		if (text[i] < 0x80 || text[i] > 0xbf)
			return 0;
	return size;
}

void apsp_utf8_clean(char *text)
{
	while (*text) {
		size_t size = utf8_size((const unsigned char *)text);

		if (size == 0)
			*text = '?';
		text += size ? size : 1;
	}
}
