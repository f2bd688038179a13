/*
 * Matrices as NumPy files; see matrix.h.
 */
#include "api/tables/matrix.h"

#include <stdlib.h>
#include <string.h>

#include "api/encode/npy_header.h"
#include "api/encode/text.h"
#include "api/http/reply_format.h"
#include "api/tables/npy_row.h"
#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "daemon/base/budget.h"
#include "storage/tables/row_reader.h"
#include "storage/tables/table_bytes.h"

enum {
	WINDOW_BYTES = 4 << 20, /* of the file, which are no memory of ours */
	BLOCK_BYTES = 1 << 17,	/* of rows that are made */
	STEP_MS = 5,
};

/* A matrix in the file. */
struct held {
	enum apsp_section section;
	char kind; /* as NumPy names it */
	uint64_t columns;
};

struct apsp_matrix {
	struct apsp_reading reading;
	struct apsp_share share;
	char header[APSP_NPY_HEADER_SIZE];
	uint64_t size;
	uint64_t at, end; /* of what is still to be sent */
	/* straight from the file: */
	bool straight;
	enum apsp_section section;
	/* made: */
	struct apsp_row_reader *rows;
	enum apsp_npy_cell cell;
	enum apsp_row_value value;
	uint64_t row_bytes;
	struct apsp_text text;
};

int apsp_matrix_kind_parse(
	const char *name, enum apsp_matrix_kind *out, struct apsp_err *err)
{
	static const char *const names[APSP_N_MATRICES] = {
		"distance", "hops", "predecessor", "closure"};

	for (int kind = 0; kind < APSP_N_MATRICES; kind++) {
		if (strcmp(name, names[kind]) != 0)
			continue;
		*out = (enum apsp_matrix_kind)kind;
		return 0;
	}
	return apsp_fail(err, APSP_ENOROUTE,
		"there is no matrix '%s'; there are distance, hops, "
		"predecessor and closure",
		name);
}

void apsp_matrix_free(void *ctx)
{
	struct apsp_matrix *m = ctx;

	if (!m)
		return;
	apsp_row_reader_free(m->rows);
	apsp_text_done(&m->text);
	apsp_share_close(&m->share);
	apsp_reading_done(&m->reading);
	free(m);
}

/* Whether the file holds the matrix as it is asked for. */
static int find_held(const struct apsp_table_header *header,
	enum apsp_matrix_kind kind, bool raw, bool *out_is, struct held *out,
	struct apsp_err *err)
{
	bool sums = header->distance_kind == APSP_DISTANCE_SUM;

	*out = (struct held){.columns = header->n_vertices};
	*out_is = raw;
	switch (kind) {
	case APSP_MATRIX_DISTANCE:
		*out_is = raw || sums;
		out->section = APSP_SECTION_DISTANCE;
		break;
	case APSP_MATRIX_HOPS:
		if (raw && header->distance_kind != APSP_DISTANCE_HOPS)
			return apsp_fail(err, APSP_EMALFORMED,
				"raw=1: only tables of transform=hops hold "
				"hops by themselves");
		out->section = APSP_SECTION_DISTANCE;
		break;
	case APSP_MATRIX_PREDECESSOR:
		out->section = APSP_SECTION_PREDECESSOR;
		break;
	default:
		out->section = APSP_SECTION_CLOSURE;
		out->columns = apsp_bit_row_words(header->n_vertices);
	}
	switch (header->sections[out->section].element) {
	case APSP_ELEMENT_F32:
	case APSP_ELEMENT_F64:
		out->kind = 'f';
		break;
	case APSP_ELEMENT_I32:
		out->kind = 'i';
		break;
	default:
		out->kind = 'u';
	}
	return 0;
}

static void open_held(struct apsp_matrix *m, const struct held *held)
{
	const struct apsp_table_header *header =
		apsp_tables_header(m->reading.tables);
	uint64_t dimensions[2] = {header->n_vertices, held->columns};
	size_t width =
		apsp_element_size(header->sections[held->section].element);

	if (width == 0)
		width = sizeof(uint64_t); /* words of bits */
	m->straight = true;
	m->section = held->section;
	m->size = APSP_NPY_HEADER_SIZE + dimensions[0] * dimensions[1] * width;
	apsp_npy_header_write(
		held->kind, (unsigned int)width, dimensions, 2, m->header);
}

static int open_made(
	struct apsp_matrix *m, enum apsp_matrix_kind kind, struct apsp_err *err)
{
	static const enum apsp_row_value values[APSP_N_MATRICES] = {
		APSP_ROW_DISTANCE, APSP_ROW_HOPS, APSP_ROW_PREDECESSOR,
		APSP_ROW_REACHABLE};
	static const enum apsp_npy_cell cells[APSP_N_MATRICES] = {
		APSP_NPY_F8, APSP_NPY_F4, APSP_NPY_I4, APSP_NPY_B1};
	struct apsp_tables *tables = m->reading.tables;
	const struct apsp_table_header *header = apsp_tables_header(tables);
	uint64_t n = header->n_vertices, dimensions[2] = {n, n};
	int r;

	m->cell = cells[kind];
	m->value = values[kind];
	/* distances below 2^15 are exact in float32 */
	if (kind == APSP_MATRIX_DISTANCE &&
		header->sections[APSP_SECTION_DISTANCE].element ==
			APSP_ELEMENT_U16)
		m->cell = APSP_NPY_F4;
	m->row_bytes = n * apsp_npy_cell_size(m->cell);
	m->size = APSP_NPY_HEADER_SIZE + n * m->row_bytes;
	apsp_npy_header_write(apsp_npy_cell_kind(m->cell),
		apsp_npy_cell_size(m->cell), dimensions, 2, m->header);
	r = apsp_share_grow(&m->share,
		apsp_row_reader_bytes(tables, 0) + 2 * m->row_bytes,
		"the matrix", err);
	if (r < 0)
		return r;
	return apsp_row_reader_new(
		tables, values[kind], NULL, 0, &m->rows, err);
}

APSP_AUTO_DEFINE(matrix_cleanup, struct apsp_matrix, apsp_matrix_free);

int apsp_matrix_open(struct apsp_request *req, struct apsp_reading *reading,
	enum apsp_matrix_kind kind, bool raw, struct apsp_matrix **out,
	struct apsp_err *err)
{
	const struct apsp_table_header *header =
		apsp_tables_header(reading->tables);
	APSP_AUTO(matrix_cleanup) struct apsp_matrix *m = NULL;
	struct held held;
	bool is_held;
	int r;

	r = find_held(header, kind, raw, &is_held, &held, err);
	if (r < 0)
		return r;
	m = calloc(1, sizeof(*m));
	if (!m)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a matrix");
	m->reading = *reading;
	r = apsp_request_share(req, &m->share, err);
	if (r == 0 && is_held)
		open_held(m, &held);
	else if (r == 0)
		r = open_made(m, kind, err);
	if (r < 0) {
		m->reading = (struct apsp_reading){0}; /* still the caller's */
		return r;
	}
	*reading = (struct apsp_reading){0};
	*out = APSP_TAKE(m);
	return 0;
}

uint64_t apsp_matrix_size(const struct apsp_matrix *m)
{
	return m->size;
}

/* The next window of the file, as it lies there. */
static int window(struct apsp_matrix *m, uint64_t at,
	struct apsp_stream_block *out, struct apsp_err *err)
{
	uint64_t left = m->end - at;
	const unsigned char *data;
	int r;

	out->size = left < WINDOW_BYTES ? (size_t)left : WINDOW_BYTES;
	r = apsp_table_bytes_get(m->reading.tables, m->section,
		at - APSP_NPY_HEADER_SIZE, out->size, &data, err);
	out->data = (const char *)data;
	return r;
}

/* Rows from the one that holds the byte `at` on, appended to the text. */
static int make_rows(struct apsp_matrix *m, uint64_t at, struct apsp_err *err)
{
	int64_t until = apsp_clock_ns() + (int64_t)STEP_MS * 1000000;
	uint64_t first = (at - APSP_NPY_HEADER_SIZE) / m->row_bytes;
	uint64_t behind =
		(m->end - APSP_NPY_HEADER_SIZE - 1) / m->row_bytes + 1;
	struct apsp_row row;
	int r = 0;

	for (uint64_t i = first; i < behind && r == 0; i++) {
		r = apsp_row_reader_read(m->rows, (uint32_t)i, &row, err);
		if (r == 0)
			apsp_npy_row_append(&m->text, m->cell, m->value, &row,
				m->row_bytes / apsp_npy_cell_size(m->cell));
		if (m->text.size >= BLOCK_BYTES || apsp_clock_ns() > until)
			break;
	}
	return r < 0 ? r : apsp_text_check(&m->text, err);
}

static int made(struct apsp_matrix *m, struct apsp_stream_block *out,
	struct apsp_err *err)
{
	uint64_t skip = 0, left = m->end - m->at;
	uint64_t at = m->at;
	int r;

	apsp_text_clear(&m->text, SIZE_MAX);
	if (at < APSP_NPY_HEADER_SIZE) {
		apsp_text_append(&m->text, m->header, APSP_NPY_HEADER_SIZE);
		skip = at;
		at = APSP_NPY_HEADER_SIZE;
	} else {
		skip = (at - APSP_NPY_HEADER_SIZE) % m->row_bytes;
	}
	r = at < m->end ? make_rows(m, at, err)
			: apsp_text_check(&m->text, err);
	if (r < 0)
		return r;
	out->data = m->text.data + skip;
	out->size = m->text.size - skip;
	if (out->size > left)
		out->size = left;
	return 0;
}

static int matrix_next(
	void *ctx, struct apsp_stream_block *out, struct apsp_err *err)
{
	struct apsp_matrix *m = ctx;
	int r;

	if (m->at == m->end)
		return 0;
	if (!m->straight) {
		r = made(m, out, err);
	} else if (m->at < APSP_NPY_HEADER_SIZE) {
		/* a status tells damage, so look before the answer begins */
		r = m->end > APSP_NPY_HEADER_SIZE
			    ? window(m, APSP_NPY_HEADER_SIZE, out, err)
			    : 0;
		out->data = m->header + m->at;
		out->size =
			(m->end < APSP_NPY_HEADER_SIZE ? m->end
						       : APSP_NPY_HEADER_SIZE) -
			m->at;
	} else {
		r = window(m, m->at, out, err);
	}
	if (r < 0)
		return r;
	m->at += out->size;
	return m->at < m->end;
}

static int matrix_trust(void *ctx, struct apsp_err *err)
{
	struct apsp_matrix *m = ctx;

	return apsp_table_bytes_trust(m->reading.tables, err);
}

struct apsp_stream apsp_matrix_stream(
	struct apsp_matrix *m, uint64_t begin, uint64_t size)
{
	m->at = begin;
	m->end = begin + size;
	return (struct apsp_stream){
		.type = apsp_reply_format_type(APSP_REPLY_NPY),
		.size = size,
		.as_it_is = true,
		.mapped = m->straight,
		.next = matrix_next,
		.trust = m->straight ? matrix_trust : NULL,
		.in_pool = true,
		.done = apsp_matrix_free,
		.ctx = m,
	};
}
