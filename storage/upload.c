/*
 * One upload: decompress, judge the first block (a byte order mark is skipped,
 * what is no text refused), parse, spool, digest.
 */
#include "storage/upload.h"

#include <inttypes.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "storage/ingest/inflate.h"
#include "storage/ingest/parser.h"

enum {
	MARK_SIZE = 3,	  /* the byte order mark of UTF-8 */
	BLOCK_SIZE = 512, /* is enough to tell text from what is none */
};

struct apsp_upload {
	struct apsp_sink sink;
	const struct apsp_parser_type *type;
	void *parser;
	struct apsp_inflate *inflate;
	bool block_judged;
	char block[BLOCK_SIZE]; /* the first bytes, until they are judged */
	size_t block_size;
	char revision[APSP_HASH_SIZE];
};

static const struct {
	const char *name;
	const struct apsp_parser_type *type;
} formats[APSP_N_FORMATS] = {
	[APSP_FORMAT_CSV] = {"csv", &apsp_parser_edge_list},
	[APSP_FORMAT_TSV] = {"tsv", &apsp_parser_edge_list},
	[APSP_FORMAT_CSV_MATRIX] = {"csv-matrix", &apsp_parser_csv_matrix},
	[APSP_FORMAT_MTX] = {"mtx", &apsp_parser_mtx},
	[APSP_FORMAT_GR] = {"gr", &apsp_parser_gr},
	[APSP_FORMAT_NPY] = {"npy", &apsp_parser_npy},
	[APSP_FORMAT_JSON] = {"json", &apsp_parser_json},
};

const char *apsp_format_name(enum apsp_format format)
{
	return formats[format].name;
}

int apsp_format_from_name(const char *name)
{
	for (int i = 0; i < APSP_N_FORMATS; i++)
		if (strcmp(formats[i].name, name) == 0)
			return i;
	return -1;
}

/* Neither in text nor at its lines' ends. */
static bool is_control(char c)
{
	return ((unsigned char)c < ' ' && !strchr("\t\n\v\f\r", c)) ||
	       c == '\0' || c == '\x7f';
}

/* Refuse a first block with a NUL, or with control characters for the most. */
static int text_check(const char *block, size_t size, enum apsp_format format,
	struct apsp_err *err)
{
	const char *nul = memchr(block, '\0', size), *first = nul;
	struct apsp_place place = {1, 1, false};
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
			place = (struct apsp_place){place.line + 1, 1, false};
	}
	return apsp_refuse(err, place,
		"this is not text: found a byte 0x%02x, expected %s in UTF-8, "
		"plain or packed by gzip or zstd",
		(unsigned char)*first, apsp_format_name(format));
}

/* Judge the first block and hand on what of it is content. */
static int block_judge(struct apsp_upload *upload, struct apsp_err *err)
{
	const enum apsp_format format = upload->sink.options.format;
	const char *block = upload->block;
	size_t size = upload->block_size;
	int r;

	upload->block_judged = true;
	if (format != APSP_FORMAT_NPY) {
		if (size >= 2 && (memcmp(block, "\xff\xfe", 2) == 0 ||
					 memcmp(block, "\xfe\xff", 2) == 0))
			return apsp_refuse(err, (struct apsp_place){1, 1},
				"the text is UTF-16, expected UTF-8");
		if (size >= MARK_SIZE &&
			memcmp(block, "\xef\xbb\xbf", MARK_SIZE) == 0) {
			block += MARK_SIZE;
			size -= MARK_SIZE;
		}
		r = text_check(block, size, format, err);
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
	upload->sink.options = *options;
	upload->sink.spool.fd = -1;
	upload->type = formats[options->format].type;
	r = apsp_labels_new(&upload->sink.labels, err);
	if (r < 0)
		return r;
	r = apsp_spool_open(spool_dir, &upload->sink.spool, err);
	if (r < 0)
		return r;
	r = upload->type->open(&upload->sink, &upload->parser, err);
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
	apsp_spool_close(&upload->sink.spool);
	apsp_labels_free(upload->sink.labels);
	free(upload);
}

int apsp_upload_write(struct apsp_upload *upload, const void *data, size_t size,
	struct apsp_err *err)
{
	return size ? apsp_inflate_feed(upload->inflate, data, size, err) : 0;
}

static void u64_digest(struct sha256_ctx *digest, uint64_t value)
{
	uint8_t bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(value >> (8 * i));
	sha256_update(digest, sizeof(bytes), bytes);
}

/*
 * The arcs were digested while they passed, before the labels were complete:
 * their digest stands for them.
 */
static void revision_make(struct apsp_upload *upload)
{
	struct apsp_sink *sink = &upload->sink;
	uint8_t bytes[SHA256_DIGEST_SIZE];
	struct sha256_ctx digest;
	const char *labels;
	size_t size;

	sha256_digest(&sink->spool.digest, sizeof(bytes), bytes);
	labels = apsp_labels_bytes(sink->labels, &size);
	sha256_init(&digest);
	u64_digest(&digest, apsp_labels_count(sink->labels));
	sha256_update(&digest, size, (const uint8_t *)labels);
	u64_digest(&digest, sink->spool.n_arcs);
	sha256_update(&digest, sizeof(bytes), bytes);
	sha256_digest(&digest, sizeof(bytes), bytes);
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(upload->revision + 2 * i, 3, "%02x", bytes[i]);
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
	if (apsp_labels_count(upload->sink.labels) == 0)
		return apsp_fail(err, APSP_EDATA,
			"the upload has no vertices, expected at least one");
	r = apsp_spool_flush(&upload->sink.spool, err);
	if (r < 0)
		return r;
	revision_make(upload);
	return 0;
}

uint64_t apsp_upload_n_arcs(const struct apsp_upload *upload)
{
	return upload->sink.spool.n_arcs;
}

unsigned int apsp_upload_weights(const struct apsp_upload *upload)
{
	return upload->sink.weights;
}

const struct apsp_labels *apsp_upload_labels(const struct apsp_upload *upload)
{
	return upload->sink.labels;
}

struct apsp_labels *apsp_upload_take_labels(struct apsp_upload *upload)
{
	return APSP_TAKE(upload->sink.labels);
}

const char *apsp_upload_revision(const struct apsp_upload *upload)
{
	return upload->revision;
}

enum apsp_format apsp_upload_format(const struct apsp_upload *upload)
{
	return upload->sink.options.format;
}

const struct apsp_profile *apsp_upload_profile(const struct apsp_upload *upload)
{
	return &upload->sink.options.profile;
}

int64_t apsp_upload_arcs(const struct apsp_upload *upload, uint64_t first,
	struct apsp_arc *out, size_t max, struct apsp_err *err)
{
	return apsp_spool_read(&upload->sink.spool, first, out, max, err);
}
