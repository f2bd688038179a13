/*
 * Splits bytes from a pipe into lines; see line_reader.h.
 */
#include "compute/line_reader.h"

#include <errno.h>
#include <unistd.h>

enum {
	READ_SIZE = 16384,
};

static void line_report(struct apsp_line_reader *reader)
{
	reader->bytes[reader->used] = '\0';
	reader->used = 0;
	reader->line(reader->ctx, reader->bytes);
}

static void byte_add(struct apsp_line_reader *reader, char byte)
{
	if (byte == '\n') {
		if (!reader->skipping)
			line_report(reader);
		reader->skipping = false;
		reader->used = 0;
		return;
	}
	if (reader->skipping)
		return;
	if (reader->used == sizeof(reader->bytes) - 1) {
		reader->skipping = true;
		if (reader->cut_long)
			line_report(reader);
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
		byte_add(reader, piece[i]);
	return size > 0;
}

void apsp_line_reader_end(struct apsp_line_reader *reader)
{
	if (reader->used > 0 && !reader->skipping)
		line_report(reader);
}
