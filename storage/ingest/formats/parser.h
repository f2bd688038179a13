/*
 * What every format's parser offers: it takes bytes in any pieces and hands
 * vertices and arcs to a graph builder. format_<name>.c implements it; the list
 * of formats (format.h) names the parser.
 *
 * The pieces are decompressed, and where one piece ends never matters: any
 * chunking of a body gives the same arcs or the same error. Memory is a fixed
 * buffer, plus the texts of the first lines where they tell the layout.
 */
#ifndef APSP_STORAGE_INGEST_FORMATS_PARSER_H
#define APSP_STORAGE_INGEST_FORMATS_PARSER_H

#include <stddef.h>

#include "daemon/base/err.h"

struct apsp_graph_builder;

struct apsp_parser {
	/*
	 * On success the caller ends *out with close(). builder must outlive
	 * *out.
	 */
	int (*open)(struct apsp_graph_builder *builder, void **out,
		struct apsp_err *err);
	/*
	 * APSP_EDATA, and the builder's errors; after one only close() may
	 * follow.
	 */
	int (*feed)(void *parser, const char *data, size_t size,
		struct apsp_err *err);
	/* The body is complete. Errors as feed(). */
	int (*end)(void *parser, struct apsp_err *err);
	void (*close)(void *parser); /* accepts NULL */
};

#endif
