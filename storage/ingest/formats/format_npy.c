/*
 * The format npy: NumPy's array files (NEP 1), versions 1 to 3. A square 2-D
 * array is a dense matrix of the vertices 0 … N-1. Arcs have the order of the
 * file: by rows, or by columns if the array is in Fortran order.
 *
 *	"\x93NUMPY" | major minor | u16 or u32 size | header text | elements
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/utf8.h"
#include "storage/ingest/formats/parser.h"
#include "storage/ingest/graph_builder.h"

enum {
	PREFIX_SIZE = 12, /* size in bytes of the magic, the version and a
			     32-bit size of the header text */
	HEADER_MAX = 1 << 16,
};

struct npy {
	struct apsp_graph_builder *builder;
	size_t header_size; /* bytes before the elements; 0 if unknown */
	char kind; /* type of the elements: 'f' (float), 'i' (signed integer),
		      'u' (unsigned integer) or 'b' (boolean) */
	bool big_endian, fortran;
	size_t element_size;
	uint64_t n, row, column;
	size_t held_size; /* bytes in held */
	/* bytes of the header that were read so far; after the header, bytes of
	   an element that is not complete */
	char held[HEADER_MAX + 1];
};

static int header_refuse(const char *what, struct apsp_err *err)
{
	return apsp_fail(err, APSP_EDATA, "the npy header %s", what);
}

/* Return the text of a key's value in the header's dictionary; NULL: there is
   no such key. */
static const char *value_find(const char *header, const char *key)
{
	const char *p = strstr(header, key);

	if (!p)
		return NULL;
	p += strlen(key);
	p += strspn(p, " ");
	if (*p != ':')
		return NULL;
	p++;
	return p + strspn(p, " ");
}

static int descr_parse(
	struct npy *self, const char *value, struct apsp_err *err)
{
	size_t size;

	if (!value || (*value != '\'' && *value != '"'))
		return header_refuse(
			"has no simple 'descr', expected one like '<f8'", err);
	value++;
	size = strcspn(value, "'\"");
	if (size == 3 && strchr("<>|=", value[0]) && strchr("fiub", value[1]) &&
		strchr("1248", value[2])) {
		self->big_endian = value[0] == '>';
		self->kind = value[1];
		self->element_size = (size_t)(value[2] - '0');
		if ((self->kind == 'f' && self->element_size > 1) ||
			(self->kind == 'b' && self->element_size == 1) ||
			strchr("iu", self->kind))
			return 0;
	}
	return apsp_fail(err, APSP_EDATA,
		"the npy header has elements '%s', expected integers, booleans "
		"or floats of at most 64 bits",
		apsp_excerpt_of(value, size).text);
}

static int shape_parse(
	struct npy *self, const char *value, struct apsp_err *err)
{
	uint64_t sizes[2] = {0, 0};
	size_t digits;

	if (!value || *value != '(')
		return header_refuse("has no 'shape'", err);
	for (int i = 0; i < 2; i++) {
		value++;
		value += strspn(value, " ");
		digits = strspn(value, "0123456789");
		if (digits == 0 || digits > 18)
			return header_refuse(
				"has another shape, expected two sizes", err);
		sizes[i] = strtoull(value, NULL, 10);
		value += digits;
		value += strspn(value, " L");
		if (i == 0 && *value != ',')
			break;
	}
	if (*value == ',')
		value++;
	value += strspn(value, " ");
	if (*value != ')')
		return header_refuse(
			"has another shape, expected two sizes", err);
	if (sizes[0] != sizes[1])
		return apsp_fail(err, APSP_EDATA,
			"the npy array has %" PRIu64 " rows and %" PRIu64
			" columns, expected a square matrix",
			sizes[0], sizes[1]);
	self->n = sizes[0];
	return apsp_graph_builder_numbered(
		self->builder, 0, self->n, (struct apsp_text_position){0}, err);
}

/* Parse the complete header, which is in self->held. The text of its dictionary
   begins at offset `text`. */
static int header_parse(struct npy *self, size_t text, struct apsp_err *err)
{
	const char *order;
	int r;

	self->held[self->header_size] = '\0';
	order = value_find(self->held + text, "'fortran_order'");
	if (!order || (strncmp(order, "True", 4) && strncmp(order, "False", 5)))
		return header_refuse(
			"has no 'fortran_order' that is True or False", err);
	self->fortran = *order == 'T';
	r = descr_parse(self, value_find(self->held + text, "'descr'"), err);
	if (r < 0)
		return r;
	return shape_parse(self, value_find(self->held + text, "'shape'"), err);
}

static int header_byte(struct npy *self, char c, struct apsp_err *err)
{
	const uint8_t *p = (const uint8_t *)self->held;
	size_t text, size, used;

	self->held[self->held_size++] = c;
	used = self->held_size;
	if (used <= 6 && c != "\x93NUMPY"[used - 1])
		return apsp_fail(err, APSP_EDATA,
			"the file does not begin like an npy file");
	if (used < 8)
		return 0;
	if (p[6] < 1 || p[6] > 3)
		return apsp_fail(err, APSP_EDATA,
			"the npy file has version %d, expected 1 to 3", p[6]);
	text = p[6] == 1 ? PREFIX_SIZE - 2 : PREFIX_SIZE;
	if (used < text)
		return 0;
	size = p[8] | (size_t)p[9] << 8;
	if (p[6] > 1)
		size |= (size_t)p[10] << 16 | (size_t)p[11] << 24;
	if (size > HEADER_MAX - PREFIX_SIZE)
		return header_refuse("is too long", err);
	if (used < text + size)
		return 0;
	self->header_size = used;
	self->held_size = 0;
	return header_parse(self, text, err);
}

static double half_value(uint64_t bits)
{
	const int exponent = (int)(bits >> 10 & 31);
	const double fraction = (double)(bits & 1023);
	double value;

	if (exponent == 31)
		value = fraction != 0 ? NAN : INFINITY;
	else if (exponent == 0)
		value = ldexp(fraction, -24);
	else
		value = ldexp(fraction + 1024, exponent - 25);
	return bits >> 15 ? -value : value;
}

/* Return the value of an integer, and record whether it was rounded. */
static double integer_value(const struct npy *self, uint64_t bits)
{
	/* move the sign bit to the top, then extend it downwards */
	const unsigned int shift = 64 - 8 * (unsigned int)self->element_size;
	const int64_t integer = (int64_t)(bits << shift) >> shift;
	const bool is_signed = self->kind == 'i';
	const double value = is_signed ? (double)integer : (double)bits;
	char text[24];
	int size;

	/* do not format the cells that mean no arc: they may be 2^63 - 1, and
	   most cells */
	if (fabs(value) < 0x1p53 || value == self->builder->file.nonedge)
		return value;
	size = is_signed ? snprintf(text, sizeof(text), "%" PRId64, integer)
			 : snprintf(text, sizeof(text), "%" PRIu64, bits);
	apsp_graph_builder_whole(self->builder, text, (size_t)size, value);
	return value;
}

static double element_value(const struct npy *self, const char *data)
{
	const size_t size = self->element_size;
	const uint8_t *p = (const uint8_t *)data;
	uint64_t bits = 0;
	uint32_t low;
	double value;
	float single;

	for (size_t i = 0; i < size; i++)
		bits |= (uint64_t)p[self->big_endian ? size - 1 - i : i]
			<< (8 * i);
	if (self->kind == 'b')
		return bits != 0;
	if (self->kind == 'i' || self->kind == 'u')
		return integer_value(self, bits);
	if (size == 2)
		return half_value(bits);
	if (size == 4) {
		low = (uint32_t)bits;
		memcpy(&single, &low, sizeof(single));
		return single;
	}
	memcpy(&value, &bits, sizeof(value));
	return value;
}

static int full(const struct npy *self, struct apsp_err *err)
{
	return apsp_fail(err, APSP_EDATA,
		"the npy file continues after its %" PRIu64 " × %" PRIu64
		" elements",
		self->n, self->n);
}

static int element_parse(
	struct npy *self, const char *data, struct apsp_err *err)
{
	const struct apsp_text_position place = {
		self->row + 1, self->column + 1, true};
	uint64_t *inner = self->fortran ? &self->row : &self->column;
	uint64_t *outer = self->fortran ? &self->column : &self->row;
	int r;

	if (*outer == self->n)
		return full(self, err);
	r = apsp_graph_builder_cell(self->builder, (uint32_t)self->row,
		(uint32_t)self->column, element_value(self, data), place, err);
	if (++*inner == self->n) {
		*inner = 0;
		++*outer;
	}
	return r;
}

static int npy_feed(
	void *parser, const char *data, size_t size, struct apsp_err *err)
{
	struct npy *self = parser;
	const char *end = data + size;
	int r = 0;

	while (!self->header_size && data < end && r == 0)
		r = header_byte(self, *data++, err);
	while (data < end && r == 0) {
		if (self->held_size == 0 &&
			(size_t)(end - data) >= self->element_size) {
			r = element_parse(self, data, err);
			data += self->element_size;
			continue;
		}
		self->held[self->held_size++] = *data++;
		if (self->held_size == self->element_size) {
			self->held_size = 0;
			r = element_parse(self, self->held, err);
		}
	}
	return r;
}

static int npy_end(void *parser, struct apsp_err *err)
{
	struct npy *self = parser;
	const uint64_t outer = self->fortran ? self->column : self->row;

	if (!self->header_size)
		return apsp_fail(
			err, APSP_EDATA, "the npy file ends in its header");
	if (outer < self->n)
		return apsp_refuse(err,
			(struct apsp_text_position){
				self->row + 1, self->column + 1, true},
			"the npy file ends, expected %" PRIu64 " × %" PRIu64
			" elements",
			self->n, self->n);
	return self->held_size ? full(self, err) : 0;
}

const struct apsp_parser apsp_parser_npy = {
	sizeof(struct npy), NULL, npy_feed, npy_end, NULL};
