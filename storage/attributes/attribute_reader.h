/*
 * Reads an upload of attributes into the stored form (attributes.h). The upload
 * is text with a header and one row for each vertex, plain or compressed by
 * gzip or zstd. Its separator, a tab, comma or semicolon, is detected from the
 * header. The vertices' labels are in the column "label", or else in the first
 * column.
 *
 * A reader belongs to one thread at a time. It works in short steps.
 */
#ifndef APSP_STORAGE_ATTRIBUTES_ATTRIBUTE_READER_H
#define APSP_STORAGE_ATTRIBUTES_ATTRIBUTE_READER_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/base/auto.h"
#include "daemon/base/err.h"
#include "storage/attributes/attributes.h"
#include "storage/ingest/upload/inflate.h"
#include "daemon/base/budget.h"

struct apsp_attribute_options {
	enum apsp_coding coding;
	struct apsp_inflate_limits limits; /* limits.share is not used */
	/* may be NULL; outlives the reader */
	struct apsp_budget *budget;
	struct apsp_holder *holder; /* the client whose share of `budget` this
				       is; may be NULL */
};

struct apsp_attribute_reader;

/*
 * Make a reader for one upload. The caller ends *out with
 * apsp_attribute_reader_free(). Errors of apsp_share_open(), APSP_ENOMEM.
 */
int apsp_attribute_reader_open(const struct apsp_attribute_options *options,
	struct apsp_attribute_reader **out, struct apsp_err *err);
void apsp_attribute_reader_free(
	struct apsp_attribute_reader *reader); /* accepts NULL */
APSP_AUTO_DEFINE(apsp_attribute_reader_end, struct apsp_attribute_reader,
	apsp_attribute_reader_free);

/*
 * Consume some of the next bytes; *data and *size move past them. Returns 1 if
 * more is to be done, 0 once all bytes are consumed. APSP_EDATA with line and
 * column; APSP_ETOOLARGE, APSP_EBUSY, APSP_ENOMEM. After an error the reader
 * can only be freed.
 */
int apsp_attribute_reader_step(struct apsp_attribute_reader *reader,
	const char **data, size_t *size, struct apsp_err *err);

/* End the body. The caller owns the memory of *out. Errors as
   apsp_attribute_reader_step(). */
int apsp_attribute_reader_finish(struct apsp_attribute_reader *reader,
	struct apsp_attribute_text *out, struct apsp_err *err);

#endif
