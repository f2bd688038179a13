/*
 * Reads a tar archive; see tar_reader.h.
 */
#include "storage/ingest/tar_reader.h"

#include <string.h>

#include "daemon/base/number.h"
#include "daemon/base/utf8.h"

static int damaged(const char *what, struct apsp_err *err)
{
	return apsp_fail(
		err, APSP_EDATA, "the tar archive is damaged: %s", what);
}

/* Apply the record "name=value" to the next member. Times, owners and comments
   are ignored. */
static int record_obey(struct apsp_tar_reader *self, const char *name,
	const char *value, struct apsp_err *err)
{
	static const char *const ignored[] = {"mtime", "atime", "ctime", "uid",
		"gid", "uname", "gname", "comment"};
	size_t size = strlen(value);

	if (strcmp(name, "size") == 0) {
		self->has_size = true;
		if (!apsp_number_parse_count(
			    value, UINT64_MAX, &self->pax_size))
			return damaged("a size is no number", err);
		return 0;
	}
	if (strcmp(name, "path") == 0) {
		self->has_name = true;
		if (size >= sizeof(self->pax_name))
			return apsp_fail(err, APSP_EDATA,
				"the name of the member '%s' is too long",
				apsp_excerpt_of(value, size).text);
		memcpy(self->pax_name, value, size + 1);
		return 0;
	}
	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		if (strcmp(name, ignored[i]) == 0)
			return 0;
	return apsp_fail(err, APSP_EDATA,
		"a member of the tar archive has the property '%s', expected "
		"plain files only",
		apsp_excerpt_of(name, strlen(name)).text);
}

/*
 * Parse the pax records in self->pax. A record is "length name=value\n"; its
 * length counts all bytes of the record.
 */
static int records_parse(struct apsp_tar_reader *self, struct apsp_err *err)
{
	char *at = self->pax, *end = at + self->used;

	if (memchr(at, '\0', self->used))
		return damaged("a pax record is wrong", err);
	while (at < end) {
		char *blank = memchr(at, ' ', (size_t)(end - at)), *equals;
		uint64_t length;
		int r;

		if (blank)
			*blank = '\0';
		if (!blank ||
			!apsp_number_parse_count(at, UINT64_MAX, &length) ||
			length > (uint64_t)(end - at) ||
			length < (uint64_t)(blank - at) + 3 ||
			at[length - 1] != '\n')
			return damaged("a pax record is wrong", err);
		at[length - 1] = '\0';
		equals = strchr(blank + 1, '=');
		if (!equals)
			return damaged("a pax record has no value", err);
		*equals = '\0';
		r = record_obey(self, blank + 1, equals + 1, err);
		if (r < 0)
			return r;
		at += length;
	}
	return 0;
}

static bool is_zero(const char *data, size_t size)
{
	return size == 0 ||
	       (*data == 0 && memcmp(data, data + 1, size - 1) == 0);
}

static int member_end(struct apsp_tar_reader *self, struct apsp_err *err)
{
	self->left = apsp_tar_padding(self->header.size);
	self->state = self->left ? APSP_TAR_IN_PADDING : APSP_TAR_AT_HEADER;
	if (self->header.type != APSP_TAR_PAX)
		return self->handler->end(self->ctx, err);
	return records_parse(self, err);
}

static int member_begin(struct apsp_tar_reader *self, struct apsp_err *err)
{
	struct apsp_tar_header *header = &self->header;
	bool is_pax = header->type == APSP_TAR_PAX;
	int r;

	if (is_pax && (self->has_size || self->has_name))
		return damaged("two pax headers follow each other", err);
	if (is_pax && header->size > APSP_TAR_PAX_MAX)
		return damaged("a pax header is too long", err);
	if (self->has_size && !is_pax)
		header->size = self->pax_size;
	if (self->has_name && !is_pax)
		memcpy(header->name, self->pax_name, sizeof(header->name));
	self->has_size = self->has_name = false;
	if (header->type == APSP_TAR_DIRECTORY && header->size > 0)
		return damaged("a directory has a size", err);
	/* refuse a size above INT64_MAX, so that the sum of size and padding
	   cannot overflow */
	if (header->size > INT64_MAX)
		return damaged("a size is too large", err);
	self->left = header->size;
	self->state = is_pax ? APSP_TAR_IN_PAX : APSP_TAR_IN_DATA;
	r = is_pax ? 0 : self->handler->begin(self->ctx, header, err);
	return r == 0 && self->left == 0 ? member_end(self, err) : r;
}

/* Process the whole block that is in self->block. */
static int block_end(struct apsp_tar_reader *self, struct apsp_err *err)
{
	bool zero = is_zero(self->block, sizeof(self->block));
	int r;

	self->used = 0;
	if (self->state == APSP_TAR_AT_END && !zero)
		return damaged("only one block of zeros ends it", err);
	if (zero) {
		if (self->has_size || self->has_name)
			return damaged("it ends after a pax header", err);
		self->state = self->state == APSP_TAR_AT_END ? APSP_TAR_ENDED
							     : APSP_TAR_AT_END;
		self->left = 0;
		return 0;
	}
	r = apsp_tar_header_read(self->block, &self->header, err);
	return r < 0 ? r : member_begin(self, err);
}

/* Read some of the next bytes. Returns the number of bytes that were read. */
static int64_t step(struct apsp_tar_reader *self, const char *data, size_t size,
	struct apsp_err *err)
{
	size_t n = sizeof(self->block) - self->used;
	int r = 0;

	if (self->state == APSP_TAR_IN_PAX || self->state == APSP_TAR_IN_DATA ||
		self->state == APSP_TAR_IN_PADDING)
		n = self->left < size ? (size_t)self->left : size;
	if (n > size)
		n = size;
	switch (self->state) {
	case APSP_TAR_AT_HEADER:
	case APSP_TAR_AT_END:
		memcpy(self->block + self->used, data, n);
		self->used += n;
		if (self->used == sizeof(self->block))
			r = block_end(self, err);
		break;
	case APSP_TAR_IN_PAX:
	case APSP_TAR_IN_DATA:
		self->left -= n;
		if (self->state == APSP_TAR_IN_DATA) {
			r = self->handler->data(self->ctx, data, n, err);
		} else {
			memcpy(self->pax + self->used, data, n);
			self->used += n;
		}
		if (r == 0 && self->left == 0)
			r = member_end(self, err);
		if (self->state != APSP_TAR_IN_PAX)
			self->used = 0;
		break;
	case APSP_TAR_IN_PADDING:
		if (!is_zero(data, n))
			return damaged(
				"there is data between two members", err);
		self->left -= n;
		if (self->left == 0)
			self->state = APSP_TAR_AT_HEADER;
		break;
	case APSP_TAR_ENDED:
		n = size;
		if (!is_zero(data, n))
			return damaged("there is data after its end", err);
		self->left += n;
		if (self->left > APSP_TAR_REST_MAX)
			return damaged("more than 1 MiB follows its end", err);
		break;
	}
	return r < 0 ? r : (int64_t)n;
}

int apsp_tar_reader_feed(struct apsp_tar_reader *self, const char *data,
	size_t size, struct apsp_err *err)
{
	while (size > 0) {
		int64_t n = step(self, data, size, err);

		if (n < 0)
			return (int)n;
		data += n;
		size -= (size_t)n;
	}
	return 0;
}

int apsp_tar_reader_end(struct apsp_tar_reader *self, struct apsp_err *err)
{
	if (self->state == APSP_TAR_ENDED)
		return 0;
	if (self->state == APSP_TAR_IN_DATA)
		return apsp_fail(err, APSP_EDATA,
			"the tar archive ends within the member '%s', which "
			"has %llu bytes more",
			apsp_excerpt_of(
				self->header.name, strlen(self->header.name))
				.text,
			(unsigned long long)self->left);
	return damaged("its end is missing", err);
}
