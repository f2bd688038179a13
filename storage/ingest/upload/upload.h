/*
 * Receives one upload: decompresses bytes in pieces of any size and parses them
 * into labels and an unnamed temporary file of arcs. The store gets the upload
 * when the upload is complete (storage/ingest/README.md, Arcs are stored as
 * uploaded).
 *
 * An upload needs memory for fixed buffers and the labels; the memory does not
 * grow with the number of arcs. An upload belongs to one thread at a time.
 *
 * The work is divided into steps, which are short whatever the bytes are.
 * Between steps, the caller can check whether the client is still connected.
 */
#ifndef APSP_STORAGE_INGEST_UPLOAD_UPLOAD_H
#define APSP_STORAGE_INGEST_UPLOAD_UPLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/job/profile.h"
#include "daemon/job/table_file.h"
#include "daemon/job/unit.h"
#include "storage/ingest/formats/format.h"
#include "storage/ingest/graph_builder.h"
#include "storage/ingest/origin.h"
#include "storage/ingest/upload/inflate.h"

enum {
	APSP_UPLOAD_BLOCK = 512, /* the first APSP_UPLOAD_BLOCK bytes are
				    checked before they are parsed */
};

struct apsp_upload_options {
	enum apsp_format format;
	bool format_unsaid; /* the request names no format, so the format is
			       found from the first bytes */
	enum apsp_coding coding;
	/* The rule by which the profile `default` turns weights into lengths.
	   If this rule refuses a weight, the upload is refused, and the error
	   names the weight's line. */
	struct apsp_profile profile;
	/*
	 * The request has no transform. If the upload says that its weights are
	 * lengths, `profile` applies. If the upload has no weights,
	 * `if_unweighted` applies. An upload with any other weights is refused.
	 */
	bool transform_unsaid;
	struct apsp_profile if_unweighted;
	/* If keeps_rule is true, some options in `profile` were copied from
	   `kept_rule`, the rule of the graph that this upload replaces. */
	bool keeps_rule;
	struct apsp_profile kept_rule;
	struct apsp_file_options file;
	struct apsp_inflate_limits limits; /* `limits.share` is ignored */
	uint64_t max_arcs;
	/* the place where the table files of a bundle are stored */
	struct apsp_received_place received;
	/*
	 * Limit of processor time in milliseconds: `cpu_ms`, plus 1000 for each
	 * `cpu_rate` bytes of the body before decompression. If `cpu_rate` is
	 * 0, there is no limit.
	 */
	uint32_t cpu_ms;
	uint32_t cpu_rate;
	/* limits the memory and disk space of uploads; may be NULL; must
	   outlive the upload */
	struct apsp_budget *budget;
	struct apsp_holder *holder; /* the client that holds the upload's share
				       of `budget`; may be NULL */
	uint64_t body_bytes;	    /* Content-Length; 0 if unknown */
	/* largest size in bytes of the body before decompression; does not
	   apply to bundles; 0: no limit */
	uint64_t max_bytes;
	/*
	 * The upload has no body: the caller adds vertices and arcs to
	 * the upload's builder, and apsp_upload_step() must not be called.
	 * `format` is the format that the upload's record shows.
	 */
	bool no_body;
	/* The graph from which the caller makes the upload. If `no_body` is not
	   set, this member is unused. On success, apsp_upload_open() takes over
	   origin.question. */
	struct apsp_origin origin;
	/* The attributes that the graph gets: their id in the database. 0: if
	   the upload replaces a graph, the attributes of that graph stay. */
	uint64_t attributes;
	/* If weight_unit_said is true, the graph gets the unit `weight_unit`.
	   Otherwise a bundle gives its own unit, and an upload in another
	   format keeps the unit of the graph that it replaces. */
	bool weight_unit_said;
	char weight_unit[APSP_UNIT_SIZE];
};

/* The contents of a complete upload. */
struct apsp_upload_result {
	char revision[APSP_HASH_SIZE]; /* set by apsp_arc_spool_end() */
	enum apsp_format format;
	/* the rule of the profile `default`; if the request has no transform,
	   the transform depends on the upload's weights */
	struct apsp_profile profile;
	/* the rule of the replaced graph from which `profile` has options
	   (options.kept_rule); NULL: `profile` has no options from there;
	   borrowed */
	const struct apsp_profile *kept_rule;
	uint64_t n_arcs;
	/* facts about the arcs: a set of enum apsp_arc_fact */
	unsigned int weights;
	/* borrowed; a caller that needs the labels after apsp_upload_free()
	   calls apsp_labels_ref() */
	struct apsp_labels *labels;
	const struct apsp_arc_spool *arcs;
	const struct apsp_findings *findings; /* for the receipt */
	const struct apsp_origin *origin;     /* borrowed */
	uint64_t attributes; /* copied from struct apsp_upload_options */
	/* the unit of the weights; "": the weights have no unit; NULL: the
	   upload names no unit, so a graph that it replaces keeps its unit;
	   borrowed */
	const char *weight_unit;
	/* profiles and attributes, if the upload is a bundle */
	const struct apsp_bundled *bundled;
	double ended_s; /* value of apsp_clock_s() when the last byte had
			   arrived */
};

struct apsp_upload {
	/* complete after apsp_upload_end(); before, the caller must read only
	   result.bundled->is_bundle */
	struct apsp_upload_result result;
	/* The caller adds the vertices and arcs of an upload without a body to
	   this builder before it calls apsp_upload_end(). builder.share counts
	   the upload's memory. */
	struct apsp_graph_builder builder;

	/* The following members are private to upload.c. */
	struct apsp_upload_options options;
	struct apsp_share share;
	enum apsp_format format;
	const struct apsp_parser *type; /* functions of the format's parser */
	void *parser;
	struct apsp_inflate *inflate;
	bool block_checked;
	char block[APSP_UPLOAD_BLOCK]; /* copy of the first bytes until they
					  are checked */
	size_t block_size;
	uint64_t sent_bytes;
	int64_t cpu_ns; /* processor time spent so far */
};

/*
 * Begin an upload. spool_dir is the directory of the unnamed file; borrowed. On
 * success the caller owns *out and ends it with apsp_upload_free(), even if a
 * later call fails.
 *
 * APSP_EMALFORMED: the format does not accept an option. (If the format must be
 * found from the first bytes, apsp_upload_step() returns this error.)
 * APSP_ENOMEM. Also fails as apsp_share_open() does.
 */
int apsp_upload_open(const char *spool_dir,
	const struct apsp_upload_options *options, struct apsp_upload **out,
	struct apsp_err *err);
void apsp_upload_free(struct apsp_upload *upload);

/*
 * Process some of the next bytes and move *data and *size past them. Returns 1
 * if there is more to do: the caller must call this function again, even if
 * *size is 0. Returns 0 when all given bytes are processed. A step passes at
 * most 512 KiB of decompressed bytes to the parser.
 *
 * APSP_EDATA: the text is wrong at a line and column; the message says what was
 * found and what was expected. APSP_ETRANSFORM: the request does not say what
 * the weights mean (apsp_graph_builder_weighted()). APSP_ETOOLARGE: the upload
 * exceeds its limit of bytes, of arcs or of processor time. APSP_EBUSY: other
 * uploads use the memory, or there is no free descriptor. APSP_ENOSPACE: the
 * cache has no room for a table file of a bundle, because of --cache-limit or
 * because its disk is full. APSP_ESTATEFULL: the state directory's disk has too
 * little space for the uploads and the part that must stay free. APSP_EIO: a
 * temporary file cannot be made or written for another reason, or the free
 * space is unknown. APSP_EFORBIDDEN: the client is not allowed to send the
 * tables of a bundle. APSP_ENOMEM. After an error the upload can only be freed.
 */
int apsp_upload_step(struct apsp_upload *upload, const char **data,
	size_t *size, struct apsp_err *err);

/*
 * End a complete body: parse the last line, and compute the revision. Also look
 * for errors that only the end of a body shows: a truncated gzip stream, fewer
 * arcs than announced, or an empty graph. Fails as apsp_upload_step() does.
 */
int apsp_upload_end(struct apsp_upload *upload, struct apsp_err *err);

#endif
