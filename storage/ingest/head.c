/*
 * Kept fields: their texts one after the other.
 */
#include "storage/ingest/head.h"

#include <stdlib.h>
#include <string.h>

enum {
	FIRST_TEXT = 4096,
	FIRST_FIELDS = 64,
};

static int text_reserve(
	struct apsp_head *head, size_t size, struct apsp_err *err)
{
	size_t bigger = head->text_size ? head->text_size : FIRST_TEXT;
	char *text;

	while (bigger < head->text_used + size)
		bigger *= 2;
	if (bigger == head->text_size)
		return 0;
	text = realloc(head->text, bigger);
	if (!text)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a header");
	head->text = text;
	head->text_size = bigger;
	return 0;
}

static int fields_reserve(struct apsp_head *head, struct apsp_err *err)
{
	size_t bigger =
		head->fields_size ? head->fields_size * 2 : FIRST_FIELDS;
	struct apsp_head_field *fields;

	if (head->n_fields < head->fields_size)
		return 0;
	fields = realloc(head->fields, bigger * sizeof(*fields));
	if (!fields)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a header");
	head->fields = fields;
	head->fields_size = bigger;
	return 0;
}

int apsp_head_add(struct apsp_head *head, const struct apsp_field *field,
	struct apsp_err *err)
{
	int r;

	if (field->size > APSP_HEAD_BYTES_MAX - head->text_used)
		return apsp_refuse(err, field->place,
			"the line has more than %d bytes", APSP_HEAD_BYTES_MAX);
	if (head->n_fields == APSP_HEAD_FIELDS_MAX)
		return apsp_refuse(err, field->place,
			"the line has more than %d fields",
			APSP_HEAD_FIELDS_MAX);
	r = text_reserve(head, field->size, err);
	if (r < 0)
		return r;
	r = fields_reserve(head, err);
	if (r < 0)
		return r;
	memcpy(head->text + head->text_used, field->text, field->size);
	head->fields[head->n_fields++] = (struct apsp_head_field){
		head->text_used, field->size, field->place};
	head->text_used += field->size;
	return 0;
}

struct apsp_field apsp_head_get(const struct apsp_head *head, size_t i)
{
	const struct apsp_head_field *field = &head->fields[i];

	return (struct apsp_field){
		head->text + field->offset, field->size, i, field->place};
}

void apsp_head_done(struct apsp_head *head)
{
	free(head->text);
	free(head->fields);
	memset(head, 0, sizeof(*head));
}
