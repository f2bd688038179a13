/*
 * Kept records; see kept_record.h. The texts of the fields lie one after the
 * other.
 */
#include "storage/ingest/formats/kept_record.h"

#include <stdlib.h>
#include <string.h>

enum {
	FIRST_TEXT = 4096,
	FIRST_FIELDS = 64,
};

static int text_reserve(
	struct apsp_kept_record *record, size_t size, struct apsp_err *err)
{
	size_t bigger = record->text_size ? record->text_size : FIRST_TEXT;
	char *text;
	int r;

	while (bigger < record->text_used + size)
		bigger *= 2;
	if (bigger == record->text_size)
		return 0;
	r = apsp_share_grow(record->share, bigger - record->text_size,
		"the first lines", err);
	if (r < 0)
		return r;
	text = realloc(record->text, bigger);
	if (!text)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a header");
	record->text = text;
	record->text_size = bigger;
	return 0;
}

static int fields_reserve(struct apsp_kept_record *record, struct apsp_err *err)
{
	size_t bigger =
		record->fields_size ? record->fields_size * 2 : FIRST_FIELDS;
	struct apsp_kept_record_field *fields;
	int r;

	if (record->n_fields < record->fields_size)
		return 0;
	r = apsp_share_grow(record->share,
		(bigger - record->fields_size) * sizeof(*fields),
		"the first lines", err);
	if (r < 0)
		return r;
	fields = realloc(record->fields, bigger * sizeof(*fields));
	if (!fields)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a header");
	record->fields = fields;
	record->fields_size = bigger;
	return 0;
}

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
	r = text_reserve(record, field->size, err);
	if (r < 0)
		return r;
	r = fields_reserve(record, err);
	if (r < 0)
		return r;
	memcpy(record->text + record->text_used, field->text, field->size);
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
