/*
 * Lines out of a child's pipe; see lines.h.
 */
#include "compute/lines.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum {
	READ_SIZE = 16384,
};

static void line_give(struct apsp_lines *lines)
{
	lines->bytes[lines->used] = '\0';
	lines->used = 0;
	lines->line(lines->ctx, lines->bytes);
}

static void byte_take(struct apsp_lines *lines, char byte)
{
	if (byte == '\n') {
		if (!lines->skipping)
			line_give(lines);
		lines->skipping = false;
		lines->used = 0;
		return;
	}
	if (lines->skipping)
		return;
	if (lines->used == sizeof(lines->bytes) - 1) {
		lines->skipping = true;
		if (lines->cut_long)
			line_give(lines);
		return;
	}
	lines->bytes[lines->used++] = byte ? byte : '?';
}

int apsp_lines_read(struct apsp_lines *lines, int fd)
{
	char piece[READ_SIZE];
	ssize_t size = read(fd, piece, sizeof(piece));

	if (size < 0)
		return errno == EAGAIN || errno == EINTR ? -1 : 0;
	for (ssize_t i = 0; i < size; i++)
		byte_take(lines, piece[i]);
	return size > 0;
}

void apsp_lines_end(struct apsp_lines *lines)
{
	if (lines->used > 0 && !lines->skipping)
		line_give(lines);
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
