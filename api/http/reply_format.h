/*
 * The formats that answers have.
 */
#ifndef APSP_API_HTTP_REPLY_FORMAT_H
#define APSP_API_HTTP_REPLY_FORMAT_H

enum apsp_reply_format {
	APSP_REPLY_JSON,
	APSP_REPLY_NDJSON,
	APSP_REPLY_CSV,
	APSP_REPLY_NPY,
	APSP_REPLY_MTX,
	APSP_REPLY_GRAPHML,
	APSP_REPLY_DOT,
	APSP_REPLY_CYJS,
	APSP_REPLY_TEXT,
	APSP_REPLY_HTML,
	APSP_REPLY_FILE, /* a file, which has a media type of its own, so Accept
			    is ignored */
	APSP_N_REPLY_FORMATS,
};

/* Sets of formats; each format is a bit. A route whose set is 0 has
   APSP_REPLIES_JSON. */
enum {
	APSP_REPLIES_JSON = 1 << APSP_REPLY_JSON | 1 << APSP_REPLY_NDJSON,
	APSP_REPLIES_TABLE =
		APSP_REPLIES_JSON | 1 << APSP_REPLY_CSV | 1 << APSP_REPLY_NPY,
	APSP_REPLIES_ROWS = APSP_REPLIES_JSON | 1 << APSP_REPLY_CSV,
	APSP_REPLIES_ARRAY = 1 << APSP_REPLY_NPY,
	APSP_REPLIES_TEXT = 1 << APSP_REPLY_TEXT,
	APSP_REPLIES_LIST = 1 << APSP_REPLY_CSV,
	APSP_REPLIES_PAGE = 1 << APSP_REPLY_JSON | 1 << APSP_REPLY_HTML,
	APSP_REPLIES_PROBLEM = 1 << APSP_REPLY_JSON | 1 << APSP_REPLY_TEXT |
			       1 << APSP_REPLY_HTML,
	APSP_REPLIES_CIRCUIT = 1 << APSP_REPLY_JSON | 1 << APSP_REPLY_CSV |
			       1 << APSP_REPLY_GRAPHML | 1 << APSP_REPLY_DOT |
			       1 << APSP_REPLY_CYJS,
	APSP_REPLIES_DOCUMENT = 1 << APSP_REPLY_JSON,
	APSP_REPLIES_FILE = 1 << APSP_REPLY_FILE,
	APSP_REPLIES_ARCS =
		1 << APSP_REPLY_CSV | 1 << APSP_REPLY_NPY | 1 << APSP_REPLY_MTX,
};

/* The formats, in the order of enum apsp_reply_format. */
extern const struct apsp_reply_format_text {
	const char *name; /* in ?format= */
	const char *type; /* media type */
} apsp_reply_formats[APSP_N_REPLY_FORMATS];

#endif
