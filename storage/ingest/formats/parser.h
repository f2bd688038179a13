/*
 * The functions of every format's parser. A parser reads bytes in pieces of any
 * size and adds vertices and arcs to a graph builder. format_<name>.c
 * implements the parser of a format; the list of formats (format.h) names the
 * parser.
 *
 * The pieces are already decompressed. The parser finds the same arcs or
 * reports the same error, whatever the sizes of the pieces are. The parser uses
 * a buffer of fixed size. If the first lines decide the layout, the parser also
 * keeps a copy of these lines.
 */
#ifndef APSP_STORAGE_INGEST_FORMATS_PARSER_H
#define APSP_STORAGE_INGEST_FORMATS_PARSER_H

#include <stddef.h>

#include "daemon/base/err.h"

struct apsp_parser {
	/*
	 * Size of the state of one upload, in bytes. The state begins with a
	 * pointer to the graph builder, struct apsp_graph_builder *. The
	 * caller allocates the state, sets the pointer and clears the rest.
	 */
	size_t size;
	/* Set up the state. Fails as feed() does. NULL: there is nothing to set
	   up. */
	int (*open)(void *parser, struct apsp_err *err);
	/*
	 * Parse the next bytes. APSP_EDATA: the format does not allow the data.
	 * Also fails with the errors of the builder. After an error, only
	 * done() may be called.
	 */
	int (*feed)(void *parser, const char *data, size_t size,
		struct apsp_err *err);
	/* Parse the end of the body. Fails as feed() does. */
	int (*end)(void *parser, struct apsp_err *err);
	/* Free the memory that the state owns. done() is also called after
	   open() has failed. NULL: the state owns no memory. */
	void (*done)(void *parser);
};

#endif
