/*
 * GET /v1/graphs/{graph}/matrices/{matrix}?raw=: the matrix of all pairs as a
 * NumPy file, or a range of that file's bytes. If the table file holds the
 * cells in the reply's format, the bytes of that file are sent. Otherwise the
 * cells are made row by row.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/encode/npy_header.h"
#include "api/handlers.h"
#include "api/http/query.h"
#include "api/http/range.h"
#include "api/http/reply.h"
#include "api/http/stream.h"
#include "api/reading.h"
#include "api/tables/table.h"
#include "daemon/base/auto.h"
#include "storage/tables/pair_width.h"
#include "storage/tables/row_reader.h"
#include "storage/tables/tables.h"

enum {
	/* a block of the reply has at most this many bytes of the mapped
	   file */
	WINDOW_BYTES = 4 << 20,
};

enum kind {
	DISTANCE,    /* float32 or float64; infinity: no path */
	HOPS,	     /* float32; infinity: no path */
	PREDECESSOR, /* int32; -1: no predecessor */
	CLOSURE,     /* bool */
	WIDTH,	     /* float32 or float64; 0: no path; infinity: from v to v */
	N_KINDS,
};

static const struct {
	const char *name; /* name of the matrix in URLs */
	enum apsp_row_value value;
	enum apsp_section
		section; /* section of the table file that holds the matrix */
} kinds[N_KINDS] = {
	[DISTANCE] = {"distance", APSP_ROW_DISTANCE, APSP_SECTION_DISTANCE},
	[HOPS] = {"hops", APSP_ROW_HOPS, APSP_SECTION_DISTANCE},
	[PREDECESSOR] = {"predecessor", APSP_ROW_PREDECESSOR,
		APSP_SECTION_PREDECESSOR},
	[CLOSURE] = {"closure", APSP_ROW_REACHABLE, APSP_SECTION_CLOSURE},
	[WIDTH] = {"width", APSP_ROW_WIDTH, APSP_SECTION_DISTANCE},
};

/* A matrix that the table file holds. The stream of the reply owns this
   struct. */
struct held {
	struct apsp_reading reading;
	enum apsp_section section;
	char header[APSP_NPY_HEADER_SIZE];
	uint64_t at, end; /* the bytes that are still to be sent begin at `at`
			     and end before `end` */
};

/*
 * Add the headers that a client needs to decode raw cells, which are integers:
 * distance · scale + hops, or only hops.
 */
static int scale_headers_add(struct apsp_request *req,
	const struct apsp_table_header *header, struct apsp_err *err)
{
	const char *no_path = "inf";
	char text[32];
	int r = 0;

	if (header->distance_kind == APSP_DISTANCE_SUM)
		return 0;
	if (header->sections[APSP_SECTION_DISTANCE].element == APSP_ELEMENT_U16)
		no_path = "32767";
	if (header->sections[APSP_SECTION_DISTANCE].element == APSP_ELEMENT_I32)
		no_path = "1073741823";
	snprintf(text, sizeof(text), "%" PRId64, header->scale);
	if (header->distance_kind == APSP_DISTANCE_SCALED)
		r = apsp_reply_header(req, "Apsp-Scale", text, err);
	return r < 0 ? r : apsp_reply_header(req, "Apsp-No-Path", no_path, err);
}

static void held_free(void *ctx)
{
	struct held *m = ctx;

	apsp_reading_done(&m->reading);
	free(m);
}

/* Find the next bytes of the reply in the mapped file, and point *out to them.
   `at` is their offset in the reply. */
static int window(struct held *m, uint64_t at, struct apsp_stream_block *out,
	struct apsp_err *err)
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

static int held_next(
	void *ctx, struct apsp_stream_block *out, struct apsp_err *err)
{
	struct held *m = ctx;
	int r = 0;

	if (m->at == m->end)
		return 0;
	if (m->at >= APSP_NPY_HEADER_SIZE) {
		r = window(m, m->at, out, err);
	} else {
		/*
		 * check the first block of the file before the reply begins, so
		 * that the HTTP status reports damage
		 */
		if (m->end > APSP_NPY_HEADER_SIZE)
			r = window(m, APSP_NPY_HEADER_SIZE, out, err);
		out->data = m->header + m->at;
		out->size =
			(m->end < APSP_NPY_HEADER_SIZE ? m->end
						       : APSP_NPY_HEADER_SIZE) -
			m->at;
	}
	if (r < 0)
		return r;
	m->at += out->size;
	return m->at < m->end;
}

static int held_trust(void *ctx, struct apsp_err *err)
{
	struct held *m = ctx;

	return apsp_tables_trust(m->reading.tables, err);
}

/* Reply with the matrix's bytes from the table file, without conversion. The
   reply owns `reading`. */
static int held_reply(struct apsp_request *req, struct apsp_reading *reading,
	enum kind kind, struct apsp_err *err)
{
	const struct apsp_table_header *header = &reading->tables->header;
	enum apsp_section section = kinds[kind].section;
	enum apsp_element element =
		(enum apsp_element)header->sections[section].element;
	size_t width = apsp_element_size(element);
	uint64_t n = header->n_vertices;
	const uint64_t dimensions[] = {
		n, kind == CLOSURE ? apsp_bit_row_words(n) : n};
	struct apsp_stream stream = {
		.type = apsp_reply_formats[APSP_REPLY_NPY].type,
		.as_it_is = true,
		.mapped = true,
		.in_pool = true,
		.next = held_next,
		.trust = held_trust,
		.done = held_free,
	};
	struct apsp_range range;
	char letter = 'u'; /* the letter by which NumPy names the type */
	struct held *m;
	int r;

	if (width == 0)
		/* the closure has a bit for each pair (whether there is a
		   path), in words of 64 bits */
		width = sizeof(uint64_t);
	if (element == APSP_ELEMENT_F32 || element == APSP_ELEMENT_F64)
		letter = 'f';
	if (element == APSP_ELEMENT_I32)
		letter = 'i';
	r = apsp_range_read(req,
		APSP_NPY_HEADER_SIZE + dimensions[0] * dimensions[1] * width,
		&range, err);
	if (r < 0)
		return r;
	m = calloc(1, sizeof(*m));
	if (!m)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a matrix");
	apsp_npy_header_write(
		letter, (unsigned int)width, dimensions, 2, m->header);
	m->reading = APSP_TAKE(*reading);
	m->section = section;
	m->at = range.begin;
	m->end = range.begin + range.size;
	stream.size = range.size;
	stream.ctx = m;
	return apsp_stream_reply(req, range.status, &stream, err);
}

/* Reply with a matrix of all pairs that is made row by row. The reply owns
   `reading`. */
static int made_reply(struct apsp_request *req, struct apsp_reading *reading,
	enum kind kind, struct apsp_err *err)
{
	APSP_AUTO(apsp_table_question_done)
	struct apsp_table_question q = {.values = kinds[kind].value};
	struct apsp_table *table = NULL;
	struct apsp_width_facts widths = {0};
	struct apsp_range range;
	uint32_t element;
	int r = 0;

	q.reading = APSP_TAKE(*reading);
	q.sources.all = q.targets.all = true;
	q.sources.n = q.targets.n = q.reading.generation->n_vertices;
	/*
	 * set `narrow`, with which the cells are float32, in three cases.
	 * First: the distances have 16 bits, which float32 represents exactly.
	 * Second: the header says that distances are float32. (If the file
	 * lacks these distances, they are computed as float32.) Third: float32
	 * represents each width exactly
	 */
	element = q.reading.tables->header.sections[APSP_SECTION_DISTANCE]
			  .element;
	q.narrow = kind == DISTANCE &&
		   (element == APSP_ELEMENT_U16 || element == APSP_ELEMENT_F32);
	if (kind == WIDTH) {
		r = apsp_pair_width_facts(q.reading.tables, &widths, err);
		q.narrow = widths.single;
	}
	if (r == 0)
		r = apsp_request_share(req, &q.share, err);
	if (r == 0)
		r = apsp_request_wait_memory(
			req, apsp_table_new(&q, APSP_REPLY_NPY, &table, err));
	if (r < 0)
		return r;
	r = apsp_range_read(req, apsp_table_npy_size(table), &range, err);
	if (r < 0) {
		apsp_table_free(table);
		return r;
	}
	apsp_table_npy_range(table, range.begin, range.size);
	return apsp_table_reply(req, range.status, table, err);
}

/* Refuse a matrix that the profile does not have. */
static int kind_check(const struct apsp_reading *reading, enum kind kind,
	bool raw, struct apsp_err *err)
{
	if (kind == WIDTH && raw)
		return apsp_fail(err, APSP_EMALFORMED,
			"raw=1: the table file has the ranks of widths; "
			"without raw=1 the matrix has the widths");
	if (kind == CLOSURE)
		return 0;
	if (kind == WIDTH)
		return apsp_reading_needs(
			reading, APSP_PATH_WIDEST, "matrices of width", err);
	return apsp_reading_needs(reading, APSP_PATH_SHORTEST,
		"matrices of distance, hops and predecessor", err);
}

int apsp_api_get_matrix(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(apsp_reading_done) struct apsp_reading reading = {0};
	const struct apsp_table_header *header;
	const char *name = req->params[1];
	int kind = 0;
	uint64_t raw;
	bool held;
	int r;

	r = apsp_query_uint(req, "raw", 0, 1, 0, &raw, err);
	while (r == 0 && kind < N_KINDS && strcmp(name, kinds[kind].name) != 0)
		kind++;
	if (r == 0 && kind == N_KINDS)
		r = apsp_fail(err, APSP_ENOROUTE,
			"there is no matrix '%s'; there are distance, width, "
			"hops, predecessor and closure",
			name);
	if (r == 0)
		r = apsp_request_move(req, err);
	if (r == 0)
		r = apsp_reading_open(req, &reading, err);
	if (r == 0)
		r = kind_check(&reading, (enum kind)kind, raw, err);
	if (r == 0)
		r = apsp_reading_all_pairs(&reading, "a matrix", err);
	if (r == 0)
		r = apsp_reading_etag(req, &reading, false, err);
	if (r != 0)
		return r < 0 ? r : 0;
	header = &reading.tables->header;
	if (raw && kind == HOPS && header->distance_kind != APSP_DISTANCE_HOPS)
		return apsp_fail(err, APSP_EMALFORMED,
			"raw=1: only tables of transform=hops hold hops by "
			"themselves");
	if (raw && (kind == DISTANCE || kind == HOPS))
		r = scale_headers_add(req, header, err);
	if (raw && kind == PREDECESSOR)
		r = apsp_reply_header(req, "Apsp-Predecessor",
			apsp_table_has_ranks(header) ? "rank" : "index", err);
	if (r < 0)
		return r;
	held = apsp_table_holds(header, kinds[kind].section);
	if (raw && !held)
		return apsp_fail(err, APSP_EMALFORMED,
			"raw=1: the table file does not hold this matrix "
			"(tables=distance); without raw=1 it is computed");
	return raw || (held && kind == DISTANCE &&
			      header->distance_kind == APSP_DISTANCE_SUM)
		       ? held_reply(req, &reading, (enum kind)kind, err)
		       : made_reply(req, &reading, (enum kind)kind, err);
}
