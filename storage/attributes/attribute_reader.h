/*
 * An upload of attributes: separated text with a header, one row a vertex, into
 * the stored form (attributes.h). Plain, gzip or zstd; tabs, commas or
 * semicolons, as the header tells. The column "label" has the vertices' labels;
 * where no column is called so, the first has.
 *
 * Belongs to one thread at a time. Work is done in short steps.
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
	uint64_t max_bytes;  /* decompressed */
	uint32_t max_ratio;  /* as in struct apsp_inflate_limits */
	uint64_t free_bytes; /* as there */
	/* may be NULL; outlives the reader */
	struct apsp_budget *budget;
	struct apsp_holder *holder; /* of its share; may be NULL */
};

struct apsp_attribute_reader;

/*
 * The caller ends *out with apsp_attribute_reader_free(). Errors of
 * apsp_share_open(), APSP_ENOMEM.
 */
int apsp_attribute_reader_open(const struct apsp_attribute_options *options,
	struct apsp_attribute_reader **out, struct apsp_err *err);
void apsp_attribute_reader_free(
	struct apsp_attribute_reader *reader); /* accepts NULL */
APSP_AUTO_DEFINE(apsp_attribute_reader_end, struct apsp_attribute_reader,
	apsp_attribute_reader_free);

/*
 * Take some of the next bytes: *data and *size move past them. Returns 1 if
 * more is to be done, 0 once all are worked up. APSP_EDATA with line and
 * column; APSP_ETOOLARGE, APSP_EBUSY, APSP_ENOMEM. After an error the reader
 * can only be freed.
 */
int apsp_attribute_reader_step(struct apsp_attribute_reader *reader,
	const char **data, size_t *size, struct apsp_err *err);

/* The body is complete; the caller owns what *out holds. Errors as above. */
int apsp_attribute_reader_finish(struct apsp_attribute_reader *reader,
	struct apsp_attribute_text *out, struct apsp_err *err);

#endif
