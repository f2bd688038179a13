/*
 * Reads an upload of attributes into the stored form
 * (storage/ingest/bundled.h). The upload is text with a header and one row for
 * each vertex, plain or compressed by gzip or zstd. The separator is a tab, a
 * comma or a semicolon, and is detected from the header. The vertices' labels
 * are in the column "label" or, if there is none, in the first column.
 *
 * A reader belongs to one thread at a time. It works in short steps.
 */
#ifndef APSP_STORAGE_ATTRIBUTES_ATTRIBUTE_READER_H
#define APSP_STORAGE_ATTRIBUTES_ATTRIBUTE_READER_H

#include <stddef.h>

#include "daemon/base/auto.h"
#include "daemon/base/err.h"
#include "storage/attributes/attributes.h"
#include "storage/ingest/upload/inflate.h"
#include "daemon/base/budget.h"

struct apsp_attribute_options {
	enum apsp_coding coding;
	struct apsp_inflate_limits limits; /* limits.share is ignored */
	/* limits the memory of the upload; may be NULL; must outlive the
	   reader */
	struct apsp_budget *budget;
	struct apsp_holder *holder; /* the client that holds the upload's share
				       of `budget`; may be NULL */
};

struct apsp_attribute_reader;

/*
 * Make a reader for one upload. The caller ends *out with
 * apsp_attribute_reader_free(). APSP_ENOMEM. Also fails as apsp_share_open()
 * does.
 */
int apsp_attribute_reader_open(const struct apsp_attribute_options *options,
	struct apsp_attribute_reader **out, struct apsp_err *err);
void apsp_attribute_reader_free(
	struct apsp_attribute_reader *reader); /* accepts NULL */
APSP_AUTO_DEFINE(apsp_attribute_reader_end, struct apsp_attribute_reader,
	apsp_attribute_reader_free);

/*
 * Process some of the next bytes and move *data and *size past them. Returns 1
 * if there is more to do, 0 when all bytes are processed. APSP_EDATA: the text
 * is wrong at the line and column in `err`. APSP_ETOOLARGE: the upload is
 * larger than a limit allows; APSP_EBUSY: the budget has no memory left at
 * present; APSP_ENOMEM. After an error the reader can only be freed.
 */
int apsp_attribute_reader_step(struct apsp_attribute_reader *reader,
	const char **data, size_t *size, struct apsp_err *err);

/* End the upload and store its attributes in *out, whose memory the caller
   owns. Fails as apsp_attribute_reader_step() does. */
int apsp_attribute_reader_finish(struct apsp_attribute_reader *reader,
	struct apsp_attribute_text *out, struct apsp_err *err);

#endif
