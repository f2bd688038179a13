/*
 * Receiving an upload; see upload.h. The first block of a text is judged before
 * it is parsed: a byte order mark is skipped, binary data is refused.
 */
#include "storage/ingest/upload.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "storage/ingest/graph_builder.h"
#include "storage/ingest/parser.h"

enum {
	MARK_SIZE = 3,	  /* the byte order mark of UTF-8 */
	BLOCK_SIZE = 512, /* bytes that tell text from binary data */
};

struct apsp_upload {
	struct apsp_graph_builder builder;
	enum apsp_format format;
	const struct apsp_parser *type; /* of the format */
	void *parser;
	struct apsp_inflate *inflate;
	bool block_judged;
	char block[BLOCK_SIZE]; /* the first bytes, until they are judged */
	size_t block_size;
	char revision[APSP_HASH_SIZE];
};

/* Whether c is a control character that has no business in text. */
static bool is_control(char c)
{
	return ((unsigned char)c < ' ' && !strchr("\t\n\v\f\r", c)) ||
	       c == '\0' || c == '\x7f';
}

/* Refuse a first block with a NUL, or with more controls than other bytes. */
static int text_check(const char *block, size_t size, enum apsp_format format,
	struct apsp_err *err)
{
	const char *nul = memchr(block, '\0', size), *first = nul;
	struct apsp_text_position place = {1, 1, false};
	size_t n_controls = 0;

	for (size_t i = 0; i < size; i++) {
		if (!is_control(block[i]))
			continue;
		n_controls++;
		if (!first)
			first = block + i;
	}
	if (!nul && 2 * n_controls <= size)
		return 0;
	for (const char *p = block; p < first; p++) {
		place.column++;
		if (*p == '\n')
			place = (struct apsp_text_position){
				place.line + 1, 1, false};
	}
	return apsp_refuse(err, place,
		"this is not text: found a byte 0x%02x, expected %s in UTF-8, "
		"plain or packed by gzip or zstd",
		(unsigned char)*first, apsp_format_name(format));
}

/* Judge the first block and hand it to the parser, but for a byte order mark.
 */
static int block_judge(struct apsp_upload *upload, struct apsp_err *err)
{
	const char *block = upload->block;
	size_t size = upload->block_size;
	int r;

	upload->block_judged = true;
	if (apsp_format_is_text(upload->format)) {
		if (size >= 2 && (memcmp(block, "\xff\xfe", 2) == 0 ||
					 memcmp(block, "\xfe\xff", 2) == 0))
			return apsp_refuse(err,
				(struct apsp_text_position){1, 1},
				"the text is UTF-16, expected UTF-8");
		if (size >= MARK_SIZE &&
			memcmp(block, "\xef\xbb\xbf", MARK_SIZE) == 0) {
			block += MARK_SIZE;
			size -= MARK_SIZE;
		}
		r = text_check(block, size, upload->format, err);
		if (r < 0)
			return r;
	}
	return size ? upload->type->feed(upload->parser, block, size, err) : 0;
}

static int decompressed_take(
	void *ctx, const char *data, size_t size, struct apsp_err *err)
{
	struct apsp_upload *upload = ctx;
	size_t n;
	int r;

	if (!upload->block_judged) {
		n = BLOCK_SIZE - upload->block_size;
		if (n > size)
			n = size;
		memcpy(upload->block + upload->block_size, data, n);
		upload->block_size += n;
		data += n;
		size -= n;
		if (upload->block_size < BLOCK_SIZE)
			return 0;
		r = block_judge(upload, err);
		if (r < 0)
			return r;
	}
	return size ? upload->type->feed(upload->parser, data, size, err) : 0;
}

APSP_AUTO_DEFINE(upload_cleanup, struct apsp_upload, apsp_upload_free);

int apsp_upload_open(const char *spool_dir,
	const struct apsp_upload_options *options, struct apsp_upload **out,
	struct apsp_err *err)
{
	APSP_AUTO(upload_cleanup) struct apsp_upload *upload = NULL;
	int r;

	upload = calloc(1, sizeof(*upload));
	if (!upload)
		return apsp_fail(err, APSP_ENOMEM, "no memory for an upload");
	upload->format = options->format;
	upload->type = apsp_format_parser(options->format);
	upload->builder.profile = options->profile;
	upload->builder.has_nonedge = options->has_nonedge;
	upload->builder.nonedge = options->nonedge;
	upload->builder.max_arcs = options->max_arcs;
	upload->builder.spool.fd = -1;
	r = apsp_labels_new(&upload->builder.labels, err);
	if (r < 0)
		return r;
	r = apsp_arc_spool_open(spool_dir, &upload->builder.spool, err);
	if (r < 0)
		return r;
	r = upload->type->open(&upload->builder, &upload->parser, err);
	if (r < 0)
		return r;
	r = apsp_inflate_new(options->coding, options->max_bytes,
		decompressed_take, upload, &upload->inflate, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(upload);
	return 0;
}

void apsp_upload_free(struct apsp_upload *upload)
{
	if (!upload)
		return;
	upload->type->close(upload->parser);
	apsp_inflate_free(upload->inflate);
	apsp_arc_spool_close(&upload->builder.spool);
	apsp_labels_unref(upload->builder.labels);
	free(upload);
}

int apsp_upload_write(struct apsp_upload *upload, const void *data, size_t size,
	struct apsp_err *err)
{
	return size ? apsp_inflate_feed(upload->inflate, data, size, err) : 0;
}

int apsp_upload_end(struct apsp_upload *upload, struct apsp_err *err)
{
	int r = apsp_inflate_end(upload->inflate, err);

	if (r < 0)
		return r;
	if (!upload->block_judged) {
		r = block_judge(upload, err);
		if (r < 0)
			return r;
	}
	r = upload->type->end(upload->parser, err);
	if (r < 0)
		return r;
	if (apsp_labels_count(upload->builder.labels) == 0)
		return apsp_fail(err, APSP_EDATA,
			"the upload has no vertices, expected at least one");
	r = apsp_arc_spool_flush(&upload->builder.spool, err);
	if (r < 0)
		return r;
	apsp_revision_end(&upload->builder.spool.revision,
		upload->builder.labels, upload->revision);
	return 0;
}

uint64_t apsp_upload_n_arcs(const struct apsp_upload *upload)
{
	return upload->builder.spool.n_arcs;
}

unsigned int apsp_upload_weights(const struct apsp_upload *upload)
{
	return upload->builder.weights;
}

const struct apsp_labels *apsp_upload_labels(const struct apsp_upload *upload)
{
	return upload->builder.labels;
}

struct apsp_labels *apsp_upload_take_labels(struct apsp_upload *upload)
{
	return APSP_TAKE(upload->builder.labels);
}

const char *apsp_upload_revision(const struct apsp_upload *upload)
{
	return upload->revision;
}

enum apsp_format apsp_upload_format(const struct apsp_upload *upload)
{
	return upload->format;
}

const struct apsp_profile *apsp_upload_profile(const struct apsp_upload *upload)
{
	return &upload->builder.profile;
}

int64_t apsp_upload_arcs(const struct apsp_upload *upload, uint64_t first,
	struct apsp_arc *out, size_t max, struct apsp_err *err)
{
	return apsp_arc_spool_read(
		&upload->builder.spool, first, out, max, err);
}
