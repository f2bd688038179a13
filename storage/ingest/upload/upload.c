/*
 * Receives an upload; see upload.h. The first block of a text is checked before
 * it is parsed: a byte order mark is skipped, and binary data is refused.
 */
#include "storage/ingest/upload/upload.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "storage/ingest/formats/first_block.h"
#include "storage/ingest/formats/parser.h"

enum {
	STEP_CALLS = 4, /* number of calls of the decoder in one step */
};

APSP_AUTO_DEFINE(upload_cleanup, struct apsp_upload, apsp_upload_free);

/* Refuse an option that the format does not accept. */
static int options_check(enum apsp_format format,
	const struct apsp_file_options *file, struct apsp_err *err)
{
	const unsigned int files = apsp_formats[format].files;
	const char *why = NULL;
	bool columns = false;

	for (int role = 0; role < APSP_N_ROLES; role++)
		columns |= *file->columns[role] != '\0';
	if (file->has_nonedge && !(files & APSP_FILE_DENSE))
		why = "nonedge is the cell of a dense matrix that means no arc";
	else if (file->undirected && !(files & APSP_FILE_LIST))
		why = "undirected adds the reverse of each arc of a list; a "
		      "matrix has both directions itself";
	else if (columns && !(files & APSP_FILE_COLUMNS))
		why = "from_column, to_column and weight_column name columns "
		      "of a list";
	else if (file->decimal_comma && !(files & APSP_FILE_DECIMAL))
		why = "decimal is the decimal mark of separated text";
	else if (file->rule_said && files & APSP_FILE_RULES)
		why = "a bundle has its own rules, so it cannot be sent with "
		      "options of a rule, such as transform; change a rule "
		      "afterwards with PUT …/profiles/default";
	else if (file->recompute_tables && !(files & APSP_FILE_RULES))
		why = "tables=recompute leaves out the tables of a bundle";
	else if (file->prove && !(files & APSP_FILE_RULES))
		why = "prove says how the tables of a bundle are proved";
	if (!why)
		return 0;
	return apsp_fail(err, APSP_EMALFORMED,
		"%s; format %s does not accept this option", why,
		apsp_formats[format].name);
}

static int parser_open(struct apsp_upload *upload, enum apsp_format format,
	struct apsp_err *err)
{
	upload->format = format;
	upload->type = apsp_formats[format].parser;
	upload->parser = calloc(1, upload->type->size);
	if (!upload->parser)
		return apsp_fail(err, APSP_ENOMEM, "no memory for an upload");
	*(struct apsp_graph_builder **)upload->parser = &upload->builder;
	return upload->type->open ? upload->type->open(upload->parser, err) : 0;
}

/*
 * Check the first block of a file. If the request names no format, find the
 * format from this block. Then pass the block, without the byte order mark, to
 * the parser.
 */
static int block_check(struct apsp_upload *upload, struct apsp_err *err)
{
	const bool unsaid = upload->options.format_unsaid;
	const char *block = upload->block;
	enum apsp_format format = upload->format;
	size_t size = upload->block_size, mark = 0;
	int r = 0;

	upload->block_checked = true;
	if (unsaid) {
		format = apsp_first_block_format(block, size);
		r = options_check(format, &upload->options.file, err);
	}
	if (r == 0)
		r = apsp_first_block_check(
			block, size, format, &upload->options.file, &mark, err);
	if (r == 0 && unsaid)
		r = parser_open(upload, format, err);
	if (r < 0 || mark == size)
		return r;
	return upload->type->feed(
		upload->parser, block + mark, size - mark, err);
}

static int decompressed_parse(
	void *ctx, const char *data, size_t size, struct apsp_err *err)
{
	struct apsp_upload *upload = ctx;
	size_t n;
	int r;

	if (!upload->block_checked) {
		n = APSP_UPLOAD_BLOCK - upload->block_size;
		if (n > size)
			n = size;
		memcpy(upload->block + upload->block_size, data, n);
		upload->block_size += n;
		data += n;
		size -= n;
		if (upload->block_size < APSP_UPLOAD_BLOCK)
			return 0;
		r = block_check(upload, err);
		if (r < 0)
			return r;
	}
	return size ? upload->type->feed(upload->parser, data, size, err) : 0;
}

int apsp_upload_open(const char *spool_dir,
	const struct apsp_upload_options *options, struct apsp_upload **out,
	struct apsp_err *err)
{
	APSP_AUTO(upload_cleanup) struct apsp_upload *upload = NULL;
	struct apsp_inflate_limits limits = options->limits;
	struct apsp_graph_builder *builder;
	uint64_t arcs_bytes; /* estimated bytes of the stored arcs; 0: the size
				of the body is unknown */
	int r = 0;

	upload = calloc(1, sizeof(*upload));
	if (!upload)
		return apsp_fail(err, APSP_ENOMEM, "no memory for an upload");
	upload->options = *options;
	upload->options.origin = (struct apsp_origin){0};
	builder = &upload->builder;
	upload->result.bundled = &builder->bundled;
	builder->profile = options->profile;
	builder->transform_unsaid = options->transform_unsaid;
	builder->file = options->file;
	builder->max_arcs = options->max_arcs;
	builder->received = options->received;
	builder->share = limits.share = &upload->share;
	/* Estimate the size of the stored arcs from the size of the body. A
	   line of a list of arcs has about as many bytes as a stored arc.
	   Compressed text has about a quarter of its original size. */
	if (__builtin_mul_overflow(options->body_bytes,
		    options->coding == APSP_CODING_IDENTITY ? 1 : 4,
		    &arcs_bytes))
		arcs_bytes = UINT64_MAX;
	if (!options->format_unsaid && !options->no_body)
		r = options_check(options->format, &options->file, err);
	if (r == 0)
		r = apsp_share_open(options->budget, options->holder,
			arcs_bytes, &upload->share, err);
	if (r == 0)
		r = apsp_graph_builder_open(builder, spool_dir, err);
	upload->format = options->format;
	if (r == 0 && !options->format_unsaid && !options->no_body)
		r = parser_open(upload, options->format, err);
	if (r == 0 && !options->no_body)
		r = apsp_inflate_new(options->coding, &limits,
			decompressed_parse, upload, &upload->inflate, err);
	if (r < 0)
		return r;
	if (options->no_body)
		upload->options.origin = options->origin;
	*out = APSP_TAKE(upload);
	return 0;
}

void apsp_upload_free(struct apsp_upload *upload)
{
	if (!upload)
		return;
	if (upload->parser && upload->type->done)
		upload->type->done(upload->parser);
	free(upload->parser);
	apsp_inflate_free(upload->inflate);
	apsp_graph_builder_done(&upload->builder);
	apsp_share_close(&upload->share);
	free(upload->options.origin.question);
	free(upload);
}

int apsp_upload_step(struct apsp_upload *upload, const char **data,
	size_t *size, struct apsp_err *err)
{
	const struct apsp_upload_options *options = &upload->options;
	int64_t began = apsp_clock_thread_ns();
	size_t before = *size;
	double limit_s;
	int r = 1;

	for (int i = 0; i < STEP_CALLS && r > 0; i++)
		r = apsp_inflate_step(upload->inflate, data, size, err);
	upload->sent_bytes += before - *size;
	upload->cpu_ns += apsp_clock_thread_ns() - began;
	/* The limit does not apply to bundles. But a bundle is recognised by
	   its first 512 decompressed bytes. Until they have arrived, the limit
	   applies, so that an upload of many bytes that decompress to almost
	   nothing is refused. */
	if (options->max_bytes > 0 && upload->sent_bytes > options->max_bytes &&
		(!upload->block_checked ||
			upload->format != APSP_FORMAT_BUNDLE))
		return apsp_fail(err, APSP_ETOOLARGE,
			"the body is larger than the limit of %" PRIu64
			" bytes",
			options->max_bytes);
	if (r < 0 || options->cpu_rate == 0)
		return r;
	limit_s = options->cpu_ms / 1e3 +
		  (double)upload->sent_bytes / options->cpu_rate;
	if ((double)upload->cpu_ns / 1e9 <= limit_s)
		return r;
	return apsp_fail(err, APSP_ETOOLARGE,
		"reading the upload takes too long: its first %" PRIu64
		" bytes took more than %.3g s of processor time; send it "
		"plain, or as a list of arcs",
		upload->sent_bytes, limit_s);
}

int apsp_upload_end(struct apsp_upload *upload, struct apsp_err *err)
{
	struct apsp_upload_result *result = &upload->result;
	struct apsp_graph_builder *builder = &upload->builder;
	int r = 0;

	result->ended_s = apsp_clock_s();
	if (!upload->options.no_body) {
		r = apsp_inflate_end(upload->inflate, err);
		if (r == 0 && !upload->block_checked)
			r = block_check(upload, err);
		if (r == 0)
			r = upload->type->end(upload->parser, err);
	}
	if (r < 0)
		return r;
	if (builder->transform_unsaid)
		builder->profile = upload->options.if_unweighted;
	if (builder->labels->count == 0)
		return apsp_fail(err, APSP_EDATA,
			"the upload has no vertices, expected at least one");
	apsp_graph_builder_end(builder);
	r = apsp_arc_spool_end(
		&builder->spool, builder->labels, result->revision, err);
	if (r < 0)
		return r;
	if (builder->bundled.is_bundle &&
		strcmp(builder->bundled.revision, result->revision) != 0)
		return apsp_fail(err, APSP_EDATA,
			"the members 'labels' and 'arcs' have the revision "
			"%.16s…, but bundle.json says %.16s…",
			result->revision, builder->bundled.revision);
	result->format = upload->format;
	result->profile = builder->profile;
	if (upload->options.keeps_rule && !builder->bundled.is_bundle)
		result->kept_rule = &upload->options.kept_rule;
	result->n_arcs = builder->spool.n_arcs;
	result->arcs = &builder->spool;
	result->weights = builder->weights;
	result->labels = builder->labels;
	result->findings = &builder->findings;
	result->origin = builder->bundled.is_bundle ? &builder->bundled.origin
						    : &upload->options.origin;
	result->attributes = upload->options.attributes;
	if (upload->options.weight_unit_said)
		result->weight_unit = upload->options.weight_unit;
	else if (builder->bundled.is_bundle)
		result->weight_unit = builder->bundled.weight_unit;
	return 0;
}
