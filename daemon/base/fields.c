/*
 * Writing and reading fields; see fields.h.
 */
#include "daemon/base/fields.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "daemon/base/hex.h"
#include "daemon/base/number.h"
#include "daemon/base/utf8.h"

bool apsp_fields_add(
	char *text, size_t size, const char *name, const char *format, ...)
{
	char value[APSP_FIELD_VALUE_SIZE];
	size_t used = strlen(text);
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(value, sizeof(value), format, args);
	va_end(args);
	if (length < 0 || used + strlen(name) + 3 > size)
		return false;
	used += (size_t)snprintf(
		text + used, size - used, "%s%s ", used > 0 ? " " : "", name);
	for (const char *c = value; *c; c++) {
		unsigned char byte = (unsigned char)*c;
		bool escaped = byte <= ' ' || byte == 0x7f || byte == '%';

		/* write either the whole escape or nothing: a part of an escape
		   could not be parsed */
		if (used + (escaped ? 3 : 1) >= size)
			return false;
		used += (size_t)snprintf(text + used, size - used,
			escaped ? "%%%02X" : "%c", byte);
	}
	return length < (int)sizeof(value);
}

/* Read a value up to the next blank or the end of the text, and return the
   address of its end. NULL: the value is malformed. */
static const char *value_read(const char *text, char *out, size_t size)
{
	size_t used = 0;

	while (*text && *text != ' ') {
		int byte = *text == '%' ? apsp_hex_byte(text + 1)
					: (unsigned char)*text;

		if (byte <= 0)
			return NULL;
		if (used + 1 == size) {
			/* leave out a character that does not fit completely */
			while (used > 0 && (byte & 0xc0) == 0x80)
				byte = (unsigned char)out[--used];
			text += strcspn(text, " ");
			break;
		}
		text += *text == '%' ? 3 : 1;
		out[used++] = (char)byte;
	}
	out[used] = '\0';
	apsp_utf8_clean(out);
	return text;
}

bool apsp_fields_next(const char **text, char name[APSP_FIELD_NAME_SIZE],
	char *value, size_t size)
{
	size_t length = strcspn(*text, " ");
	const char *at = *text + length;

	if (length == 0 || length >= APSP_FIELD_NAME_SIZE || !*at)
		return false;
	memcpy(name, *text, length);
	name[length] = '\0';
	at = value_read(at + 1, value, size);
	if (!at || (*at == ' ' && !at[1]))
		return false;
	*text = at + (*at == ' ');
	return true;
}

bool apsp_fields_get(
	const char *text, const char *name, char *value, size_t size)
{
	char found[APSP_FIELD_NAME_SIZE];

	while (apsp_fields_next(&text, found, value, size))
		if (strcmp(found, name) == 0)
			return true;
	return false;
}

bool apsp_fields_get_real(const char *text, const char *name, double *out)
{
	char value[APSP_NUMBER_TEXT_SIZE];

	return apsp_fields_get(text, name, value, sizeof(value)) &&
	       apsp_number_parse(value, strlen(value), out) ==
		       APSP_NUMBER_FINITE;
}

void apsp_fields_write(char *text, size_t size,
	const struct apsp_member *fields, size_t n, const void *from)
{
	for (size_t i = 0; i < n; i++) {
		const struct apsp_member *field = &fields[i];
		const void *at = (const char *)from + field->offset;

		switch (field->type) {
		case APSP_MEMBER_TEXT:
			apsp_fields_add(text, size, field->name, "%s",
				(const char *)at);
			break;
		case APSP_MEMBER_FLAG:
			apsp_fields_add(text, size, field->name, "%d",
				*(const bool *)at);
			break;
		case APSP_MEMBER_U32:
			apsp_fields_add(text, size, field->name, "%" PRIu32,
				*(const uint32_t *)at);
			break;
		case APSP_MEMBER_U64:
			apsp_fields_add(text, size, field->name, "%" PRIu64,
				*(const uint64_t *)at);
			break;
		case APSP_MEMBER_REAL:
			apsp_fields_add(text, size, field->name, "%.9g",
				*(const double *)at);
			break;
		}
	}
}

static bool member_read(
	const char *text, const struct apsp_member *field, void *to)
{
	char value[APSP_FIELD_VALUE_SIZE];
	uint64_t count;
	double real;

	if (field->type == APSP_MEMBER_TEXT) {
		if (!apsp_fields_get(text, field->name, value, field->size))
			return false;
		strcpy(to, value);
		return true;
	}
	if (field->type == APSP_MEMBER_REAL) {
		if (!apsp_fields_get_real(text, field->name, &real))
			return false;
		*(double *)to = real;
		return true;
	}
	if (!apsp_fields_get(text, field->name, value, sizeof(value)) ||
		!apsp_number_parse_count(value,
			field->type == APSP_MEMBER_FLAG	 ? 1
			: field->type == APSP_MEMBER_U32 ? UINT32_MAX
							 : UINT64_MAX,
			&count))
		return false;
	if (field->type == APSP_MEMBER_FLAG)
		*(bool *)to = count == 1;
	else if (field->type == APSP_MEMBER_U32)
		*(uint32_t *)to = (uint32_t)count;
	else
		*(uint64_t *)to = count;
	return true;
}

size_t apsp_fields_read(
	const char *text, const struct apsp_member *fields, size_t n, void *to)
{
	size_t n_set = 0;

	for (size_t i = 0; i < n; i++)
		n_set += member_read(
			text, &fields[i], (char *)to + fields[i].offset);
	return n_set;
}
