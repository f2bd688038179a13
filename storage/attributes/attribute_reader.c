/*
 * Reads an upload of attributes; see attribute_reader.h. In the upload, the
 * column of labels may come after other columns. In the stored form, each
 * record begins with the label. So the fields of a record are copied, and the
 * copies are kept until the record is complete.
 */
#include "storage/attributes/attribute_reader.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/array.h"
#include "daemon/base/utf8.h"
#include "storage/ingest/formats/csv_reader.h"
#include "storage/ingest/formats/kept_record.h"

enum {
	FIELDS_MAX = APSP_ATTRIBUTE_COLUMNS_MAX + 1,
	FIRST_BYTES = 65536,
};

struct apsp_attribute_reader {
	struct apsp_share share;
	struct apsp_inflate *inflate;
	struct apsp_csv_reader *csv;
	struct apsp_labels *labels; /* the labels of all rows that were read so
				       far; used to find repeated labels */
	struct apsp_attribute_text text;
	size_t room;
	bool started; /* the header was read */
	size_t label; /* index of the column that has the labels */
	struct apsp_kept_record record; /* the present record */
};

static int text_append(struct apsp_attribute_reader *self, const char *text,
	size_t size, struct apsp_err *err)
{
	int r = apsp_array_reserve(&self->text.bytes,
		self->text.size + size + 1, &self->room,
		&(struct apsp_array_growth){
			1, FIRST_BYTES, "the attributes", &self->share},
		err);

	if (r < 0)
		return r;
	memcpy(self->text.bytes + self->text.size, text, size);
	self->text.bytes[self->text.size + size] = '\0';
	self->text.size += size + 1;
	return 0;
}

static int field_add(
	void *ctx, const struct apsp_field *field, struct apsp_err *err)
{
	struct apsp_attribute_reader *self = ctx;

	if (field->index >= FIELDS_MAX)
		return apsp_refuse(err, field->place,
			"found more than %d columns besides the label",
			APSP_ATTRIBUTE_COLUMNS_MAX);
	if (field->size > APSP_LABEL_MAX)
		return apsp_refuse(err, field->place,
			"'%s' has %zu bytes, expected at most %d",
			apsp_excerpt_of(field->text, field->size).text,
			field->size, APSP_LABEL_MAX);
	if (!apsp_utf8_valid(field->text, field->size))
		return apsp_refuse(err, field->place,
			"'%s' is not UTF-8 text without NUL",
			apsp_excerpt_of(field->text, field->size).text);
	return apsp_kept_record_add(&self->record, field, err);
}

static bool field_is(const struct apsp_attribute_reader *self, size_t i,
	const char *text, size_t size)
{
	const struct apsp_field field = apsp_kept_record_get(&self->record, i);

	return field.size == size && memcmp(field.text, text, size) == 0;
}

static int name_check(const struct apsp_attribute_reader *self, size_t i,
	struct apsp_err *err)
{
	const struct apsp_field field = apsp_kept_record_get(&self->record, i);
	struct apsp_excerpt shown = apsp_excerpt_of(field.text, field.size);

	if (field.size == 0 && i != self->label)
		return apsp_refuse(err, field.place, "the column has no name");
	/* pandas and R write row numbers in a first column without a name */
	if (field.size == 0 && self->record.n_fields > 2)
		return apsp_refuse(err, field.place,
			"the first column has no name, so it may have row "
			"numbers: name the column of the labels 'label', and "
			"leave row numbers out (in pandas, index=False)");
	if (field.size > APSP_ATTRIBUTE_NAME_MAX)
		return apsp_refuse(err, field.place,
			"the name '%s' has %zu bytes, expected at most %d",
			shown.text, field.size, APSP_ATTRIBUTE_NAME_MAX);
	if (memchr(field.text, ':', field.size))
		return apsp_refuse(err, field.place,
			"the name '%s' has a colon, which ends a name in "
			"match=name:value",
			shown.text);
	for (size_t k = 0; k < i; k++)
		if (field_is(self, k, field.text, field.size))
			return apsp_refuse(err, field.place,
				"two columns are called '%s'", shown.text);
	return 0;
}

/* Append a record to the stored form: its label, then its other fields. */
static int record_append(struct apsp_attribute_reader *self, const char *label,
	size_t size, struct apsp_err *err)
{
	int r = text_append(self, label, size, err);

	for (size_t i = 0; r == 0 && i < self->record.n_fields; i++) {
		const struct apsp_field field =
			apsp_kept_record_get(&self->record, i);

		if (i != self->label)
			r = text_append(self, field.text, field.size, err);
	}
	return r;
}

static int header_parse(struct apsp_attribute_reader *self,
	struct apsp_text_position place, struct apsp_err *err)
{
	struct apsp_field label;
	int r = 0;

	if (self->record.n_fields < 2)
		return apsp_refuse(err, place,
			"found %zu column, expected a header that names the "
			"label's column and at least one more",
			self->record.n_fields);
	for (size_t i = 0; i < self->record.n_fields; i++)
		if (field_is(self, i, "label", 5))
			self->label = i;
	for (size_t i = 0; r == 0 && i < self->record.n_fields; i++)
		r = name_check(self, i, err);
	self->text.n_columns = (uint32_t)self->record.n_fields - 1;
	self->started = true;
	label = apsp_kept_record_get(&self->record, self->label);
	if (r == 0 && !field_is(self, self->label, "label", 5))
		memcpy(self->text.label_name, label.text, label.size);
	return r < 0 ? r : record_append(self, "label", 5, err);
}

static int row_parse(struct apsp_attribute_reader *self,
	struct apsp_text_position place, struct apsp_err *err)
{
	const size_t n_fields = self->record.n_fields;
	struct apsp_field label;
	uint32_t index;
	int r;

	if (n_fields != self->text.n_columns + 1)
		return apsp_refuse(err, place,
			"found %zu field%s, expected %u as in the header",
			n_fields, n_fields == 1 ? "" : "s",
			self->text.n_columns + 1);
	label = apsp_kept_record_get(&self->record, self->label);
	r = apsp_labels_intern(
		self->labels, label.text, label.size, &index, err);
	if (r == APSP_EDATA)
		return apsp_refuse(
			err, label.place, "%s", err ? err->message : "");
	if (r == 0 && index < self->text.n_rows)
		return apsp_refuse(err, label.place,
			"the vertex '%s' has a row already",
			apsp_excerpt_of(label.text, label.size).text);
	if (r == 0)
		r = record_append(self, label.text, label.size, err);
	if (r < 0)
		return r;
	self->text.n_rows++;
	if ((uint64_t)self->text.n_rows * self->text.n_columns >
		APSP_ATTRIBUTE_CELLS_MAX)
		return apsp_fail(err, APSP_ETOOLARGE,
			"rows times columns are more than %d",
			APSP_ATTRIBUTE_CELLS_MAX);
	return 0;
}

static int record_parse(void *ctx, size_t n_fields,
	struct apsp_text_position place, struct apsp_err *err)
{
	struct apsp_attribute_reader *self = ctx;
	int r = self->started ? row_parse(self, place, err)
			      : header_parse(self, place, err);

	(void)n_fields;
	self->record.n_fields = self->record.text_used = 0;
	return r;
}

static int bytes_parse(
	void *ctx, const char *data, size_t size, struct apsp_err *err)
{
	struct apsp_attribute_reader *self = ctx;

	return apsp_csv_reader_feed(self->csv, data, size, err);
}

int apsp_attribute_reader_open(const struct apsp_attribute_options *options,
	struct apsp_attribute_reader **out, struct apsp_err *err)
{
	APSP_AUTO(apsp_attribute_reader_end)
	struct apsp_attribute_reader *self = NULL;
	struct apsp_inflate_limits limits = options->limits;
	struct apsp_csv_handler handler = {field_add, record_parse, NULL};
	int r;

	self = calloc(1, sizeof(*self));
	if (!self)
		return apsp_fail(err, APSP_ENOMEM, "no memory for attributes");
	r = apsp_share_open(
		options->budget, options->holder, 0, &self->share, err);
	if (r < 0)
		return r;
	limits.share = self->record.share = &self->share;
	handler.ctx = self;
	r = apsp_labels_new(&self->share, &self->labels, err);
	if (r == 0)
		r = apsp_csv_reader_new(
			APSP_SEPARATOR_DETECT, &handler, &self->csv, err);
	if (r == 0)
		r = apsp_inflate_new(options->coding, &limits, bytes_parse,
			self, &self->inflate, err);
	if (r == 0)
		*out = APSP_TAKE(self);
	return r;
}

void apsp_attribute_reader_free(struct apsp_attribute_reader *self)
{
	if (!self)
		return;
	apsp_inflate_free(self->inflate);
	free(self->csv);
	apsp_kept_record_done(&self->record);
	apsp_labels_unref(self->labels);
	apsp_attribute_text_done(&self->text);
	apsp_share_close(&self->share);
	free(self);
}

int apsp_attribute_reader_step(struct apsp_attribute_reader *self,
	const char **data, size_t *size, struct apsp_err *err)
{
	return apsp_inflate_step(self->inflate, data, size, err);
}

int apsp_attribute_reader_finish(struct apsp_attribute_reader *self,
	struct apsp_attribute_text *out, struct apsp_err *err)
{
	int r;

	r = apsp_inflate_end(self->inflate, err);
	if (r == 0)
		r = apsp_csv_reader_end(self->csv, err);
	if (r < 0)
		return r;
	if (!self->started)
		return apsp_fail(err, APSP_EDATA,
			"there is no header, expected one that names the "
			"label's column and at least one more");
	*out = self->text;
	memset(&self->text, 0, sizeof(self->text));
	return 0;
}
