/*
 * A copy of the fields of a record. A parser keeps a copy until it knows
 * whether the record is a header or data, or until the record is complete.
 */
#ifndef APSP_STORAGE_INGEST_FORMATS_KEPT_RECORD_H
#define APSP_STORAGE_INGEST_FORMATS_KEPT_RECORD_H

#include "storage/ingest/formats/csv_reader.h"
#include "daemon/base/budget.h"

enum {
	/* largest number of bytes of one record's text */
	APSP_KEPT_RECORD_BYTES_MAX = 1 << 25,
	/* largest number of fields of one record, and so of columns of a dense
	   matrix in text */
	APSP_KEPT_RECORD_FIELDS_MAX = 1 << 21,
};

struct apsp_kept_record_field {
	size_t offset, size;
	struct apsp_text_position place;
};

struct apsp_kept_record {
	/* the upload's share of the memory budget; the share counts the memory
	   of this record; may be NULL */
	struct apsp_share *share;
	char *text;
	struct apsp_kept_record_field *fields;
	/* sizes of the memory at `text` and `fields` */
	size_t text_size, fields_size;
	/* used bytes of `text`, and number of fields; set both to 0 to keep
	   another record in the same memory */
	size_t text_used, n_fields;
};

/*
 * Append a copy of a field. APSP_EDATA: the record is too long. APSP_ENOMEM.
 * Also fails as apsp_share_grow() does.
 */
int apsp_kept_record_add(struct apsp_kept_record *record,
	const struct apsp_field *field, struct apsp_err *err);

/* Return field i. Its text is borrowed. */
struct apsp_field apsp_kept_record_get(
	const struct apsp_kept_record *record, size_t i);

/* Free the copies of the fields. Afterwards the record is empty, and more
   fields can be added. `share` does not change. */
void apsp_kept_record_done(struct apsp_kept_record *record);

#endif
