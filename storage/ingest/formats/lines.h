/*
 * Text as a stream of short lines, and lines as words between blanks: for
 * parsers of formats that are made of lines.
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
	APSP_LINE_MAX = 1 << 16, /* bytes of one line */
};

struct apsp_line {
	const char *text; /* borrowed; no line end */
	size_t size;
	uint64_t number;
};

/* parser: the one that apsp_lines_open() made. */
typedef int apsp_line_taker(
	void *parser, const struct apsp_line *line, struct apsp_err *err);

/* The first member of a parser (parser.h). */
struct apsp_lines {
	struct apsp_graph_builder *builder;
	apsp_line_taker *taker;
	uint64_t number; /* of the last line handed on */
	size_t held_size;
	char held[APSP_LINE_MAX];
};

/*
 * Make a parser of `size` bytes, 0 but for its struct apsp_lines. The caller
 * frees *out. APSP_ENOMEM.
 */
int apsp_lines_open(size_t size, apsp_line_taker *taker,
	struct apsp_graph_builder *builder, void **out, struct apsp_err *err);

/* A parser's feed(). APSP_EDATA: a line is too long; the taker's errors. */
int apsp_lines_feed(
	void *parser, const char *data, size_t size, struct apsp_err *err);

/* Hand on the last line if it has no newline. The taker's errors. */
int apsp_lines_end(struct apsp_lines *lines, struct apsp_err *err);

struct apsp_word {
	const char *text;
	size_t size;
	struct apsp_text_position place;
};

/*
 * Find the next word of the line from *at on, and move *at behind it. False: no
 * word is left, and word->place is just behind the line.
 */
bool apsp_line_word(
	const struct apsp_line *line, size_t *at, struct apsp_word *word);

/* Whether the word is this text; case does not matter. */
bool apsp_word_is(const struct apsp_word *word, const char *text);

/*
 * Read an integer below 10^18 in decimal digits. APSP_EDATA: the word is no
 * such integer; the message calls it `what`.
 */
int apsp_word_count(const struct apsp_word *word, const char *what,
	uint64_t *out, struct apsp_err *err);

/*
 * Read a vertex number from 1 to n as an index from 0. APSP_EDATA: the word is
 * no such number; the message calls it `what`.
 */
int apsp_word_vertex(const struct apsp_word *word, const char *what, uint64_t n,
	uint32_t *out, struct apsp_err *err);

/* APSP_EDATA: the line has another word from `at` on. */
int apsp_line_finish(
	const struct apsp_line *line, size_t at, struct apsp_err *err);

#endif
