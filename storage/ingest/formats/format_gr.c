/*
 * The format gr: graphs of the 9th DIMACS challenge. A file has comments "c …",
 * one problem line "p sp N M" (rome99 has "p 0 N M"), and M lines "a FROM TO
 * WEIGHT". The vertices are 1 … N, with or without arcs.
 */
#include <inttypes.h>

#include "daemon/base/utf8.h"
#include "storage/ingest/formats/lines.h"
#include "storage/ingest/formats/parser.h"
#include "storage/ingest/graph_builder.h"

struct gr {
	struct apsp_lines lines; /* must be the first member (lines.h) */
	bool has_problem;
	uint64_t n_vertices, n_arcs, n_seen;
};

static int problem_parse(struct gr *self, const struct apsp_line *line,
	size_t at, struct apsp_err *err)
{
	struct apsp_word word;
	struct apsp_text_position place;
	int r;

	if (self->has_problem)
		return apsp_refuse(err,
			(struct apsp_text_position){line->number, 1},
			"found a second problem line, expected one");
	/* the kind of problem, "sp" or another word, is not checked */
	apsp_line_word(line, &at, &word);
	r = apsp_line_count(line, &at, "the number of vertices", &word,
		&self->n_vertices, err);
	place = word.place;
	if (r == 0)
		r = apsp_line_count(line, &at, "the number of arcs", &word,
			&self->n_arcs, err);
	if (r == 0)
		r = apsp_line_finish(line, at, err);
	if (r < 0)
		return r;
	self->has_problem = true;
	r = apsp_graph_builder_weighted(
		self->lines.builder, APSP_MEANING_LENGTHS, NULL, place, err);
	return r < 0 ? r
		     : apsp_graph_builder_numbered(self->lines.builder, 1,
			       self->n_vertices, place, err);
}

static int arc_parse(struct gr *self, const struct apsp_line *line, size_t at,
	struct apsp_err *err)
{
	struct apsp_word word;
	uint32_t from, to;
	double weight;
	int r;

	if (!self->has_problem)
		return apsp_refuse(err,
			(struct apsp_text_position){line->number, 1},
			"found an arc, expected the problem line 'p sp N M' "
			"first");
	if (self->n_seen++ == self->n_arcs)
		return apsp_refuse(err,
			(struct apsp_text_position){line->number, 1},
			"found one arc more, expected %" PRIu64
			" as the problem line says",
			self->n_arcs);
	r = apsp_line_vertex(
		line, &at, "a vertex", self->n_vertices, &word, &from, err);
	if (r == 0)
		r = apsp_line_vertex(line, &at, "a vertex", self->n_vertices,
			&word, &to, err);
	if (r < 0)
		return r;
	apsp_line_word(line, &at, &word);
	r = apsp_line_finish(line, at, err);
	if (r == 0)
		r = apsp_graph_builder_weight(self->lines.builder, word.text,
			word.size, word.place, &weight, err);
	if (r != 0)
		return r < 0 ? r : 0;
	return apsp_graph_builder_arc(
		self->lines.builder, from, to, weight, word.place, err);
}

static int on_line(
	void *parser, const struct apsp_line *line, struct apsp_err *err)
{
	struct gr *self = parser;
	struct apsp_word word;
	size_t at = 0;

	if (!apsp_line_word(line, &at, &word) || *word.text == 'c')
		return 0;
	if (apsp_word_is(word.text, word.size, "a"))
		return arc_parse(self, line, at, err);
	if (apsp_word_is(word.text, word.size, "p"))
		return problem_parse(self, line, at, err);
	return apsp_refuse(err, word.place,
		"found '%s', expected a line that starts with c, p or a",
		apsp_excerpt_of(word.text, word.size).text);
}

static int gr_open(void *parser, struct apsp_err *err)
{
	struct gr *self = parser;

	(void)err;
	self->lines.on_line = on_line;
	return 0;
}

static int gr_end(void *parser, struct apsp_err *err)
{
	struct gr *self = parser;
	int r = apsp_lines_end(&self->lines, err);

	if (r < 0)
		return r;
	if (!self->has_problem)
		return apsp_fail(err, APSP_EDATA,
			"the file ends without a problem line 'p sp N M'");
	if (self->n_seen < self->n_arcs)
		return apsp_refuse(err,
			(struct apsp_text_position){self->lines.number, 1},
			"the file ends after %" PRIu64
			" arcs, expected %" PRIu64 " as the problem line says",
			self->n_seen, self->n_arcs);
	return 0;
}

const struct apsp_parser apsp_parser_gr = {
	sizeof(struct gr), gr_open, apsp_lines_feed, gr_end, NULL};
