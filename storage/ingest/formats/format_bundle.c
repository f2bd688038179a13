/*
 * The format bundle: a tar archive of a graph (api/graphs/README.md, What is in
 * a bundle). The parser checks everything in the archive: every size, index,
 * text and hash must be right. The archive must have the members that
 * bundle.json names, in this order:
 *
 *	bundle.json | labels | arcs | attributes | tables/<hash>.apsp …
 *
 * bundle_tables.h reads the table files.
 */
#include <inttypes.h>
#include <nettle/sha2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/array.h"
#include "daemon/base/hex.h"
#include "daemon/base/utf8.h"
#include "storage/ingest/formats/bundle_tables.h"
#include "storage/ingest/formats/bundle_text.h"
#include "storage/ingest/formats/parser.h"
#include "storage/ingest/graph_builder.h"
#include "storage/ingest/tar_reader.h"

enum {
	/* An upload of attributes has at most APSP_ATTRIBUTE_BYTES_MAX bytes.
	   The stored form of the attributes may have a few bytes more, because
	   the name of the first column becomes "label". */
	ATTRIBUTES_MAX = APSP_ATTRIBUTE_BYTES_MAX + 4096,
	FIRST_BYTES = 65536,
	/* largest number of bytes of a label, a name or a value, with its
	   NUL */
	TEXT_SIZE = APSP_LABEL_STORED_MAX + 1,
};

enum stage {
	BUNDLE_JSON,
	LABELS,
	ARCS,
	ATTRIBUTES,
	TABLES,
};

struct bundle {
	struct apsp_graph_builder *builder;
	struct apsp_bundled *out; /* a member of *builder */
	struct apsp_tar_reader tar;
	struct apsp_bundle_text text;
	struct apsp_bundle_tables tables;
	enum stage stage;  /* the kind of the archive's present member; between
			      two members, the kind of the next one */
	bool is_directory; /* the present member is a directory */
	/* the first bytes of a label or an arc whose other bytes have not
	   arrived yet */
	char held[APSP_LABEL_STORED_MAX + 1];
	size_t held_size;
	uint64_t n_arcs;
	struct sha256_ctx sha; /* digest of the attributes */
	size_t attributes_room, attributes_checked;
	uint64_t n_texts; /* number of texts of attributes that were checked */
	bool has_value;	  /* the present row of attributes has a value */
	int64_t last_labelled; /* the vertex of the previous row of attributes;
				  -1: there is none */
};

/* Fail with APSP_EDATA. The arguments may include the message that `err`
   already has. */
__attribute__((format(printf, 3, 4))) static int refuse(
	const char *member, struct apsp_err *err, const char *format, ...)
{
	char what[APSP_MESSAGE_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	return apsp_fail(err, APSP_EDATA, "the member '%s' %s", member, what);
}

/* The names of the members before the table files. */
static const char *const names[] = {[BUNDLE_JSON] = "bundle.json",
	[LABELS] = "labels",
	[ARCS] = "arcs",
	[ATTRIBUTES] = "attributes"};

static int size_check(
	const struct bundle *self, uint64_t size, struct apsp_err *err)
{
	const struct apsp_bundled *out = self->out;
	uint64_t labels_max =
		out->n_vertices * (uint64_t)(APSP_LABEL_STORED_MAX + 1);

	switch (self->stage) {
	case BUNDLE_JSON:
		if (size <= APSP_BUNDLE_TEXT_MAX)
			return 0;
		return refuse("bundle.json", err,
			"has %" PRIu64 " bytes, expected at most %d", size,
			APSP_BUNDLE_TEXT_MAX);
	case LABELS:
		if (size <= labels_max)
			return 0;
		return refuse("labels", err,
			"has %" PRIu64 " bytes, which is too much for %" PRIu64
			" labels",
			size, out->n_vertices);
	case ARCS:
		if (size == out->n_arcs * sizeof(struct apsp_arc))
			return 0;
		return refuse("arcs", err,
			"has %" PRIu64 " bytes, expected %" PRIu64
			" arcs of %zu bytes",
			size, out->n_arcs, sizeof(struct apsp_arc));
	case ATTRIBUTES:
		if (size <= ATTRIBUTES_MAX)
			return 0;
		return refuse("attributes", err,
			"has %" PRIu64 " bytes, expected at most %d", size,
			ATTRIBUTES_MAX);
	case TABLES: /* apsp_bundle_tables_open() checks the size */
		break;
	}
	return 0;
}

static int member_begin(
	void *ctx, const struct apsp_tar_header *header, struct apsp_err *err)
{
	struct bundle *self = ctx;
	const char *name = header->name;

	/* skip "./", which the names have if a user has packed the files again
	   by "tar c ./labels …" */
	if (strncmp(name, "./", 2) == 0)
		name += 2;
	self->is_directory = header->type == APSP_TAR_DIRECTORY;
	if (self->is_directory && self->stage == TABLES &&
		(strcmp(name, "tables/") == 0 || strcmp(name, "tables") == 0))
		return 0;
	if (self->stage == TABLES)
		return apsp_bundle_tables_open(
			&self->tables, name, header, err);
	if (!self->is_directory && strcmp(name, names[self->stage]) == 0)
		return size_check(self, header->size, err);
	if (self->stage == BUNDLE_JSON)
		return apsp_fail(err, APSP_EDATA,
			"this tar archive is no bundle of apspd: its first "
			"member is '%s', expected 'bundle.json'; send a file "
			"of arcs without tar",
			apsp_excerpt_of(name, strlen(name)).text);
	return apsp_fail(err, APSP_EDATA,
		"found the member '%s', expected '%s'",
		apsp_excerpt_of(name, strlen(name)).text, names[self->stage]);
}

static int label_add(struct bundle *self, const char *text, size_t size,
	struct apsp_err *err)
{
	uint32_t before = self->builder->labels->count, index;
	int r;

	if (before == self->out->n_vertices)
		return refuse("labels", err,
			"has more than the %" PRIu64
			" labels that bundle.json says",
			self->out->n_vertices);
	r = apsp_graph_builder_vertex(self->builder, text, size,
		(struct apsp_text_position){0}, &index, err);
	if (r == APSP_EDATA)
		return refuse("labels", err, "has a wrong label: %s",
			err ? err->message : "");
	if (r < 0)
		return r;
	if (index != before)
		return refuse("labels", err, "has the label '%s' twice",
			apsp_excerpt_of(text, size).text);
	return 0;
}

static int labels_data(struct bundle *self, const char *data, size_t size,
	struct apsp_err *err)
{
	const char *end = data + size, *nul;
	int r = 0;

	while (data < end && r == 0) {
		nul = memchr(data, '\0', (size_t)(end - data));
		size = (size_t)((nul ? nul : end) - data);
		if (size > sizeof(self->held) - 1 - self->held_size)
			return refuse("labels", err,
				"has a label of more than %d bytes",
				APSP_LABEL_STORED_MAX);
		if (nul && self->held_size == 0) {
			r = label_add(self, data, size, err);
		} else {
			memcpy(self->held + self->held_size, data, size);
			self->held_size += size;
			if (nul)
				r = label_add(
					self, self->held, self->held_size, err);
			if (nul)
				self->held_size = 0;
		}
		data += size + (nul != NULL);
	}
	return r;
}

static int arc_add(struct bundle *self, const char *bytes, struct apsp_err *err)
{
	struct apsp_arc arc;
	int r;

	memcpy(&arc, bytes, sizeof(arc));
	self->n_arcs++;
	if (arc.from >= self->out->n_vertices ||
		arc.to >= self->out->n_vertices)
		return refuse("arcs", err,
			"has an arc %" PRIu64 " from vertex %" PRIu32
			" to vertex %" PRIu32 ", but there are %" PRIu64
			" vertices",
			self->n_arcs, arc.from, arc.to, self->out->n_vertices);
	r = apsp_graph_builder_arc(self->builder, arc.from, arc.to, arc.weight,
		(struct apsp_text_position){0}, err);
	if (r == APSP_EDATA)
		return refuse("arcs", err, "has a wrong arc %" PRIu64 ": %s",
			self->n_arcs, err ? err->message : "");
	return r;
}

static int arcs_data(struct bundle *self, const char *data, size_t size,
	struct apsp_err *err)
{
	size_t n;
	int r = 0;

	while (size > 0 && r == 0) {
		n = sizeof(struct apsp_arc) - self->held_size;
		if (n > size)
			n = size;
		if (n == sizeof(struct apsp_arc)) {
			r = arc_add(self, data, err);
		} else {
			memcpy(self->held + self->held_size, data, n);
			self->held_size += n;
			if (self->held_size == sizeof(struct apsp_arc)) {
				self->held_size = 0;
				r = arc_add(self, self->held, err);
			}
		}
		data += n;
		size -= n;
	}
	return r;
}

/* Check the label of a row of attributes: it must be the label of a vertex, and
   the rows must be in index order. */
static int row_label_check(struct bundle *self, const char *text, size_t size,
	struct apsp_err *err)
{
	int64_t vertex = apsp_labels_find(self->builder->labels, text, size);

	if (vertex <= self->last_labelled)
		return refuse("attributes", err,
			"has a row '%s', which is no vertex, or not in the "
			"order of the labels",
			apsp_excerpt_of(text, size).text);
	self->last_labelled = vertex;
	self->has_value = false;
	self->out->attributes.n_rows++;
	return 0;
}

/* Check one text of the attributes. A NUL follows the text. */
static int attribute_check(struct bundle *self, const char *text, size_t size,
	struct apsp_err *err)
{
	uint32_t width = self->out->attributes.n_columns + 1;
	uint64_t column = self->n_texts % width;

	if (self->n_texts++ < width) {
		/* The first text must be "label". The other texts of the first
		   row are the names of the columns, which attributes_end()
		   compares with bundle.json. */
		return column > 0 || strcmp(text, "label") == 0
			       ? 0
			       : refuse("attributes", err,
					 "does not begin with 'label'");
	}
	if (column == 0)
		return row_label_check(self, text, size, err);
	self->has_value |= size > 0;
	if (size > APSP_LABEL_MAX || !apsp_utf8_valid(text, size))
		return refuse("attributes", err,
			"has a value '%s', which is not UTF-8 of at most %d "
			"bytes",
			apsp_excerpt_of(text, size).text, APSP_LABEL_MAX);
	if (column == width - 1 && !self->has_value)
		return refuse("attributes", err, "has a row without a value");
	return 0;
}

static int attributes_data(struct bundle *self, const char *data, size_t size,
	struct apsp_err *err)
{
	struct apsp_bundled *out = self->out;
	const char *text, *nul;
	size_t left;
	int r;

	r = apsp_array_reserve(&out->attributes.bytes,
		out->attributes.size + size, &self->attributes_room,
		&(struct apsp_array_growth){
			1, FIRST_BYTES, "the attributes", self->builder->share},
		err);
	if (r < 0)
		return r;
	memcpy(out->attributes.bytes + out->attributes.size, data, size);
	out->attributes.size += size;
	sha256_update(&self->sha, size, (const void *)data);
	while (r == 0) {
		text = out->attributes.bytes + self->attributes_checked;
		left = out->attributes.size - self->attributes_checked;
		nul = memchr(text, '\0', left < TEXT_SIZE ? left : TEXT_SIZE);
		if (!nul && left >= TEXT_SIZE)
			return refuse("attributes", err,
				"has a text of more than %d bytes",
				TEXT_SIZE - 1);
		if (!nul)
			break;
		self->attributes_checked += (size_t)(nul - text) + 1;
		r = attribute_check(self, text, (size_t)(nul - text), err);
	}
	return r;
}

static int member_data(
	void *ctx, const char *data, size_t size, struct apsp_err *err)
{
	struct bundle *self = ctx;

	switch (self->stage) {
	case BUNDLE_JSON:
		return apsp_json_reader_feed(self->text.json, data, size, err);
	case LABELS:
		return labels_data(self, data, size, err);
	case ARCS:
		return arcs_data(self, data, size, err);
	case ATTRIBUTES:
		return attributes_data(self, data, size, err);
	case TABLES:
		return apsp_bundle_tables_feed(&self->tables, data, size, err);
	}
	return 0;
}

/* Finish bundle.json, and pass the rule of the profile `default` to the
   builder. */
static int text_end(struct bundle *self, struct apsp_err *err)
{
	struct apsp_graph_builder *builder = self->builder;
	const struct apsp_bundled *out = self->out;
	int r = apsp_bundle_text_end(&self->text, err);

	if (r < 0)
		return r;
	r = apsp_bundle_tables_begin(&self->tables, err);
	if (r < 0)
		return r;
	if (out->n_arcs > builder->max_arcs)
		return apsp_fail(err, APSP_ETOOLARGE,
			"bundle.json says %" PRIu64
			" arcs, the limit is %" PRIu64,
			out->n_arcs, builder->max_arcs);
	if (out->n_vertices * out->attributes.n_columns >
		APSP_ATTRIBUTE_CELLS_MAX)
		return apsp_fail(err, APSP_ETOOLARGE,
			"bundle.json says %" PRIu64 " vertices with %" PRIu32
			" attributes, which is more than the %d values that a "
			"graph may have",
			out->n_vertices, out->attributes.n_columns,
			APSP_ATTRIBUTE_CELLS_MAX);
	for (size_t i = 0; i < out->n_profiles; i++)
		if (strcmp(out->profiles[i].name, "default") == 0)
			builder->profile = out->profiles[i].rule;
	builder->transform_unsaid = false;
	builder->stored_before = true;
	self->out->is_bundle = true;
	return 0;
}

static int attributes_end(struct bundle *self, struct apsp_err *err)
{
	const struct apsp_bundled *out = self->out;
	const struct apsp_bundle_text *text = &self->text;
	unsigned char digest[SHA256_DIGEST_SIZE];
	char sha256[APSP_HASH_SIZE];
	const size_t head = sizeof("label");

	sha256_digest(&self->sha, sizeof(digest), digest);
	apsp_hex_write(digest, sizeof(digest), sha256);
	if (strcmp(sha256, text->attributes_sha256) != 0)
		return refuse("attributes", err,
			"is damaged: its SHA-256 is not that of bundle.json");
	if (out->attributes.size != self->attributes_checked ||
		self->n_texts % (out->attributes.n_columns + 1) != 0 ||
		self->n_texts == 0)
		return refuse("attributes", err, "ends within a row");
	if (out->attributes.size < head + text->names_size ||
		memcmp(out->attributes.bytes + head, text->names,
			text->names_size))
		return refuse("attributes", err,
			"has other columns than bundle.json says");
	return 0;
}

static int member_end(void *ctx, struct apsp_err *err)
{
	struct bundle *self = ctx;
	const struct apsp_bundled *out = self->out;
	int r = 0;

	if (self->is_directory)
		return 0;
	switch (self->stage) {
	case BUNDLE_JSON:
		r = text_end(self, err);
		break;
	case LABELS:
		if (self->held_size > 0 ||
			self->builder->labels->count != out->n_vertices)
			r = refuse("labels", err,
				"has %" PRIu32 " labels that end with a NUL, "
				"but bundle.json says %" PRIu64,
				self->builder->labels->count, out->n_vertices);
		break;
	case ARCS: /* size_check() has checked the number of bytes */
		break;
	case ATTRIBUTES:
		r = attributes_end(self, err);
		break;
	case TABLES:
		return apsp_bundle_tables_close(&self->tables, err);
	}
	self->stage++;
	if (self->stage == ATTRIBUTES && !self->text.has_attributes)
		self->stage = TABLES;
	return r;
}

static const struct apsp_tar_handler handler = {
	member_begin, member_data, member_end};

static int bundle_open(void *parser, struct apsp_err *err)
{
	struct bundle *self = parser;

	self->out = &self->builder->bundled;
	self->text.out = self->out;
	self->tables.builder = self->builder;
	self->tar.handler = &handler;
	self->tar.ctx = self;
	self->last_labelled = -1;
	sha256_init(&self->sha);
	return apsp_bundle_text_open(&self->text, err);
}

static int bundle_feed(
	void *parser, const char *data, size_t size, struct apsp_err *err)
{
	struct bundle *self = parser;

	return apsp_tar_reader_feed(&self->tar, data, size, err);
}

static int bundle_end(void *parser, struct apsp_err *err)
{
	struct bundle *self = parser;
	int r = apsp_tar_reader_end(&self->tar, err);

	if (r < 0)
		return r;
	if (self->stage == TABLES)
		return apsp_bundle_tables_end(&self->tables, err);
	return apsp_fail(err, APSP_EDATA,
		"the bundle ends before the member '%s'", names[self->stage]);
}

static void bundle_done(void *parser)
{
	struct bundle *self = parser;

	free(self->text.json);
}

const struct apsp_parser apsp_parser_bundle = {sizeof(struct bundle),
	bundle_open, bundle_feed, bundle_end, bundle_done};
