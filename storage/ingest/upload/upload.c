/*
 * Receiving an upload; see upload.h. The first block of a text is judged before
 * it is parsed: a byte order mark is skipped, binary data is refused.
 */
#include "storage/ingest/upload/upload.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "storage/ingest/formats/first_block.h"
#include "storage/ingest/formats/parser.h"
#include "storage/ingest/graph_builder.h"

enum {
	BLOCK_SIZE = 512, /* bytes that tell text from binary data */
	STEP_CALLS = 4,	  /* of the decoder in a step */
};

struct apsp_upload {
	struct apsp_share share;
	struct apsp_graph_builder builder;
	struct apsp_profile if_unweighted;
	bool format_unsaid;
	enum apsp_format format;
	const struct apsp_parser *type; /* of the format */
	void *parser;
	struct apsp_inflate *inflate;
	bool block_judged;
	char block[BLOCK_SIZE]; /* the first bytes, until they are judged */
	size_t block_size;
	uint32_t cpu_ms, cpu_rate; /* the limit of processor time */
	uint64_t sent_bytes;
	int64_t cpu_ns; /* spent so far */
	char revision[APSP_HASH_SIZE];
	double ended_s;
};

/* Open the parser of a format that is known. */
static int parser_open(struct apsp_upload *upload, enum apsp_format format,
	struct apsp_err *err)
{
	upload->format = format;
	upload->type = apsp_format_parser(format);
	return upload->type->open(&upload->builder, &upload->parser, err);
}

/*
 * Judge the first block, tell the format by it where nobody has, and hand it to
 * the parser, but for a byte order mark.
 */
static int block_judge(struct apsp_upload *upload, struct apsp_err *err)
{
	const char *block = upload->block;
	size_t size = upload->block_size;
	enum apsp_format format = upload->format;
	int r;

	upload->block_judged = true;
	if (upload->format_unsaid) {
		format = apsp_first_block_format(block, size);
		r = apsp_format_check(format, &upload->builder.file, err);
		if (r < 0)
			return r;
	}
	r = apsp_first_block_check(block, size, format, err);
	if (r == 0 && upload->format_unsaid)
		r = parser_open(upload, format, err);
	if (r < 0)
		return r;
	if (apsp_format_is_text(format)) {
		size_t mark = apsp_first_block_mark(block, size);

		block += mark;
		size -= mark;
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

/* About how many bytes of arcs a body becomes; 0 for one of unknown size. */
static uint64_t arcs_expected(const struct apsp_upload_options *options)
{
	/* a line of a list has about the bytes of an arc; text packs to 1/4 */
	uint64_t swell = options->coding == APSP_CODING_IDENTITY ? 1 : 4, all;

	if (__builtin_mul_overflow(options->body_bytes, swell, &all))
		return UINT64_MAX;
	return all;
}

/* Take a place and fill what parsers build. */
static int builder_open(struct apsp_upload *upload, const char *spool_dir,
	const struct apsp_upload_options *options, struct apsp_err *err)
{
	struct apsp_graph_builder *builder = &upload->builder;
	int r;

	builder->profile = options->profile;
	builder->transform_unsaid = options->transform_unsaid;
	builder->file = options->file;
	builder->max_arcs = options->max_arcs;
	r = apsp_share_open(options->budget, options->holder,
		arcs_expected(options), &upload->share, err);
	if (r == 0)
		r = apsp_labels_new(&builder->labels, err);
	if (r < 0)
		return r;
	apsp_labels_set_share(builder->labels, builder->share);
	return apsp_arc_spool_open(
		spool_dir, builder->share, &builder->spool, err);
}

int apsp_upload_open(const char *spool_dir,
	const struct apsp_upload_options *options, struct apsp_upload **out,
	struct apsp_err *err)
{
	APSP_AUTO(upload_cleanup) struct apsp_upload *upload = NULL;
	struct apsp_inflate_limits limits = {
		.max_bytes = options->max_bytes,
		.max_ratio = options->max_ratio,
		.free_bytes = options->free_bytes,
	};
	int r;

	upload = calloc(1, sizeof(*upload));
	if (!upload)
		return apsp_fail(err, APSP_ENOMEM, "no memory for an upload");
	limits.share = &upload->share;
	upload->if_unweighted = options->if_unweighted;
	upload->format_unsaid = options->format_unsaid;
	upload->cpu_ms = options->cpu_ms;
	upload->cpu_rate = options->cpu_rate;
	apsp_graph_builder_init(&upload->builder, &upload->share);
	r = options->format_unsaid
		    ? 0
		    : apsp_format_check(options->format, &options->file, err);
	if (r == 0)
		r = builder_open(upload, spool_dir, options, err);
	if (r == 0 && !options->format_unsaid)
		r = parser_open(upload, options->format, err);
	if (r < 0)
		return r;
	r = apsp_inflate_new(options->coding, &limits, decompressed_take,
		upload, &upload->inflate, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(upload);
	return 0;
}

void apsp_upload_free(struct apsp_upload *upload)
{
	if (!upload)
		return;
	if (upload->type)
		upload->type->close(upload->parser);
	apsp_inflate_free(upload->inflate);
	apsp_graph_builder_done(&upload->builder);
	apsp_share_close(&upload->share);
	free(upload);
}

/* Whether the upload has cost more than its bytes have earned. */
static int cpu_check(const struct apsp_upload *upload, struct apsp_err *err)
{
	double limit_s;

	if (upload->cpu_rate == 0)
		return 0;
	limit_s = upload->cpu_ms / 1e3 +
		  (double)upload->sent_bytes / upload->cpu_rate;
	if ((double)upload->cpu_ns / 1e9 <= limit_s)
		return 0;
	return apsp_fail(err, APSP_ETOOLARGE,
		"reading the upload takes too long: its first %" PRIu64
		" bytes took more than %.3g s of processor time; send it "
		"plain, or as a list of arcs",
		upload->sent_bytes, limit_s);
}

int apsp_upload_step(struct apsp_upload *upload, const char **data,
	size_t *size, struct apsp_err *err)
{
	int64_t began = apsp_clock_thread_ns();
	size_t before = *size;
	int r = 1;

	for (int i = 0; i < STEP_CALLS && r > 0; i++)
		r = apsp_inflate_step(upload->inflate, data, size, err);
	upload->sent_bytes += before - *size;
	upload->cpu_ns += apsp_clock_thread_ns() - began;
	/* the data's own fault is told first */
	return r >= 0 && cpu_check(upload, err) < 0 ? APSP_ETOOLARGE : r;
}

int apsp_upload_write(struct apsp_upload *upload, const void *data, size_t size,
	struct apsp_err *err)
{
	const char *text = data;
	int r = 1;

	while (r > 0)
		r = apsp_upload_step(upload, &text, &size, err);
	return r;
}

int apsp_upload_end(struct apsp_upload *upload, struct apsp_err *err)
{
	int r = apsp_inflate_end(upload->inflate, err);

	upload->ended_s = apsp_clock_s();
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
	if (upload->builder.transform_unsaid)
		upload->builder.profile = upload->if_unweighted;
	if (apsp_labels_count(upload->builder.labels) == 0)
		return apsp_fail(err, APSP_EDATA,
			"the upload has no vertices, expected at least one");
	apsp_graph_builder_end(&upload->builder);
	r = apsp_arc_spool_flush(&upload->builder.spool, err);
	if (r < 0)
		return r;
	apsp_revision_end(&upload->builder.spool.revision,
		upload->builder.labels, upload->revision);
	return 0;
}

double apsp_upload_ended_s(const struct apsp_upload *upload)
{
	return upload->ended_s;
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
	apsp_labels_set_share(upload->builder.labels, NULL);
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

const struct apsp_findings *apsp_upload_findings(
	const struct apsp_upload *upload)
{
	return &upload->builder.findings;
}

int64_t apsp_upload_arcs(const struct apsp_upload *upload, uint64_t first,
	struct apsp_arc *out, size_t max, struct apsp_err *err)
{
	return apsp_arc_spool_read(
		&upload->builder.spool, first, out, max, err);
}
