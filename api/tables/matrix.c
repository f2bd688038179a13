/*
 * Matrices as NumPy files; see matrix.h.
 */
#include "api/tables/matrix.h"

#include <stdlib.h>
#include <string.h>

#include "api/encode/npy_header.h"
#include "api/http/reply_format.h"
#include "api/tables/table.h"
#include "daemon/base/auto.h"
#include "storage/tables/row_reader.h"
#include "storage/tables/table_bytes.h"

enum {
	WINDOW_BYTES =
		4 << 20, /* of the mapped file, so this takes no memory */
};

/* Where and how the file holds a matrix. */
struct held {
	enum apsp_section section;
	char kind; /* as NumPy names it */
	uint64_t columns;
};

struct apsp_matrix {
	struct apsp_table *table; /* writes a matrix that the file does not
				     hold; NULL: the file does */

	struct apsp_reading reading;
	char header[APSP_NPY_HEADER_SIZE];
	uint64_t size;
	uint64_t at, end; /* the bytes that are still to be sent: [at, end) */
	enum apsp_section section;
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
	apsp_table_free(m->table);
	apsp_reading_done(&m->reading);
	free(m);
}

/* Find out whether the file holds the matrix in the form that is asked for. */
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

static void open_held(struct apsp_matrix *m, const struct apsp_reading *reading,
	const struct held *held)
{
	const struct apsp_table_header *header =
		apsp_tables_header(reading->tables);
	uint64_t dimensions[2] = {header->n_vertices, held->columns};
	size_t width =
		apsp_element_size(header->sections[held->section].element);

	if (width == 0)
		width = sizeof(uint64_t); /* words of bits */
	m->reading = *reading;
	m->section = held->section;
	m->size = APSP_NPY_HEADER_SIZE + dimensions[0] * dimensions[1] * width;
	apsp_npy_header_write(
		held->kind, (unsigned int)width, dimensions, 2, m->header);
}

/* Begin a table of all pairs. On failure the reading stays the caller's. */
static int open_made(struct apsp_request *req, struct apsp_matrix *m,
	struct apsp_reading *reading, enum apsp_matrix_kind kind,
	struct apsp_err *err)
{
	static const enum apsp_row_value values[APSP_N_MATRICES] = {
		APSP_ROW_DISTANCE, APSP_ROW_HOPS, APSP_ROW_PREDECESSOR,
		APSP_ROW_REACHABLE};
	const struct apsp_table_header *header =
		apsp_tables_header(reading->tables);
	const struct apsp_vertex_list all = {
		.all = true, .n = header->n_vertices};
	/* 16-bit distances are exact in float32 */
	bool narrow = kind == APSP_MATRIX_DISTANCE &&
		      header->sections[APSP_SECTION_DISTANCE].element ==
			      APSP_ELEMENT_U16;
	struct apsp_table_question q = {
		.reading = *reading,
		.sources = all,
		.targets = all,
		.values = values[kind],
		.narrow = narrow,
	};
	int r;

	r = apsp_request_share(req, &q.share, err);
	if (r == 0)
		r = apsp_table_new(&q, APSP_REPLY_NPY, &m->table, err);
	if (r < 0) {
		apsp_share_close(&q.share);
		return r;
	}
	m->size = apsp_table_npy_size(m->table);
	return 0;
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
	if (is_held)
		open_held(m, reading, &held);
	else
		r = open_made(req, m, reading, kind, err);
	if (r < 0)
		return r;
	*reading = (struct apsp_reading){0};
	*out = APSP_TAKE(m);
	return 0;
}

uint64_t apsp_matrix_size(const struct apsp_matrix *m)
{
	return m->size;
}

/* Store the next window of the file, as the file holds it. */
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

static int matrix_next(
	void *ctx, struct apsp_stream_block *out, struct apsp_err *err)
{
	struct apsp_matrix *m = ctx;
	int r;

	if (m->at == m->end)
		return 0;
	if (m->at < APSP_NPY_HEADER_SIZE) {
		/*
		 * damage must become a status, so check before the answer
		 * begins
		 */
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
	struct apsp_stream stream = {
		.type = apsp_reply_format_type(APSP_REPLY_NPY),
		.size = size,
		.as_it_is = true,
		.mapped = true,
		.next = matrix_next,
		.trust = matrix_trust,
		.done = apsp_matrix_free,
		.ctx = m,
	};

	m->at = begin;
	m->end = begin + size;
	if (m->table) {
		apsp_table_npy_range(m->table, begin, size);
		stream = apsp_table_stream(APSP_TAKE(m->table));
		apsp_matrix_free(m);
	}
	stream.in_pool = true;
	return stream;
}
