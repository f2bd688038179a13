/*
 * GET /v1/graphs/{graph}/matrices/{matrix}?raw=: all pairs as a NumPy file, the
 * whole of it or a range.
 */
#include <inttypes.h>
#include <stdio.h>

#include "api/handlers.h"
#include "api/http/query.h"
#include "api/http/range.h"
#include "api/http/reply.h"
#include "api/http/stream.h"
#include "api/reading.h"
#include "api/tables/matrix.h"
#include "daemon/base/auto.h"

/* Add the headers that a client needs to read V = distance · scale + hops. */
static int scale_headers_add(struct apsp_request *req,
	const struct apsp_table_header *header, struct apsp_err *err)
{
	char text[32];
	int r;

	if (header->distance_kind != APSP_DISTANCE_SCALED)
		return 0;
	snprintf(text, sizeof(text), "%" PRId64, header->scale);
	r = apsp_reply_header(req, "Apsp-Scale", text, err);
	if (r < 0)
		return r;
	switch (header->sections[APSP_SECTION_DISTANCE].element) {
	case APSP_ELEMENT_U16:
		return apsp_reply_header(req, "Apsp-No-Path", "32767", err);
	case APSP_ELEMENT_I32:
		return apsp_reply_header(
			req, "Apsp-No-Path", "1073741823", err);
	default:
		return apsp_reply_header(req, "Apsp-No-Path", "inf", err);
	}
}

int apsp_api_get_matrix(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(apsp_reading_done) struct apsp_reading reading = {0};
	enum apsp_matrix_kind kind;
	struct apsp_stream stream;
	struct apsp_range range;
	struct apsp_matrix *matrix = NULL;
	uint64_t raw;
	int r;

	r = apsp_query_uint(req, "raw", 0, 1, 0, &raw, err);
	if (r == 0)
		r = apsp_matrix_kind_parse(req->params[1], &kind, err);
	if (r == 0)
		r = apsp_request_move(req, err);
	if (r == 0)
		r = apsp_reading_open(req, &reading, err);
	if (r == 0)
		r = apsp_reading_etag(req, &reading, false, err);
	if (r == 0 && raw && kind == APSP_MATRIX_DISTANCE)
		r = scale_headers_add(
			req, apsp_tables_header(reading.tables), err);
	if (r == 0)
		r = apsp_matrix_open(
			req, &reading, kind, raw != 0, &matrix, err);
	if (r != 0)
		return r < 0 ? r : 0;
	r = apsp_range_read(req, apsp_matrix_size(matrix), &range, err);
	if (r < 0) {
		apsp_matrix_free(matrix);
		return r;
	}
	stream = apsp_matrix_stream(matrix, range.begin, range.size);
	return apsp_stream_reply(req, range.status, &stream, err);
}
