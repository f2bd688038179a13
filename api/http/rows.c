/* Write rows into blocks of text for api/http/stream.h. */
#include "api/http/rows.h"

#include <stdlib.h>

#include "api/encode/json.h"
#include "api/encode/text.h"
#include "api/http/reply_format.h"
#include "api/http/stream.h"
#include "daemon/base/clock.h"

enum {
	BLOCK_BYTES = 32768,
	/* if a block has more bytes than this, its memory is freed when the
	   block is sent */
	KEPT_BYTES = 2 * BLOCK_BYTES,
	STEP_MS = 5, /* longest time for which a thread of the pool works on one
			block */
};

struct maker {
	struct apsp_rows rows;
	bool is_json;
	bool ndjson;
	bool begun; /* the text that precedes the first row has been written */
	bool ended;
	struct apsp_text text; /* the present block */
	struct apsp_json_writer w;
	struct apsp_cells cells; /* writes the cells of rows; in JSON, by `w` */
};

static void maker_free(void *ctx)
{
	struct maker *m = ctx;

	m->rows.done(m->rows.ctx);
	json_decref(m->rows.head);
	apsp_text_done(&m->text);
	free(m);
}

/* Append the next row. If no row is left, append the end of the array of rows
   and of its JSON object; formats other than JSON have no such end. */
static int advance(struct maker *m, struct apsp_err *err)
{
	int r = m->rows.write(m->rows.ctx, &m->cells, err);

	if (r < 0 || r == APSP_ROWS_LATER)
		return r < 0 ? r : 0;
	if (r == 0) {
		m->ended = true;
		if (!m->is_json)
			return 0;
		apsp_json_array_end(&m->w);
		apsp_json_object_end(&m->w);
		apsp_json_line_end(&m->w);
	} else if (m->ndjson) {
		apsp_json_line_end(&m->w);
	}
	return 0;
}

static int maker_next(
	void *ctx, struct apsp_stream_block *out, struct apsp_err *err)
{
	int64_t until = apsp_clock_ns() + (int64_t)STEP_MS * 1000000;
	struct maker *m = ctx;
	struct apsp_cells names = apsp_cells_names(&m->text);
	const char *name;
	json_t *member;
	int r = 0;

	apsp_text_clear(&m->text, KEPT_BYTES);
	if (!m->begun && m->is_json) { /* write the beginning of the JSON
					  object, up to the beginning of the
					  array */
		apsp_json_object(&m->w);
		json_object_foreach(m->rows.head, name, member)
		{
			apsp_json_key(&m->w, name);
			apsp_json_tree(&m->w, json_incref(member));
		}
		apsp_json_key(&m->w, m->rows.name);
		apsp_json_array(&m->w);
	} else if (!m->begun && !m->rows.name && m->rows.begin) {
		m->rows.begin(m->rows.ctx, &names);
	}
	m->begun = true;
	while (r == 0 && !m->ended && m->text.size < BLOCK_BYTES) {
		r = advance(m, err);
		if (m->rows.in_pool && apsp_clock_ns() > until)
			break;
	}
	if (r == 0)
		r = apsp_text_check(&m->text, err);
	*out = (struct apsp_stream_block){m->text.data, m->text.size};
	return r < 0 ? r : !m->ended;
}

int apsp_rows_reply(
	struct apsp_request *req, struct apsp_rows *rows, struct apsp_err *err)
{
	struct maker *m = calloc(1, sizeof(*m));
	struct apsp_stream stream = {
		.type = rows->type ? rows->type
				   : apsp_reply_formats[req->format].type,
		.size = rows->size ? rows->size : APSP_STREAM_SIZE_UNKNOWN,
		.next = maker_next,
		.in_pool = rows->in_pool,
		.done = maker_free,
		.ctx = m,
	};

	if (!m || (rows->name && !rows->head)) {
		rows->done(rows->ctx);
		json_decref(rows->head);
		free(m);
		return apsp_fail(err, APSP_ENOMEM, "no memory for a reply");
	}
	m->rows = *rows;
	m->ndjson = rows->name && req->format == APSP_REPLY_NDJSON;
	m->is_json = rows->name && !m->ndjson;
	m->w.text = &m->text;
	m->cells = apsp_cells_of(
		&m->w, rows->name ? APSP_CELLS_JSON : APSP_CELLS_CSV);
	return apsp_stream_reply(req, MHD_HTTP_OK, &stream, err);
}
