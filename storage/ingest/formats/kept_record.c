/*
 * Kept records; see kept_record.h. The texts of the fields are concatenated.
 */
#include "storage/ingest/formats/kept_record.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/array.h"

enum {
	FIRST_TEXT = 4096,
	FIRST_FIELDS = 64,
};

int apsp_kept_record_add(struct apsp_kept_record *record,
	const struct apsp_field *field, struct apsp_err *err)
{
	int r;

	if (field->size > APSP_KEPT_RECORD_BYTES_MAX - record->text_used)
		return apsp_refuse(err, field->place,
			"the line has more than %d bytes",
			APSP_KEPT_RECORD_BYTES_MAX);
	if (record->n_fields == APSP_KEPT_RECORD_FIELDS_MAX)
		return apsp_refuse(err, field->place,
			"the line has more than %d fields",
			APSP_KEPT_RECORD_FIELDS_MAX);
	/* reserve one byte more, so that record->text is never NULL */
	r = apsp_array_reserve(&record->text,
		record->text_used + field->size + 1, &record->text_size,
		&(struct apsp_array_growth){
			1, FIRST_TEXT, "the first lines", record->share},
		err);
	if (r == 0)
		r = apsp_array_reserve(&record->fields, record->n_fields + 1,
			&record->fields_size,
			&(struct apsp_array_growth){sizeof(*record->fields),
				FIRST_FIELDS, "the first lines", record->share},
			err);
	if (r < 0)
		return r;
	/* copy nothing from an empty field, because field->text may be NULL */
	if (field->size > 0)
		memcpy(record->text + record->text_used, field->text,
			field->size);
	record->fields[record->n_fields++] = (struct apsp_kept_record_field){
		record->text_used, field->size, field->place};
	record->text_used += field->size;
	return 0;
}

struct apsp_field apsp_kept_record_get(
	const struct apsp_kept_record *record, size_t i)
{
	const struct apsp_kept_record_field *field = &record->fields[i];

	return (struct apsp_field){
		record->text + field->offset, field->size, i, field->place};
}

void apsp_kept_record_done(struct apsp_kept_record *record)
{
	struct apsp_share *share = record->share;

	free(record->text);
	free(record->fields);
	apsp_share_shrink(
		share, record->text_size +
			       record->fields_size * sizeof(*record->fields));
	memset(record, 0, sizeof(*record));
	record->share = share;
}
