/*
 * The names and media types of formats; see reply_format.h.
 */
#include "api/http/reply_format.h"

const struct apsp_reply_format_text apsp_reply_formats[APSP_N_REPLY_FORMATS] = {
	[APSP_REPLY_JSON] = {"json", "application/json"},
	[APSP_REPLY_NDJSON] = {"ndjson", "application/x-ndjson"},
	[APSP_REPLY_CSV] = {"csv", "text/csv"},
	[APSP_REPLY_NPY] = {"npy", "application/x-npy"},
	[APSP_REPLY_MTX] = {"mtx", "text/x-matrix-market"},
	[APSP_REPLY_GRAPHML] = {"graphml", "application/graphml+xml"},
	[APSP_REPLY_DOT] = {"dot", "text/vnd.graphviz"},
	[APSP_REPLY_CYJS] = {"cyjs", "application/vnd.cytoscape.cyjs+json"},
	[APSP_REPLY_TEXT] = {"text", "text/plain"},
	[APSP_REPLY_HTML] = {"html", "text/html"},
	[APSP_REPLY_FILE] = {"file", "*/*"},
};
