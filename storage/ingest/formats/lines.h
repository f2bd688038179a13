/*
 * Splits text into short lines, and lines into words, for the parsers of
 * formats that have one record in each line.
 */
#ifndef APSP_STORAGE_INGEST_FORMATS_LINES_H
#define APSP_STORAGE_INGEST_FORMATS_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/ingest/text_position.h"

struct apsp_graph_builder;

enum {
	APSP_LINE_MAX = 1 << 16, /* largest number of bytes of one line */
};

struct apsp_line {
	const char *text; /* borrowed; without line end */
	size_t size;
	uint64_t number;
};

/* The part of a parser's state that splits text into lines. It must be the
   first member of the state (parser.h). The parser's open() function sets
   on_line. */
struct apsp_lines {
	struct apsp_graph_builder *builder;
	/* called for each line; `parser` points to this struct */
	int (*on_line)(void *parser, const struct apsp_line *line,
		struct apsp_err *err);
	uint64_t number; /* line number of the line that was read last; the
			    first line has number 1 */
	size_t held_size;
	char held[APSP_LINE_MAX];
};

/* Parse the next bytes: the function feed() of a parser whose state begins with
   a struct apsp_lines. Fails with the errors of on_line. APSP_EDATA: a line is
   too long. */
int apsp_lines_feed(
	void *parser, const char *data, size_t size, struct apsp_err *err);

/* Call on_line for the last line if that line has no newline. Fails with the
   errors of on_line. */
int apsp_lines_end(struct apsp_lines *lines, struct apsp_err *err);

struct apsp_word {
	const char *text;
	size_t size;
	struct apsp_text_position place;
};

/*
 * Find the next word of the line from *at on, and move *at past the word.
 * Returns false if no word is left; then word->place is the end of the line.
 */
bool apsp_line_word(
	const struct apsp_line *line, size_t *at, struct apsp_word *word);

/* Whether the `size` bytes of `text` equal `word`, ignoring case. */
bool apsp_word_is(const char *text, size_t size, const char *word);

/*
 * Read the next word as an integer below 10^18 in decimal digits. Messages call
 * the integer `what`. APSP_EDATA: the word is no integer below 10^18.
 */
int apsp_line_count(const struct apsp_line *line, size_t *at, const char *what,
	struct apsp_word *out_word, uint64_t *out, struct apsp_err *err);

/*
 * Read the next word as a vertex number from 1 to n, and store the vertex's
 * index, which counts from 0. Messages call the number `what`. APSP_EDATA: the
 * word is no number from 1 to n.
 */
int apsp_line_vertex(const struct apsp_line *line, size_t *at, const char *what,
	uint64_t n, struct apsp_word *out_word, uint32_t *out,
	struct apsp_err *err);

/* Check that the line ends after `at`. APSP_EDATA: another word follows. */
int apsp_line_finish(
	const struct apsp_line *line, size_t at, struct apsp_err *err);

#endif
